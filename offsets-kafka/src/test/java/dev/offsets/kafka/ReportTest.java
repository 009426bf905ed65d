package dev.offsets.kafka;

import static dev.offsets.kafka.Rig.P0;
import static dev.offsets.kafka.Rig.P1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.CommitPolicy;
import dev.offsets.kafka.PartitionStatus.Blocked;
import dev.offsets.kafka.PartitionStatus.CommitFailing;
import dev.offsets.kafka.PartitionStatus.DataLoss;
import dev.offsets.kafka.PartitionStatus.Kind;
import dev.offsets.kafka.PartitionStatus.Stalled;
import dev.offsets.kafka.PartitionStatus.Starved;
import dev.offsets.kafka.PartitionStatus.Worker;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.junit.jupiter.api.Test;

/** The report of a running consumer without an Admin: what it knows by itself, and what it tells of changes. */
class ReportTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofSeconds(10);

    private final EventLog log = new EventLog();
    private Rig rig = rig(settings -> settings);

    private Rig rig(UnaryOperator<TrackedConsumerBuilder<String, String>> settings) {
        return Rig.with(builder -> settings.apply(builder.listener(log)
                        .commitPolicy(CommitPolicy.afterProcessing())
                        .explicitStarts()))
                .subscribed(P0, P1);
    }

    private PartitionReport partition() {
        return rig.consumer.report().partitions().get(0);
    }

    private PartitionStatus status() {
        return partition().status();
    }

    /** Turns of the loop, so close that none sleeps over a look. */
    private void goOnFor(Duration duration) {
        for (long millis = 0; millis < duration.toMillis(); millis += 1_000) {
            rig.tick(Duration.ofSeconds(1));
        }
    }

    private List<String> changes() {
        return log.events.stream().filter(event -> event.startsWith("status")).toList();
    }

    @Test
    void reportTellsWhatTheConsumerKnows() {
        rig.kafka.storedOffset(P0, 2);
        rig.kafka.records(P0, 2, 9);
        rig.poll();
        rig.complete(P0, 2, 4, 5);
        rig.kafka.holdAnswers();
        rig.tick();
        GroupReport report = rig.consumer.report();
        PartitionReport partition = report.partitions().get(0);

        assertThat(report.group()).isEqualTo("group");
        assertThat(report.isolationLevel()).isEqualTo(IsolationLevel.READ_UNCOMMITTED);
        assertThat(report.takenAt().toEpochMilli()).isEqualTo(rig.time.wallClockMillis());
        assertThat(report.state()).isEmpty();
        assertThat(report.partitions())
                .extracting(PartitionReport::topicPartition)
                .containsExactly(P0, P1);
        assertThat(partition.position()).hasValue(10);
        assertThat(partition.committableOffset()).hasValue(3);
        assertThat(partition.committedOffset()).hasValue(2);
        assertThat(partition.incomplete()).hasValue(5);
        assertThat(partition.completedAhead()).hasValue(2);
        assertThat(partition.logStart()).isEmpty();
        assertThat(partition.highWatermark()).isEmpty();
        assertThat(partition.lastStableOffset()).isEmpty();
        assertThat(partition.commitLag()).isEmpty();
        assertThat(partition.workRemaining()).isEmpty();
        assertThat(partition.internal()).isFalse();
        assertThat(report.isHealthy()).isTrue();
        rig.kafka.releaseAnswers();
        rig.tick();
        assertThat(partition().committedOffset())
                .as("confirmed in the turn after")
                .hasValue(3);
    }

    @Test
    void committedOffset_isKnownFromTheAssignmentOnAndSurvivesASeek() {
        rig.kafka.storedOffset(P0, 2);
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        assertThat(partition().committedOffset()).hasValue(2);

        rig.consumer.seek(P0, 0);
        assertThat(partition().committedOffset()).hasValue(2);
        assertThat(rig.consumer.report().partitions().get(1).committedOffset())
                .as("nothing was ever committed")
                .isEmpty();
    }

    @Test
    void positionNotKnownYet_isSaid() {
        rig.kafka.insideNextPoll(
                () -> assertThat(rig.consumer.report().partitions()).isNotEmpty());
        rig.tick();
        rig.consumer.seekToEnd(List.of(P0));

        assertThat(status().kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(status().evidence()).isEqualTo("the position is not known yet");
        assertThat(partition().position()).isEmpty();
    }

    @Test
    void timeLag_isThatOfTheLowestIncompleteRecord() {
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.time.advance(MINUTE);
        long sinceTheEpoch = rig.time.wallClockMillis();

        assertThat(partition().timeLag()).contains(Duration.ofMillis(sinceTheEpoch));
        rig.completeAll(P0, 0, 9);
        rig.tick();
        assertThat(partition().timeLag()).as("the end is not known").isEmpty();
    }

    @Test
    void blocked_namesTheRecordItsAgeAndWhatWaitsForIt() {
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 0, 2);
        rig.completeAll(P0, 4, 9);
        rig.tick(MINUTE);
        Blocked blocked = (Blocked) status();

        assertThat(blocked.offset()).isEqualTo(3);
        assertThat(blocked.age()).isGreaterThanOrEqualTo(MINUTE);
        assertThat(blocked.completedBeyond()).isEqualTo(6);
        assertThat(blocked.worker()).isEmpty();
        assertThat(rig.consumer.report().isHealthy()).isFalse();
        assertThat(rig.consumer.report().worst().orElseThrow().topicPartition()).isEqualTo(P0);
        rig.complete(P0, 3);
        rig.tick();
        assertThat(rig.consumer.report().isHealthy()).isTrue();
    }

    @Test
    void blockedByStartedWork_showsItsThreadAndStack() throws InterruptedException {
        rig.kafka.records(P0, 0, 9);
        TrackedRecord<String, String> hanging = rig.poll().get(0);
        rig.completeAll(P0, 1, 9);
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread thread = new Thread(() -> hangIn(hanging, started, end), "worker-3");
        thread.start();
        started.await();
        rig.tick(MINUTE);
        Worker worker = ((Blocked) status()).worker().orElseThrow();

        assertThat(worker.thread()).isEqualTo("worker-3");
        assertThat(worker.stack()).extracting(StackTraceElement::getMethodName).contains("hangIn", "await");
        assertThat(rig.consumer.report().toTable())
                .contains("Its work was started by thread worker-3, which is now here:\n      at ")
                .contains("ReportTest.hangIn");
        end.countDown();
        thread.join();
        rig.tick();
        assertThat(status().kind()).isNotEqualTo(Kind.BLOCKED);
    }

    private static void hangIn(TrackedRecord<String, String> record, CountDownLatch started, CountDownLatch end) {
        assertThat(record.tryStart()).isTrue();
        started.countDown();
        try {
            end.await();
            record.complete();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void startThroughThePollResult_showsItsThreadToo() {
        rig.kafka.records(P0, 0, 1);
        TrackedRecords<String, String> polled = rig.consumer.poll(Duration.ZERO);
        var records = polled.consumerRecords().records(P0);
        polled.tryStart(records.get(0));
        polled.complete(records.get(1));
        rig.tick(MINUTE);

        assertThat(((Blocked) status()).worker().map(Worker::thread))
                .contains(Thread.currentThread().getName());
    }

    @Test
    void nothingFinishes_isStalled() {
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        goOnFor(MINUTE.plus(LOOK));

        assertThat(status()).isInstanceOfSatisfying(Stalled.class, stalled -> {
            assertThat(stalled.incomplete()).isEqualTo(10);
            assertThat(stalled.offset()).isZero();
            assertThat(stalled.since()).isGreaterThanOrEqualTo(MINUTE);
        });
        rig.complete(P0, 5);
        goOnFor(LOOK.plus(LOOK));
        assertThat(status().kind()).as("something has finished").isEqualTo(Kind.BLOCKED);
    }

    @Test
    void paused_isSaid() {
        rig.tick();
        rig.consumer.pause(List.of(P0));
        assertThat(status().kind()).isEqualTo(Kind.PAUSED);

        rig.consumer.resume(List.of(P0));
        assertThat(status().kind()).isEqualTo(Kind.OK);
    }

    @Test
    void commitsFail_isSaidWithTheCauseAndEndsWithTheFirstThatSucceeds() {
        rig.kafka.records(P0, 0, 0);
        rig.poll();
        rig.complete(P0, 0);
        rig.kafka.failCommitsOf(Rig.TOPIC, () -> new RebalanceInProgressException("still"));
        goOnFor(Duration.ofSeconds(45));

        assertThat(status()).isInstanceOfSatisfying(CommitFailing.class, failing -> {
            assertThat(failing.failures()).isGreaterThan(3);
            assertThat(failing.since()).isGreaterThanOrEqualTo(Duration.ofSeconds(30));
            assertThat(failing.cause()).contains("RebalanceInProgressException: still");
        });
        rig.kafka.healed(Rig.TOPIC);
        goOnFor(Duration.ofSeconds(15));
        assertThat(status().kind()).isEqualTo(Kind.OK);
    }

    @Test
    void commitsFailed_aSeekBeginsAnew() {
        rig.kafka.records(P0, 0, 0);
        rig.poll();
        rig.complete(P0, 0);
        rig.kafka.failCommitsOf(Rig.TOPIC, () -> new RebalanceInProgressException("still"));
        goOnFor(Duration.ofSeconds(45));
        assertThat(status().kind()).isEqualTo(Kind.COMMIT_FAILING);

        rig.consumer.seek(P0, 1);
        assertThat(status().kind()).isEqualTo(Kind.OK);
    }

    @Test
    void recordsDeletedBeforeTheyWereRead_areALoss() {
        rig.kafka.topicInMetrics = topic -> topic;
        rig.kafka.maxPollRecords = 2;
        rig.kafka.records(P0, 2, 99);
        rig.poll();
        rig.kafka.delete(P0, 60);
        rig.poll();

        assertThat(status()).isEqualTo(new DataLoss(4, 60));
        assertThat(rig.consumer.report().toLine())
                .startsWith("group group: DATA_LOSS at topic-0 (offsets 4 to 59 were deleted");
    }

    @Test
    void loopThatDoesNotPoll_isSeenFromAnotherThread() {
        rig.tick();
        assertThat(status().kind()).isEqualTo(Kind.OK);
        goOnFor(LOOK.plus(LOOK));
        rig.time.advance(MINUTE);

        assertThat(status())
                .isInstanceOfSatisfying(
                        Starved.class,
                        starved -> assertThat(starved.sincePoll()).isGreaterThanOrEqualTo(MINUTE));
    }

    @Test
    void loopInALongPoll_isNoLoopThatDoesNotPoll() {
        goOnFor(LOOK.plus(LOOK));
        Kind[] seen = new Kind[1];
        rig.time.after(Duration.ofMinutes(10), () -> seen[0] = status().kind());
        rig.tick(Duration.ofMinutes(20));

        assertThat(seen[0]).isEqualTo(Kind.OK);
    }

    @Test
    void clientsLag_isKnownRightBehindTheRecordsItWasMeasuredAt() {
        rig.kafka.topicInMetrics = topic -> topic;
        rig.kafka.records(P0, 0, 9);
        rig.kafka.maxPollRecords = 4;
        rig.poll();
        rig.completeAll(P0, 0, 3);
        rig.consumer.pause(List.of(P0));
        goOnFor(LOOK.plus(LOOK));
        assertThat(partition().fetchLag()).hasValue(6);
        assertThat(partition().workRemaining()).hasValue(6);

        rig.consumer.resume(List.of(P0));
        rig.poll();
        assertThat(partition().position()).hasValue(8);
        assertThat(partition().fetchLag()).as("moved on since").isEmpty();
        rig.poll();
        goOnFor(LOOK.plus(LOOK));
        assertThat(partition().fetchLag()).hasValue(0);
        rig.consumer.seek(P0, 2);
        assertThat(partition().fetchLag()).as("sought").isEmpty();
    }

    @Test
    void change_isToldOnceAndItsEndWhenItHasLasted() {
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 1, 9);
        goOnFor(MINUTE.plus(LOOK));
        assertThat(changes()).containsExactly("status topic-0 UNKNOWN -> BLOCKED");

        goOnFor(MINUTE.multipliedBy(3));
        assertThat(changes()).hasSize(1);
        rig.complete(P0, 0);
        goOnFor(MINUTE.minus(LOOK));
        assertThat(changes()).hasSize(1);
        goOnFor(LOOK.multipliedBy(3));
        assertThat(changes()).containsExactly("status topic-0 UNKNOWN -> BLOCKED", "status topic-0 BLOCKED -> OK");
    }

    @Test
    void looks_comeAsOftenAsSet() {
        rig = rig(builder -> builder.lookEvery(Duration.ofMinutes(30))
                .statusThresholds(StatusThresholds.DEFAULTS.withBlockedAfter(Duration.ofSeconds(1))));
        rig.kafka.records(P0, 0, 9);
        rig.poll();
        rig.completeAll(P0, 1, 9);
        goOnFor(Duration.ofMinutes(29));
        assertThat(changes()).isEmpty();
        assertThat(status().kind()).isEqualTo(Kind.BLOCKED);
        goOnFor(Duration.ofMinutes(2));

        assertThat(changes()).hasSize(1);
    }

    @Test
    void closed_reportsNoPartition() {
        rig.tick();
        rig.consumer.close(Duration.ZERO);

        assertThat(rig.consumer.report().partitions()).isEmpty();
        assertThat(rig.consumer.report().status().kind()).isEqualTo(Kind.UNKNOWN);
    }

    @Test
    void isolationLevelAndClientId_areTheConfigurations() {
        Map<String, Object> config = new HashMap<>(Rig.CONFIG);
        config.put("isolation.level", "read_committed");
        config.put("client.id", "shop-1");
        rig = Rig.with(config, builder -> builder).subscribed(P0);
        rig.tick();

        assertThat(rig.consumer.report().isolationLevel()).isEqualTo(IsolationLevel.READ_COMMITTED);
        assertThat(partition().owner()).isEqualTo(Optional.of("shop-1"));
    }
}
