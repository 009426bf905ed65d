package dev.offsets.examples.demo;

/** Who commits, and what. */
enum Commits {
    TRACKED("the tracker"),
    /** The tracker, with resume maps. */
    WITH_MAPS("the tracker, with resume maps"),
    AUTO_COMMIT("auto-commit");

    private final String words;

    Commits(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }
}
