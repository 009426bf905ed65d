package dev.offsets.kafka;

/**
 * The attempts at one record that have failed: by the handler, or at sending it as a dead letter.
 *
 * @param count how many have failed
 * @param firstNanos when the first began
 * @param lastError why the last failed; of a dead letter that has not been tried yet, why it is one
 * @param deadLetters where it is to be sent; null while it is the handler's
 * @param before the attempts that made it a dead letter; null while it is the handler's
 */
record Attempts(int count, long firstNanos, Throwable lastError, DeadLetters deadLetters, Attempts before) {
    static Attempts none(long nowNanos) {
        return new Attempts(0, nowNanos, null, null, null);
    }

    Attempts andOne(Throwable error) {
        return new Attempts(count + 1, firstNanos, error, deadLetters, before);
    }

    /** From now on it is a dead letter, whose attempts are counted anew. */
    Attempts thenDeadLetter(DeadLetters letters, long nowNanos) {
        return new Attempts(0, nowNanos, lastError, letters, this);
    }

    boolean isDeadLetter() {
        return deadLetters != null;
    }

    boolean wasSentTo(DeadLetters letters) {
        return deadLetters == letters || (before != null && before.wasSentTo(letters));
    }

    /** Why the handler could not do it. */
    Throwable handlersError() {
        return before == null ? lastError : before.handlersError();
    }
}
