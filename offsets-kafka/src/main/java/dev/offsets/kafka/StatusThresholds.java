package dev.offsets.kafka;

import java.time.Duration;

/**
 * When a partition's state counts as what it looks like: the times and windows by which {@link PartitionStatus} is
 * concluded. {@link #DEFAULTS}, changed one by one:
 *
 * <pre>{@code
 * StatusThresholds.DEFAULTS.withBlockedAfter(Duration.ofMinutes(10))
 * }</pre>
 *
 * <p>Each is more than zero, but for {@code settledAfter}, which may be zero.
 *
 * @param blockedAfter how long a record is incomplete before it counts as blocking what has finished beyond it: longer than
 *     a record takes; 1 minute by default
 * @param stalledAfter how long nothing finishes, with work in flight, before that counts as stalled; 1 minute by default
 * @param starvedAfter how long nothing is read, with something to read and nothing in flight, before that counts as
 *     starved; 1 minute by default
 * @param commitFailingAfter how long commits fail before that counts: shorter troubles heal by themselves; 30 seconds by
 *     default
 * @param fallingBehindWindow over how long the work that remains has to have grown; 5 minutes by default. It has when the
 *     least of the window's newer half is above the most of its older half
 * @param openTransactionAfter how long an open transaction holds back what follows before that is told; 1 minute by default,
 *     which is how long Kafka lets a transaction run by default
 * @param dataLossShownFor how long a loss of data is shown after it happened; 5 minutes by default
 * @param settledAfter how long a status has to be better before listener and log are told; 1 minute by default. One that
 *     is worse is told at once
 */
public record StatusThresholds(
        Duration blockedAfter,
        Duration stalledAfter,
        Duration starvedAfter,
        Duration commitFailingAfter,
        Duration fallingBehindWindow,
        Duration openTransactionAfter,
        Duration dataLossShownFor,
        Duration settledAfter) {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** What is used where nothing else is set. */
    public static final StatusThresholds DEFAULTS = new StatusThresholds(
            MINUTE,
            MINUTE,
            MINUTE,
            Duration.ofSeconds(30),
            Duration.ofMinutes(5),
            MINUTE,
            Duration.ofMinutes(5),
            MINUTE);

    public StatusThresholds {
        checkPositive("blockedAfter", blockedAfter);
        checkPositive("stalledAfter", stalledAfter);
        checkPositive("starvedAfter", starvedAfter);
        checkPositive("commitFailingAfter", commitFailingAfter);
        checkPositive("fallingBehindWindow", fallingBehindWindow);
        checkPositive("openTransactionAfter", openTransactionAfter);
        checkPositive("dataLossShownFor", dataLossShownFor);
        if (settledAfter == null || settledAfter.isNegative()) {
            throw new IllegalArgumentException("settledAfter is " + settledAfter + ": it must be zero or more");
        }
    }

    private static void checkPositive(String name, Duration duration) {
        if (duration == null || duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + " is " + duration + ": it must be more than zero");
        }
    }

    /** The same with another {@code blockedAfter}. */
    public StatusThresholds withBlockedAfter(Duration duration) {
        return new StatusThresholds(
                duration,
                stalledAfter,
                starvedAfter,
                commitFailingAfter,
                fallingBehindWindow,
                openTransactionAfter,
                dataLossShownFor,
                settledAfter);
    }

    /** The same with another {@code stalledAfter}. */
    public StatusThresholds withStalledAfter(Duration duration) {
        return new StatusThresholds(
                blockedAfter,
                duration,
                starvedAfter,
                commitFailingAfter,
                fallingBehindWindow,
                openTransactionAfter,
                dataLossShownFor,
                settledAfter);
    }

    /** The same with another {@code starvedAfter}. */
    public StatusThresholds withStarvedAfter(Duration duration) {
        return new StatusThresholds(
                blockedAfter,
                stalledAfter,
                duration,
                commitFailingAfter,
                fallingBehindWindow,
                openTransactionAfter,
                dataLossShownFor,
                settledAfter);
    }

    /** The same with another {@code commitFailingAfter}. */
    public StatusThresholds withCommitFailingAfter(Duration duration) {
        return new StatusThresholds(
                blockedAfter,
                stalledAfter,
                starvedAfter,
                duration,
                fallingBehindWindow,
                openTransactionAfter,
                dataLossShownFor,
                settledAfter);
    }

    /** The same with another {@code fallingBehindWindow}. */
    public StatusThresholds withFallingBehindWindow(Duration duration) {
        return new StatusThresholds(
                blockedAfter,
                stalledAfter,
                starvedAfter,
                commitFailingAfter,
                duration,
                openTransactionAfter,
                dataLossShownFor,
                settledAfter);
    }

    /** The same with another {@code openTransactionAfter}. */
    public StatusThresholds withOpenTransactionAfter(Duration duration) {
        return new StatusThresholds(
                blockedAfter,
                stalledAfter,
                starvedAfter,
                commitFailingAfter,
                fallingBehindWindow,
                duration,
                dataLossShownFor,
                settledAfter);
    }

    /** The same with another {@code dataLossShownFor}. */
    public StatusThresholds withDataLossShownFor(Duration duration) {
        return new StatusThresholds(
                blockedAfter,
                stalledAfter,
                starvedAfter,
                commitFailingAfter,
                fallingBehindWindow,
                openTransactionAfter,
                duration,
                settledAfter);
    }

    /** The same with another {@code settledAfter}. */
    public StatusThresholds withSettledAfter(Duration duration) {
        return new StatusThresholds(
                blockedAfter,
                stalledAfter,
                starvedAfter,
                commitFailingAfter,
                fallingBehindWindow,
                openTransactionAfter,
                dataLossShownFor,
                duration);
    }
}
