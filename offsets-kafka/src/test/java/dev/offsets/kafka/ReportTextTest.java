package dev.offsets.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.offsets.kafka.PartitionStatus.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What people and programs read: table, line and JSON. */
class ReportTextTest {
    private static final ObjectMapper PARSER = new ObjectMapper();
    private static final OptionalLong NONE = OptionalLong.empty();

    private static final PartitionStatus BLOCKED = new PartitionStatus.Blocked(
            100,
            Duration.ofMinutes(12),
            999,
            Optional.of(
                    new Worker("worker-3", List.of(new StackTraceElement("shop.Ledger", "post", "Ledger.java", 7)))));

    private static OptionalLong some(long value) {
        return OptionalLong.of(value);
    }

    private static PartitionReport blocked(int partition) {
        return new PartitionReport(
                new TopicPartition("orders", partition),
                false,
                some(0),
                some(1_100),
                some(1_100),
                some(1_100),
                some(100),
                some(100),
                some(1),
                some(999),
                some(999),
                some(0),
                some(1_000),
                some(0),
                some(1),
                Optional.of(Duration.ofMillis(723_456)),
                Optional.of("shop-1"),
                BLOCKED);
    }

    private static PartitionReport outside(
            String topic, boolean internal, OptionalLong committed, PartitionStatus status) {
        return new PartitionReport(
                new TopicPartition(topic, 0),
                internal,
                some(0),
                some(10),
                some(10),
                NONE,
                NONE,
                committed,
                NONE,
                NONE,
                NONE,
                NONE,
                committed.isPresent() ? some(10 - committed.getAsLong()) : NONE,
                NONE,
                NONE,
                Optional.empty(),
                Optional.empty(),
                status);
    }

    private static GroupReport report(Optional<GroupState> state, PartitionReport... partitions) {
        return new GroupReport(
                "shop",
                IsolationLevel.READ_COMMITTED,
                Instant.ofEpochSecond(1_700_000_000),
                state,
                List.of(partitions));
    }

    @Test
    void table_showsWhichRecordHoldsAPartitionBackAndHowToGetPastIt() {
        assertThat(report(Optional.empty(), blocked(3)).toTable()).isEqualTo("""
                Group shop, BLOCKED, read_committed, 2023-11-14T22:13:20Z
                TOPIC   PARTITION  STATUS   LOG-START  COMMITTED  COMMITTABLE  POSITION  LAST-STABLE  HIGH-WATERMARK  COMMIT-LAG  FETCH-LAG  INCOMPLETE  DONE-AHEAD  REPLAY  REMAINING    TIME-LAG  OWNER
                orders          3  BLOCKED          0        100          100      1100         1100            1100        1000          0           1         999     999          1  12 min 3 s  shop-1
                Lags are distances of offsets: at most so many records. - is not known.

                orders-3 BLOCKED: the record at offset 100 has been incomplete for 12 min, and holds back 999 finished records beyond it.
                  Its work was started by thread worker-3, which is now here:
                      at shop.Ledger.post(Ledger.java:7)
                  Nothing at or above orders-3@100 is committed until its outcome is reported; after a restart it is delivered again.
                  To get past it, let its work end; a restart of the consumer begins it anew. To give it up, in the running consumer, on its loop thread:
                      consumer.skip(new TopicPartition("orders", 3), 100, "why");
                  Or, with all consumers of the group stopped (what had finished beyond it is then delivered again):
                      group-replay --bootstrap-server ... --group shop --skip orders-3@100 --execute
                  group-replay is a command of offsets-examples; without --execute it prints the plan. In code: ReplayPlan.
                """);
    }

    @Test
    void tableFromOutside_hasNoColumnsOfWhatIsNotKnown_andMarksInternalTopics() {
        GroupReport report = report(
                Optional.of(GroupState.EMPTY),
                outside("orders", false, NONE, new PartitionStatus.Unknown("nothing was ever committed")),
                outside("__consumer_offsets", true, some(10), new PartitionStatus.CaughtUp()));

        assertThat(report.toTable()).isEqualTo("""
                Group shop, Empty, UNKNOWN, read_committed, 2023-11-14T22:13:20Z
                TOPIC                          PARTITION  STATUS     LOG-START  COMMITTED  LAST-STABLE  HIGH-WATERMARK  COMMIT-LAG
                __consumer_offsets (internal)          0  CAUGHT_UP          0         10           10              10           0
                orders                                 0  UNKNOWN            0          -           10              10           -
                Lags are distances of offsets: at most so many records. - is not known.

                orders-0 UNKNOWN: nothing was ever committed.
                """);
    }

    @Test
    void tableFromOutside_ofAGroupThatIsBehind_saysWhichRecordIsNext() {
        PartitionReport behind = outside("orders", false, some(3), new PartitionStatus.Ok(some(7)));

        assertThat(report(Optional.of(GroupState.STABLE), behind).toTable()).endsWith("""
                        TOPIC   PARTITION  STATUS  LOG-START  COMMITTED  LAST-STABLE  HIGH-WATERMARK  COMMIT-LAG
                        orders          0  OK              0          3           10              10           7
                        Lags are distances of offsets: at most so many records. - is not known.
                        From outside, COMMITTED is the next record to be done; DONE-AHEAD, where a consumer tells of them, had finished beyond it by then.
                        While COMMITTED does not move and there is a lag, that record holds its partition back. Why, report() in its consumer tells.
                        To give it up: skip(...) there; or, with all consumers of the group stopped, group-replay --skip TOPIC-PARTITION@COMMITTED.
                        """);
    }

    @Test
    void tableWithoutPartitions_saysSo() {
        assertThat(report(Optional.of(GroupState.DEAD)).toTable()).isEqualTo("""
                Group shop, Dead, UNKNOWN, read_committed, 2023-11-14T22:13:20Z
                nothing was committed, and nothing is assigned
                """);
    }

    @Test
    void line_tellsTheWorstAndTheSums() {
        assertThat(report(Optional.empty(), blocked(3), blocked(4)).toLine())
                .isEqualTo(
                        "group shop: BLOCKED at orders-3 (the record at offset 100 has been incomplete for 12 min, and"
                                + " holds back 999 finished records beyond it), 2 partitions, commit lag 2000 offsets, work remaining"
                                + " 2 offsets, completed ahead 1998 records");
        assertThat(report(
                                Optional.empty(),
                                outside("a", false, some(3), new PartitionStatus.Ok(some(7))),
                                outside("b", false, NONE, new PartitionStatus.Unknown("why")))
                        .toLine())
                .isEqualTo("group shop: UNKNOWN, 2 partitions, commit lag 7 offsets (unknown of 1 partition)");
    }

    @Test
    void json_tellsAllOfIt() throws Exception {
        JsonNode json = PARSER.readTree(
                report(Optional.of(GroupState.STABLE), blocked(3)).toJson());
        JsonNode partition = json.get("partitions").get(0);

        assertThat(json.get("group").textValue()).isEqualTo("shop");
        assertThat(json.get("isolationLevel").textValue()).isEqualTo("read_committed");
        assertThat(json.get("takenAt").textValue()).isEqualTo("2023-11-14T22:13:20Z");
        assertThat(json.get("state").textValue()).isEqualTo("Stable");
        assertThat(json.get("status").textValue()).isEqualTo("BLOCKED");
        assertThat(json.get("healthy").booleanValue()).isFalse();
        assertThat(partition.get("topic").textValue()).isEqualTo("orders");
        assertThat(partition.get("partition").intValue()).isEqualTo(3);
        assertThat(partition.get("commitLag").longValue()).isEqualTo(1_000);
        assertThat(partition.get("completedAhead").longValue()).isEqualTo(999);
        assertThat(partition.get("replayExposure").longValue()).isEqualTo(999);
        assertThat(partition.get("leftOut").longValue()).isZero();
        assertThat(partition.get("timeLagMillis").longValue()).isEqualTo(723_456);
        assertThat(partition.get("status").get("offset").longValue()).isEqualTo(100);
        assertThat(partition.get("status").get("thread").textValue()).isEqualTo("worker-3");
        assertThat(partition.get("status").get("stack").get(0).textValue()).contains("shop.Ledger.post");
    }

    @Test
    void json_hasNullForWhatIsNotKnown() throws Exception {
        JsonNode json = PARSER.readTree(
                report(Optional.empty(), outside("orders", false, NONE, new PartitionStatus.Unknown("why")))
                        .toJson());

        assertThat(json.get("state").isNull()).isTrue();
        for (String name : List.of("position", "committedOffset", "commitLag", "timeLagMillis", "owner")) {
            assertThat(json.get("partitions").get(0).get(name).isNull())
                    .as(name)
                    .isTrue();
        }
    }

    @Test
    void json_ofEachStatus_canBeRead() throws Exception {
        List<PartitionStatus> statuses = List.of(
                new PartitionStatus.DataLoss(4, 60),
                new PartitionStatus.InvalidCommit(1_000, 10),
                new PartitionStatus.CommitFailing(Duration.ofMinutes(1), 3, "a \"cause\"\n\tat x"),
                BLOCKED,
                new PartitionStatus.Stalled(3, Duration.ofMinutes(2), 7, Optional.empty()),
                new PartitionStatus.FallingBehind(5, 50, Duration.ofMinutes(5)),
                new PartitionStatus.Starved(5, some(10), Duration.ofMinutes(1), Duration.ZERO),
                new PartitionStatus.LsoBlocked(5, 10),
                new PartitionStatus.Paused(),
                new PartitionStatus.Unknown("why"),
                new PartitionStatus.Ok(some(4)),
                new PartitionStatus.CaughtUp());

        assertThat(statuses).extracting(PartitionStatus::kind).containsExactly(PartitionStatus.Kind.values());
        for (PartitionStatus status : statuses) {
            GroupReport report = report(Optional.empty(), outside("orders", false, NONE, status));
            JsonNode json =
                    PARSER.readTree(report.toJson()).get("partitions").get(0).get("status");
            assertThat(json.get("kind").textValue()).isEqualTo(status.kind().name());
            assertThat(json.get("evidence").textValue()).isEqualTo(status.evidence());
            assertThat(report.toTable()).contains(status.kind().name());
        }
    }

    @Test
    void jsonStrings_areReadAsTheyWere() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(12); length > 0; length--) {
                int kind = random.nextInt(4);
                int bound = kind == 0 ? 0x20 : kind == 1 ? 0x80 : kind == 2 ? 0x10000 : 0x110000;
                text.appendCodePoint(random.nextInt(bound));
            }
            String json = "[" + Json.quoted(text.toString()) + "]";
            assertThat(PARSER.readTree(json).get(0).textValue())
                    .as("seed %s, %s", seed, json)
                    .isEqualTo(text.toString());
            assertThat(json.chars().noneMatch(c -> c < ' '))
                    .as("seed %s, %s", seed, json)
                    .isTrue();
        }
    }

    @Test
    void jsonOfHalfAPairOfSurrogates_isEscaped() {
        assertThat(Json.quoted("a\ud800b")).isEqualTo("\"a\\ud800b\"");
        assertThat(Json.quoted("a\udc00")).isEqualTo("\"a\\udc00\"");
        assertThat(Json.quoted("\ud83d\ude00")).isEqualTo("\"\ud83d\ude00\"");
    }

    @Test
    void evidence_ofOneThing_isInTheSingular() {
        List<PartitionStatus> ofOne = List.of(
                new PartitionStatus.DataLoss(4, 5),
                new PartitionStatus.Blocked(100, Duration.ofMinutes(12), 1, Optional.empty()),
                new PartitionStatus.Stalled(1, Duration.ofMinutes(2), 7, Optional.empty()),
                new PartitionStatus.Starved(9, some(10), Duration.ofMinutes(1), Duration.ZERO),
                new PartitionStatus.LsoBlocked(9, 10),
                new PartitionStatus.Ok(some(1)));

        assertThat(ofOne)
                .extracting(PartitionStatus::evidence)
                .containsExactly(
                        "offset 4 was deleted or passed over before it was read: at most 1 record",
                        "the record at offset 100 has been incomplete for 12 min, and holds back 1 finished record beyond"
                                + " it",
                        "nothing has finished for 2 min, with 1 record in flight, the lowest at offset 7",
                        "1 offset can be read, nothing is in flight, and the position 9 has not moved for 1 min",
                        "a transaction is open from offset 9 on, and holds back 1 offset",
                        "1 offset to go");
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 ms",
        "PT0.0129S, 12 ms",
        "PT3.49S, 3.4 s",
        "PT59.999S, 59.9 s",
        "PT1M, 1 min",
        "PT12M3S, 12 min 3 s",
        "PT5H3M59S, 5 h 3 min",
        "PT52H, 2 d 4 h"
    })
    void durations_areReadable(Duration duration, String words) {
        assertThat(Words.of(duration)).isEqualTo(words);
    }
}
