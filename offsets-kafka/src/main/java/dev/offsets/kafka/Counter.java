package dev.offsets.kafka;

/** What a consumer counts since it was built: each as {@code ...-total}, and as {@code ...-rate} a second. */
enum Counter {
    COMMITS_SENT("commits-sent", "commit requests sent"),
    COMMITS_CONFIRMED("commits-confirmed", "commit requests confirmed by the broker"),
    COMMITS_FAILED("commits-failed", "commit requests that failed, or whose outcome is not known"),
    DRAINS_ABANDONED("drains-abandoned", "revocations whose wait for running work ended before the work did"),
    RECORDS_ABANDONED("records-abandoned", "records that were still being worked on when their partition went"),
    RECORDS_FAILED("records-failed", "attempts at a record, or at sending its dead letter, that failed"),
    RECORDS_RETRIED("records-retried", "failed attempts after which another one was scheduled"),
    RECORDS_DEAD_LETTERED("records-dead-lettered", "records whose dead letter was confirmed"),
    RECORDS_SKIPPED("records-skipped", "records that the failure policy has skipped"),
    RESUME_MAP_BYTES("resume-map-bytes", "bytes of resume maps in commits that were confirmed"),
    RECORDS_LEFT_OUT("records-left-out", "records that were not handed out, since a resume map said they had finished"),
    RECORDS_WITHOUT_ROOM(
            "records-without-room",
            "finished records that a resume map did not name for lack of room, in each confirmed commit anew");

    final String metricName;
    final String description;

    Counter(String metricName, String description) {
        this.metricName = metricName;
        this.description = description;
    }
}
