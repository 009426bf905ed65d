package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Consuming goes on elsewhere than where it would have: that is told, and what is stored follows. */
class PositionJumpTest {
    private final EventLog log = new EventLog();

    private Rig resetting(String reset, TopicPartition... partitions) {
        Map<String, Object> config = reset.equals("latest") ? Rig.CONFIG_LATEST : Rig.CONFIG;
        Rig rig = Rig.with(
                        config,
                        builder -> builder.commitPolicy(CommitPolicy.afterProcessing())
                                .listener(log))
                .subscribed(partitions);
        rig.kafka.checksRange = true;
        rig.kafka.topicInMetrics = topic -> topic;
        return rig;
    }

    private Iterable<String> jumps() {
        return log.events.stream().filter(event -> event.startsWith("jumped")).toList();
    }

    private static void settle(Rig rig) {
        for (int turn = 0; turn < 5; turn++) {
            rig.poll(Duration.ofSeconds(1));
        }
    }

    @Test
    void storedBelowTheLog_resetEarliest_jumpsAheadToItsBeginning() {
        Rig rig = resetting("earliest", P0);
        rig.kafka.storedOffset(P0, 5);
        rig.kafka.records(P0, 10, 19);
        rig.kafka.delete(P0, 10);
        settle(rig);

        assertThat(jumps()).containsExactly("jumped topic-0 5 -> 10");
        rig.completeAll(P0, 10, 12);
        rig.poll();
        assertThat(rig.stored(P0)).isEqualTo(13);
    }

    @Test
    void storedBelowAnEmptyLog_resetEarliest_jumpsAheadAndIsStored() {
        Rig rig = resetting("earliest", P0);
        rig.kafka.storedOffset(P0, 5);
        rig.kafka.logEnd(P0, 10, Optional.empty());
        rig.kafka.delete(P0, 10);
        settle(rig);

        assertThat(jumps()).containsExactly("jumped topic-0 5 -> 10");
        assertThat(rig.stored(P0)).isEqualTo(10);
    }

    @Test
    void storedBelowTheLog_resetLatest_jumpsAheadToItsEndAndThatIsStored() {
        Rig rig = resetting("latest", P0);
        rig.kafka.storedOffset(P0, 5);
        rig.kafka.records(P0, 10, 19);
        rig.kafka.delete(P0, 10);
        settle(rig);

        assertThat(jumps()).containsExactly("jumped topic-0 5 -> 20");
        assertThat(rig.stored(P0)).isEqualTo(20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"earliest", "latest"})
    void storedAboveTheLog_jumpsBackAndThatIsStored(String reset) {
        Rig rig = resetting(reset, P0);
        rig.kafka.storedOffset(P0, 50);
        rig.kafka.records(P0, 0, 9);
        settle(rig);

        int to = reset.equals("earliest") ? 0 : 10;
        assertThat(jumps()).containsExactly("jumped topic-0 50 -> " + to);
        assertThat(rig.stored(P0)).isEqualTo(to);
    }

    @Test
    void storedInRange_isNoJump() {
        for (String reset : new String[] {"earliest", "latest"}) {
            Rig rig = resetting(reset, P0, P1);
            rig.kafka.storedOffset(P0, 5);
            rig.kafka.storedOffset(P1, 10);
            rig.kafka.records(P0, 0, 9);
            rig.kafka.records(P1, 0, 9);
            settle(rig);
        }

        assertThat(jumps()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"earliest", "latest"})
    void nothingStored_isNoJump(String reset) {
        Rig rig = resetting(reset, P0);
        rig.kafka.records(P0, 10, 19);
        rig.kafka.delete(P0, 10);
        settle(rig);

        assertThat(jumps()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"earliest", "latest"})
    void firstPollEndsBeforeTheFetchIsAnswered_theJumpIsStillToldAndStored(String reset) {
        Rig rig = resetting(reset, P0);
        rig.kafka.storedOffset(P0, 5);
        rig.kafka.logEnd(P0, 5, Optional.empty());
        rig.tick();
        rig.kafka.logEnd(P0, 20, Optional.empty());
        rig.kafka.delete(P0, reset.equals("earliest") ? 20 : 10);
        settle(rig);

        assertThat(jumps()).containsExactly("jumped topic-0 5 -> 20");
        assertThat(rig.stored(P0)).isEqualTo(20);
    }

    @Test
    void resetInBetweenWhileAnotherPartitionIsBusy_isToldAndStored() {
        Rig rig = resetting("latest", P0, P1);
        rig.kafka.storedOffset(P0, 0);
        rig.kafka.storedOffset(P1, 0);
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        rig.completeAll(P0, 0, 4);
        rig.kafka.records(P0, 5, 19);
        rig.kafka.delete(P0, 10);
        for (long offset = 0; offset < 5; offset++) {
            rig.kafka.records(P1, offset, offset);
            assertThat(Rig.names(rig.poll())).containsExactly("topic-1@" + offset);
        }

        assertThat(jumps()).containsExactly("jumped topic-0 5 -> 20");
        assertThat(rig.stored(P0)).isEqualTo(20);
    }

    @Test
    void deletedBeforeTheyWereRead_jumpsAheadToWhereTheLogStarts() {
        Rig rig = resetting("earliest", P0, P1);
        rig.kafka.records(P0, 0, 4);
        rig.kafka.records(P1, 0, 4);
        rig.poll();
        rig.kafka.records(P0, 5, 99);
        rig.kafka.delete(P0, 50);
        settle(rig);

        assertThat(jumps()).containsExactly("jumped topic-0 5 -> 50");
    }

    @Test
    void deletedBeforeTheyWereRead_whatIsBeingWorkedOnStillCounts() {
        Rig rig = resetting("earliest", P0);
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        rig.kafka.records(P0, 5, 99);
        rig.kafka.delete(P0, 50);
        settle(rig);
        assertThat(rig.stored(P0)).isNull();
        rig.completeAll(P0, 0, 4);
        rig.poll();
        rig.completeAll(P0, 50, 59);
        rig.poll();

        assertThat(rig.sent(P0)).containsExactly(50L, 60L);
    }

    @Test
    void deletedUpToAHole_jumpsToTheStartOfTheLogNotToTheRecord() {
        Rig rig = resetting("earliest", P0);
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        rig.kafka.records(P0, 60, 69);
        rig.kafka.delete(P0, 50);
        assertThat(Rig.offsets(rig.poll())).isEmpty();
        assertThat(rig.poll()).hasSize(10);

        assertThat(jumps()).containsExactly("jumped topic-0 5 -> 50");
    }

    @Test
    void compactedHoles_areNoJump() {
        Rig rig = resetting("earliest", P0);
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        rig.kafka.records(P0, 50, 54);
        rig.poll();
        rig.kafka.records(P0, 100, 104);
        rig.kafka.logEnd(P0, 200, Optional.empty());
        settle(rig);

        assertThat(jumps()).isEmpty();
    }

    @Test
    void deletedBelowWhatWasRead_isNoJump() {
        Rig rig = resetting("earliest", P0);
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        rig.kafka.delete(P0, 5);
        rig.kafka.records(P0, 50, 54);
        settle(rig);

        assertThat(jumps()).isEmpty();
    }

    @Test
    void consumerWithoutTheMetric_holesAreNotTakenForDeletion() {
        Rig rig = resetting("earliest", P0);
        rig.kafka.topicInMetrics = null;
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        rig.kafka.records(P0, 5, 99);
        rig.kafka.delete(P0, 50);
        settle(rig);

        assertThat(jumps()).isEmpty();
        rig.completeAll(P0, 0, 4);
        rig.completeAll(P0, 50, 99);
        rig.poll();
        assertThat(rig.stored(P0)).isEqualTo(100);
    }

    @Test
    void revokedAndAssignedAgain_theNewMetricCounts() {
        Rig rig = resetting("earliest", P0);
        rig.kafka.records(P0, 0, 4);
        rig.poll();
        rig.kafka.records(P0, 10, 14);
        rig.poll();
        rig.completeAll(P0, 0, 4);
        rig.completeAll(P0, 10, 14);
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively());
        rig.tick();
        rig.kafka.insideNextPoll(() -> rig.kafka.rebalanceCooperatively(P0));
        rig.tick();
        assertThat(jumps()).isEmpty();
        rig.kafka.records(P0, 15, 99);
        rig.kafka.delete(P0, 50);
        settle(rig);

        assertThat(jumps()).containsExactly("jumped topic-0 15 -> 50");
    }

    @Test
    void topicWithDots_underTheNameItHasInMetrics() {
        // Clients before 4.1 put underscores there.
        for (boolean underscores : new boolean[] {false, true}) {
            log.events.clear();
            TopicPartition dotted = new TopicPartition("orders.eu", 0);
            Rig rig = resetting("earliest", dotted);
            rig.kafka.topicInMetrics = topic -> underscores ? topic.replace('.', '_') : topic;
            rig.kafka.records(dotted, 0, 4);
            rig.poll();
            rig.kafka.records(dotted, 5, 99);
            rig.kafka.delete(dotted, 50);
            settle(rig);

            assertThat(jumps()).containsExactly("jumped orders.eu-0 5 -> 50");
        }
    }

    @Test
    void sought_isNoJump() {
        Rig rig = resetting("earliest", P0);
        rig.kafka.records(P0, 0, 99);
        rig.poll();
        rig.consumer.seek(P0, 90);
        settle(rig);
        rig.consumer.seek(P0, 10);
        settle(rig);
        rig.consumer.seekToEnd(List.of(P0));
        settle(rig);

        assertThat(jumps()).isEmpty();
    }

    @Test
    void truncatedBelowTheUnfinished_jumpsBackOnce() {
        Rig rig = resetting("earliest", P0);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 0, 6);
        rig.poll();
        rig.kafka.truncate(P0, 4);
        rig.kafka.movePosition(P0, 4);
        rig.kafka.records(P0, 4, 5);
        assertThat(Rig.names(rig.poll())).containsExactly("topic-0@4", "topic-0@5");
        rig.complete(P0, 4);
        settle(rig);

        assertThat(jumps()).containsExactly("jumped topic-0 10 -> 4");
        assertThat(rig.stored(P0)).isEqualTo(5);
    }

    @Test
    void movedBackAboveAnUnfinishedRecord_jumpsToThatRecord() {
        Rig rig = resetting("earliest", P0);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 0, 1);
        rig.poll();
        rig.kafka.truncate(P0, 6);
        rig.kafka.movePosition(P0, 5);
        rig.tick();
        assertThat(Rig.offsets(rig.poll())).containsExactly(2L, 3L, 4L, 5L);

        assertThat(jumps()).containsExactly("jumped topic-0 10 -> 2");
    }

    /** Seeks when it is told of a jump. */
    private Rig seekingWhenToldOfAJump(long offset) {
        Rig[] told = new Rig[1];
        told[0] = Rig.with(builder -> builder.commitPolicy(CommitPolicy.afterProcessing())
                .listener(new TrackedConsumerListener() {
                    @Override
                    public void onPositionJumped(TopicPartition partition, long from, long to) {
                        log.onPositionJumped(partition, from, to);
                        told[0].consumer.seek(partition, offset);
                    }
                }));
        told[0].kafka.checksRange = true;
        told[0].kafka.topicInMetrics = topic -> topic;
        return told[0].subscribed(P0);
    }

    @Test
    void listenerThatSeeksWhenToldOfAJumpAhead_wins() {
        Rig rig = seekingWhenToldOfAJump(15);
        rig.kafka.storedOffset(P0, 5);
        rig.kafka.records(P0, 10, 19);
        rig.kafka.delete(P0, 10);
        List<Long> delivered = new ArrayList<>();
        for (int turn = 0; turn < 5; turn++) {
            delivered.addAll(Rig.offsets(rig.poll()));
        }

        assertThat(delivered).containsExactly(15L, 16L, 17L, 18L, 19L);
        assertThat(jumps()).containsExactly("jumped topic-0 5 -> 10");
        rig.complete(P0, 15);
        rig.tick();
        assertThat(rig.stored(P0)).isEqualTo(16);
    }

    @Test
    void listenerThatSeeksWhenToldOfRecordsDeletedUnread_wins() {
        Rig rig = seekingWhenToldOfAJump(15);
        rig.kafka.records(P0, 0, 2);
        rig.poll();
        rig.completeAll(P0, 0, 2);
        rig.kafka.records(P0, 10, 19);
        rig.kafka.delete(P0, 10);
        rig.kafka.movePosition(P0, 10);
        rig.tick();

        assertThat(Rig.offsets(rig.poll())).containsExactly(15L, 16L, 17L, 18L, 19L);
        assertThat(jumps()).containsExactly("jumped topic-0 3 -> 10");
    }

    @Test
    void listenerThatSeeksWhenToldOfAJumpBack_wins() {
        Rig rig = seekingWhenToldOfAJump(1);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 0, 9);
        rig.tick();
        rig.kafka.truncate(P0, 4);
        rig.kafka.records(P0, 4, 6);
        rig.kafka.movePosition(P0, 4);
        rig.tick();

        assertThat(Rig.offsets(rig.poll())).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(jumps()).containsExactly("jumped topic-0 10 -> 4");
        rig.tick();
        assertThat(rig.stored(P0)).isEqualTo(1);
    }

    @Test
    void listenerThatSeeksWhenToldOfAJumpToAnUnfinishedRecord_wins() {
        Rig rig = seekingWhenToldOfAJump(1);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 0, 2);
        rig.tick();
        rig.kafka.truncate(P0, 6);
        rig.kafka.movePosition(P0, 5);
        rig.tick();

        assertThat(Rig.offsets(rig.poll())).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(jumps()).containsExactly("jumped topic-0 10 -> 3");
    }
}
