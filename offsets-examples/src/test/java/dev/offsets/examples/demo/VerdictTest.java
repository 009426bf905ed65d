package dev.offsets.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A correct run of twenty records on two partitions, of which the last of each was aborted; then one thing at a time is
 * wrong with it. The consumer was killed when partition 0 was held back at its offset 2 and 1 had committed 3 of 5.
 */
class VerdictTest {
    private static final int END = 11;

    private final List<Produced> produced = new ArrayList<>();
    private final List<Processed> processed = new ArrayList<>();
    private final Map<Integer, GroupOffset> atKill = new TreeMap<>();
    private final Map<Integer, GroupOffset> atEnd = new TreeMap<>();

    private boolean asPlanned = true;

    @BeforeEach
    void aCorrectRun() {
        for (int partition = 0; partition < 2; partition++) {
            for (int offset = 0; offset < 10; offset++) {
                produced.add(new Produced(id(partition, offset), partition, offset, offset != 9));
            }
        }
        process(1, 0, 0, 1, 3, 4, 5);
        process(1, 1, 0, 1, 2, 3, 4);
        atKill.put(0, new GroupOffset(OptionalLong.of(2), END));
        atKill.put(1, new GroupOffset(OptionalLong.of(3), END));
        process(2, 0, 2, 3, 4, 5, 6, 7, 8);
        process(2, 1, 3, 4, 5, 6, 7, 8);
        atEnd.put(0, new GroupOffset(OptionalLong.of(END), END));
        atEnd.put(1, new GroupOffset(OptionalLong.of(END), END));
    }

    @Test
    void aCorrectRun_passes_andItsDuplicatesAreExplained() {
        Verdict verdict = verdict();

        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.expected()).isEqualTo(18);
        assertThat(verdict.lost()).isEmpty();
        assertThat(verdict.beyondSlow()).isEqualTo(3);
        assertThat(verdict.notYetCommitted()).isEqualTo(2);
        assertThat(verdict.againForOtherReason()).isZero();
        assertThat(verdict.processedTwice()).isEqualTo(5);
        assertThat(verdict.lag()).isEqualTo("0");
    }

    @Test
    void theSlowRecordCommittedUnfinished_isALossBehindTheCommit() {
        atKill.put(0, new GroupOffset(OptionalLong.of(3), END));
        processed.remove(new Processed(id(0, 2), 0, 2, 2));

        Verdict verdict = verdict();

        assertThat(verdict.passed()).isFalse();
        assertThat(verdict.lost()).containsExactly(new Produced(id(0, 2), 0, 2, true));
        assertThat(verdict.lostBehindCommit()).isEqualTo(1);
    }

    @Test
    void aRecordSkippedAfterTheRestart_isALoss() {
        processed.remove(new Processed(id(1, 8), 1, 8, 2));

        Verdict verdict = verdict();

        assertThat(verdict.passed()).isFalse();
        assertThat(verdict.lost()).containsExactly(new Produced(id(1, 8), 1, 8, true));
        assertThat(verdict.lostBehindCommit()).isZero();
    }

    @Test
    void nothingProcessed_losesEverything() {
        processed.clear();

        assertThat(verdict().lost()).hasSize(18);
        assertThat(verdict().passed()).isFalse();
    }

    @Test
    void aRecordReadAgainThoughCommitted_isADuplicateForAnotherReason() {
        process(2, 1, 0);

        Verdict verdict = verdict();

        assertThat(verdict.againForOtherReason()).isEqualTo(1);
        assertThat(verdict.passed()).isTrue();
    }

    @Test
    void aRecordProcessedTwiceByOneProcess_isADuplicateForAnotherReason() {
        process(2, 0, 7);

        assertThat(verdict().againForOtherReason()).isEqualTo(1);
    }

    @Test
    void anAbortedRecordProcessed_fails() {
        process(2, 0, 9);

        Verdict verdict = verdict();

        assertThat(verdict.aborted()).isEqualTo(1);
        assertThat(verdict.passed()).isFalse();
    }

    @Test
    void anEntryThatWasNeverProduced_fails_andCountsForNoRecord() {
        processed.remove(new Processed(id(1, 8), 1, 8, 2));
        processed.add(new Processed(id(1, 8), 1, 7, 2));
        processed.add(new Processed(999, 1, 8, 2));

        Verdict verdict = verdict();

        assertThat(verdict.unknown()).isEqualTo(2);
        assertThat(verdict.lost()).hasSize(1);
        assertThat(verdict.passed()).isFalse();
    }

    @Test
    void committedBelowTheEnd_fails_withThatLag() {
        atEnd.put(1, new GroupOffset(OptionalLong.of(9), END));

        assertThat(verdict().passed()).isFalse();
        assertThat(verdict().lag()).isEqualTo("2");
    }

    @Test
    void committedBeyondTheEnd_fails_andIsNoLag() {
        atEnd.put(1, new GroupOffset(OptionalLong.of(END + 1), END));

        assertThat(verdict().passed()).isFalse();
        assertThat(verdict().lag()).isEqualTo("unknown");
    }

    @Test
    void neverCommitted_fails_withAnUnknownLag() {
        atEnd.put(1, new GroupOffset(OptionalLong.empty(), END));

        assertThat(verdict().passed()).isFalse();
        assertThat(verdict().lag()).isEqualTo("unknown");
    }

    @Test
    void killedBeforeTheFirstCommit_readsEverythingAgain() {
        atKill.put(1, new GroupOffset(OptionalLong.empty(), END));
        process(2, 1, 0, 1, 2);

        Verdict verdict = verdict();

        assertThat(verdict.notYetCommitted()).isEqualTo(5);
        assertThat(verdict.againForOtherReason()).isZero();
        assertThat(verdict.passed()).isTrue();
    }

    @Test
    void aConsumerThatStoppedByItself_fails() {
        asPlanned = false;

        assertThat(verdict().passed()).isFalse();
    }

    private Verdict verdict() {
        Produced slow = new Produced(id(0, 2), 0, 2, true);
        return Verdict.of(produced, processed, slow, atKill, atEnd, asPlanned);
    }

    private void process(int run, int partition, int... offsets) {
        for (int offset : offsets) {
            processed.add(new Processed(id(partition, offset), partition, offset, run));
        }
    }

    private static long id(int partition, int offset) {
        return 2L * offset + partition;
    }
}
