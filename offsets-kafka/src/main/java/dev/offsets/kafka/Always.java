package dev.offsets.kafka;

/** The same action whatever the failure. */
record Always(FailureAction action) implements FailurePolicy {
    @Override
    public FailureAction onFailure(RecordFailure failure) {
        return action;
    }

    @Override
    public String toString() {
        return words(action);
    }

    /** An action as a policy's sentence says it. */
    static String words(FailureAction action) {
        if (action instanceof FailureAction.DeadLetter deadLetter) {
            return "send to " + deadLetter.deadLetters();
        }
        if (action instanceof FailureAction.Skip skip) {
            return "skip: " + skip.reason();
        }
        if (action instanceof FailureAction.RetryAfter retry) {
            return "retry after " + retry.delay();
        }
        return action instanceof FailureAction.StopPartition ? "stop the partition" : "stop the consumer";
    }
}
