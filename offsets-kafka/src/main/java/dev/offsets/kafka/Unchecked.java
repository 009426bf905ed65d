package dev.offsets.kafka;

/** Throws what was caught as it was. */
final class Unchecked {
    private Unchecked() {}

    /** Throws a throwable that a method without checked exceptions has thrown. */
    static void rethrow(Throwable thrown) {
        Unchecked.<RuntimeException>asUnchecked(thrown);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void asUnchecked(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
