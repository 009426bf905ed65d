package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What failure policies say, as the values that they are. */
class RetryPolicyTest {
    private static final Exception ERROR = new IOException("error");

    private static RecordFailure failure(long offset, int attempts, Duration sinceFirst, Throwable error) {
        return new RecordFailure(P0, offset, attempts, sinceFirst, error);
    }

    private static RecordFailure failure(int attempts) {
        return failure(0, attempts, Duration.ZERO, ERROR);
    }

    private static long delayMillis(FailurePolicy policy, RecordFailure failure) {
        return ((FailureAction.RetryAfter) policy.onFailure(failure)).delay().toMillis();
    }

    @Test
    void byDefault_tenAttempts_thenTheConsumerStops() {
        FailurePolicy policy = FailurePolicy.retry();

        assertThat(policy.onFailure(failure(9))).isInstanceOf(FailureAction.RetryAfter.class);
        assertThat(policy.onFailure(failure(10))).isEqualTo(FailureAction.stopConsumer());
    }

    @Test
    void delays_doubleUpToTheLongest_giveOrTakeAFifth() {
        FailurePolicy policy =
                FailurePolicy.retry().attempts(100).backoff(Duration.ofMillis(100), Duration.ofSeconds(1));
        long[] expected = {100, 200, 400, 800, 1_000, 1_000};

        for (int attempt = 1; attempt <= expected.length; attempt++) {
            long about = expected[attempt - 1];
            for (long offset = 0; offset < 100; offset++) {
                assertThat(delayMillis(policy, failure(offset, attempt, Duration.ZERO, ERROR)))
                        .isCloseTo(about, within(about / 5));
            }
        }
        assertThat(delayMillis(policy, failure(99))).isCloseTo(1_000, within(200L));
    }

    @Test
    void delays_differBetweenRecordsAndAttempts_andAreTheSameWhenAskedAgain() {
        FailurePolicy policy = FailurePolicy.retry().backoff(Duration.ofSeconds(1), Duration.ofSeconds(1));
        Set<Long> delays = new HashSet<>();
        for (long offset = 0; offset < 100; offset++) {
            delays.add(delayMillis(policy, failure(offset, 1, Duration.ZERO, ERROR)));
        }

        assertThat(delays).hasSizeGreaterThan(60);
        assertThat(delays).anyMatch(delay -> delay < 850).anyMatch(delay -> delay > 1_150);
        assertThat(delayMillis(policy, failure(1))).isNotEqualTo(delayMillis(policy, failure(2)));
        assertThat(policy.onFailure(failure(1))).isEqualTo(policy.onFailure(failure(1)));
    }

    @Test
    void noDelay_isNone() {
        FailurePolicy policy = FailurePolicy.retry().backoff(Duration.ZERO, Duration.ofSeconds(1));

        assertThat(delayMillis(policy, failure(9))).isZero();
    }

    @Test
    void within_noAttemptBeginsLater() {
        FailurePolicy policy = FailurePolicy.retry()
                .within(Duration.ofSeconds(10))
                .backoff(Duration.ofSeconds(1), Duration.ofSeconds(1))
                .thenStopPartition();

        assertThat(policy.onFailure(failure(0, 50, Duration.ofMillis(8_700), ERROR)))
                .isInstanceOf(FailureAction.RetryAfter.class);
        assertThat(policy.onFailure(failure(0, 1, Duration.ofMillis(9_300), ERROR)))
                .isEqualTo(FailureAction.stopPartition());
    }

    @Test
    void attemptsAndWithin_theFirstLimitCounts() {
        FailurePolicy policy =
                FailurePolicy.retry().attempts(3).within(Duration.ofHours(1)).thenSkip("enough");

        assertThat(policy.onFailure(failure(3))).isEqualTo(FailureAction.skip("enough"));
    }

    @Test
    void oneAttempt_isNoRetry() {
        assertThat(FailurePolicy.retry().attempts(1).onFailure(failure(1))).isEqualTo(FailureAction.stopConsumer());
    }

    @Test
    void longestBackoffs_areNoProblem() {
        Duration year = Duration.ofDays(365);
        FailurePolicy policy = FailurePolicy.retry().attempts(Integer.MAX_VALUE).backoff(year, year.multipliedBy(200));

        assertThat(delayMillis(policy, failure(1_000_000))).isPositive();
    }

    @Test
    void backoffWithoutAnEnd_growsOn() {
        Duration forEver = ChronoUnit.FOREVER.getDuration();
        FailurePolicy policy =
                FailurePolicy.retry().attempts(Integer.MAX_VALUE).backoff(Duration.ofSeconds(1), forEver);
        FailurePolicy never = FailurePolicy.retry().backoff(forEver, forEver);

        assertThat(delayMillis(policy, failure(4))).isBetween(6_400L, 9_600L);
        assertThat(delayMillis(never, failure(1)))
                .isGreaterThan(Duration.ofDays(365).toMillis());
    }

    @Test
    void when_decidesForATypeAndItsSubclasses() {
        FailurePolicy policy = FailurePolicy.retry().when(IOException.class, FailurePolicy.skip("io"));

        assertThat(policy.onFailure(failure(0, 1, Duration.ZERO, new FileNotFoundException())))
                .isEqualTo(FailureAction.skip("io"));
        assertThat(policy.onFailure(failure(0, 1, Duration.ZERO, new IllegalStateException(new IOException()))))
                .isInstanceOf(FailureAction.RetryAfter.class);
    }

    @Test
    void several_theFirstWhoseTypeFitsDecides() {
        FailurePolicy policy = FailurePolicy.stopConsumer()
                .when(FileNotFoundException.class, FailurePolicy.skip("not found"))
                .when(IOException.class, FailurePolicy.stopPartition());

        assertThat(policy.onFailure(failure(0, 1, Duration.ZERO, new FileNotFoundException())))
                .isEqualTo(FailureAction.skip("not found"));
        assertThat(policy.onFailure(failure(1))).isEqualTo(FailureAction.stopPartition());
    }

    @Test
    void whenThatWouldNeverDecide_isRefused() {
        FailurePolicy policy = FailurePolicy.retry().when(IOException.class, FailurePolicy.skip("io"));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.when(FileNotFoundException.class, FailurePolicy.stopPartition()))
                .withMessage(
                        "when(FileNotFoundException) would never decide, since when(IOException) comes before it and"
                                + " covers it: name FileNotFoundException first");
    }

    @Test
    void policies_readLikeTheSentenceThatMadeThem() {
        assertThat(FailurePolicy.retry()
                        .attempts(5)
                        .within(Duration.ofMinutes(1))
                        .thenSkip("hopeless")
                        .when(IOException.class, FailurePolicy.stopPartition()))
                .hasToString("retry, 5 attempts, within PT1M, backing off from PT0.1S to PT10S, then skip: hopeless;"
                        + " when IOException: stop the partition");
        assertThat(FailurePolicy.retry())
                .hasToString("retry, 10 attempts, backing off from PT0.1S to PT10S, then stop the consumer");
    }

    @Test
    void badArguments_areRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FailurePolicy.retry().attempts(0))
                .withMessage("attempts(0): it must be one or more, the first attempt included");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FailurePolicy.retry().within(Duration.ZERO))
                .withMessage("within(PT0S): the duration must be more than zero");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FailurePolicy.retry().backoff(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .withMessage(
                        "backoff(PT2S, PT1S): the first delay must be zero or more, and the longest no shorter than"
                                + " the first");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FailureAction.retryAfter(Duration.ofMillis(-1)))
                .withMessage("retryAfter(PT-0.001S): the delay must be zero or more");
    }
}
