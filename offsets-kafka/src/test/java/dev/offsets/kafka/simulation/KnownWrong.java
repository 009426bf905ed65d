package dev.offsets.kafka.simulation;

import java.util.Set;
import java.util.function.Supplier;

/** Libraries that are wrong in one way each: the simulation must find out. */
enum KnownWrong {
    COMMITS_THE_HIGHEST_FINISHED(WrongCommits.HighestFinished::new, "NothingLost"),
    COMMITS_THE_POSITION(WrongCommits.Position::new, "NothingLost"),
    COMMITS_THE_EPOCH_OF_THE_RECORD_BEFORE(WrongCommits.EpochOfTheRecordBefore::new, "LeaderEpochs", "Status"),
    RESENDS_AN_OLDER_COMMIT(WrongCommits.Older::new, "CommitOrder"),
    COMMITS_TWICE_AT_ONCE(WrongCommits.Twice::new, "CommitOrder"),
    COMMITS_ON_LOST(WrongRebalances.OnLost::new, "Fence", "NothingLost"),
    COMMITS_AFTER_REVOKE(WrongRebalances.AfterRevoke::new, "Fence", "NothingLost"),
    DOES_NOT_COMMIT_ON_REVOKE(WrongRebalances.NotOnRevoke::new, "GivenUpCleanly"),
    COUNTS_A_FAILED_COMMIT_AS_DONE(WrongCommits.FailedIsDone::new, "Status"),
    COUNTS_AN_UNKNOWN_COMMIT_AS_DONE(WrongCommits.UnknownIsDone::new, "Status"),
    NEVER_COMMITS_AGAIN_AFTER_A_FAILURE(WrongCommits.NoRetry::new, "Liveness", "Promptness"),
    LETS_ONE_TOPIC_HOLD_UP_ANOTHER(WrongCommits.AllForOne::new, "Promptness"),
    COMMITS_LATE(WrongCommits.Late::new, "Promptness"),
    LETS_WHAT_IS_STORED_EXPIRE(WrongCommits.NothingTwice::new, "Liveness", "Status"),
    FORGETS_A_COMPLETION_DURING_A_COMMIT(WrongReports.ForgottenDuringACommit::new, "Status"),
    FORGETS_A_COMPLETION_ON_WAKEUP(WrongReports.ForgottenOnWakeup::new, "Status", "Pauses", "Receipts"),
    FENCES_BEFORE_DRAINING(WrongReports.FencedBeforeDraining::new, "Receipts"),
    CREDITS_A_LATE_COMPLETION_TO_THE_NEXT_INCARNATION(WrongReports.CreditedToTheNext::new, "Receipts"),
    CREDITS_ANOTHER_RECORD(WrongReports.CreditedToTheNeighbour::new, "Receipts"),
    COUNTS_A_FAILED_RECORD_AS_DONE(WrongReports.FailedIsDone::new, "NothingLost", "Status"),
    ACCEPTS_A_SECOND_REPORT(WrongReports.AlwaysAccepted::new, "Receipts"),
    STARTS_WHAT_IS_GONE(WrongReports.AlwaysStarted::new, "Receipts"),
    IGNORES_HOLES(WrongPolls.NoHoles::new, "Status", "LeaderEpochs"),
    PASSES_WHAT_IS_INCOMPLETE_WHEN_A_LOG_IS_CUT(
            WrongPolls.NotReadAgain::new, "Status", "NothingLost", "Bounds", "LeaderEpochs"),
    LOSES_A_WAKEUP(WrongPolls.LostWakeup::new, "Exceptions"),
    LOSES_A_PAUSE(WrongPolls.LostPause::new, "Pauses", "Bounds"),
    KEEPS_A_PAUSE(WrongPolls.LostResume::new, "Pauses"),
    RESUMES_WHAT_THE_USER_PAUSED(WrongPolls.ResumesAll::new, "Pauses", "Bounds"),
    WORKS_ON_TWO_OF_A_KEY_AT_ONCE(WrongWork.NoOrder::new, "WorkInOrder"),
    FORGETS_A_WAITING_RETRY(WrongWork.ForgetsTheWaitingRetry::new, "WorkInOrder"),
    WORKS_ON_WHAT_IS_GONE(WrongWork.StartsWhatIsGone::new, "NoLateStart"),
    COUNTS_A_FAILED_ATTEMPT_AS_DONE(WrongWork.FailedIsDone::new, "NothingLost", "Status", "Bounds"),
    SKIPS_WHAT_SHOULD_STOP(WrongWork.SkipsWhatStops::new, "NothingLost", "Status", "NoLateStart", "WorkInOrder"),
    NEVER_TRIES_AGAIN(WrongWork.ForgetsTheRetry::new, "Liveness"),
    STORES_A_MAP_SHIFTED_BY_ONE(WrongMaps.ShiftedByOne::new, "MapsAreTrue", "MapsAreKept", "LeftOut"),
    STORES_A_MAP_OF_ANOTHER_OFFSET(WrongMaps.OfAnotherOffset::new, "MapsAreTrue", "MapsAreKept", "LeftOut"),
    STORES_A_MAP_OF_WHAT_IS_UNFINISHED(WrongMaps.NamesTheUnfinished::new, "MapsAreTrue", "LeftOut"),
    BELIEVES_A_MAP_WHATEVER_THE_EPOCH(WrongMaps.BlindToEpochs::new, "LeftOut"),
    STORES_MAPS_NOT_BOUND_TO_THE_LOG(WrongMaps.NotBoundToTheLog::new, "LeftOut", "MapsAreKept"),
    LOOKS_THE_LOG_UP_ONLY_ONCE(WrongMaps.LookedUpOnce::new, "LeftOut"),
    DROPS_THE_MAP_WITH_A_KEEP_ALIVE(WrongMaps.DroppedByKeepAlive::new, "MapsAreKept");

    final Supplier<Tampering> tamperings;

    /** Any of these may be the first to see it. */
    final Set<String> checkers;

    KnownWrong(Supplier<Tampering> tamperings, String... checkers) {
        this.tamperings = tamperings;
        this.checkers = Set.of(checkers);
    }
}
