package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.PartitionReport;
import dev.offsets.kafka.PartitionStatus;
import dev.offsets.kafka.PartitionStatus.Blocked;
import dev.offsets.kafka.PartitionStatus.FallingBehind;
import dev.offsets.kafka.PartitionStatus.Kind;
import dev.offsets.kafka.PartitionStatus.Stalled;
import dev.offsets.kafka.PartitionStatus.Starved;
import dev.offsets.kafka.StatusThresholds;
import dev.offsets.kafka.TrackedConsumerBuilder;
import dev.offsets.kafka.TrackedRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a running consumer says of itself while something is wrong. */
@Timeout(180)
class StatusIT {
    private static final Duration SOON = Duration.ofMillis(200);

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    private Consumer<TrackedConsumerBuilder<String, String>> looking(StatusThresholds thresholds) {
        return builder -> builder.admin(kafka.admin())
                .lookEvery(Duration.ofMillis(20))
                .statusThresholds(thresholds.withSettledAfter(Duration.ZERO));
    }

    private static Optional<PartitionStatus> status(Member member) {
        List<PartitionReport> partitions = member.consumer().report().partitions();
        return partitions.stream().map(PartitionReport::status).findFirst();
    }

    private static boolean is(Member member, Kind kind) {
        return status(member).filter(status -> status.kind() == kind).isPresent();
    }

    @Test
    void workThatNeverEnds_isStalled_untilItEnds() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 3);
        Member member = kafka.member()
                .set(looking(StatusThresholds.DEFAULTS.withStalledAfter(SOON)))
                .subscribe();
        member.receive(3);
        member.until("stalled", () -> is(member, Kind.STALLED));
        Stalled stalled = (Stalled) status(member).orElseThrow();
        assertThat(stalled.incomplete()).isEqualTo(3);
        assertThat(stalled.offset()).isEqualTo(0);
        assertThat(stalled.since()).isGreaterThanOrEqualTo(SOON);
        assertThat(member.consumer().report().isHealthy()).isFalse();

        member.received().forEach(TrackedRecord::complete);
        member.until("caught up", () -> is(member, Kind.CAUGHT_UP));
        assertThat(member.consumer().report().isHealthy()).isTrue();
    }

    @Test
    void recordThatHoldsOthersBack_isNamed() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 5);
        Member member = kafka.member()
                .set(looking(StatusThresholds.DEFAULTS.withBlockedAfter(SOON)))
                .subscribe()
                .handle(record -> {
                    if (record.offset() != 1) {
                        record.complete();
                    }
                });
        member.until("blocked", () -> is(member, Kind.BLOCKED));
        Blocked blocked = (Blocked) status(member).orElseThrow();
        assertThat(blocked.offset()).isEqualTo(1);
        assertThat(blocked.completedBeyond()).isEqualTo(3);
        assertThat(blocked.age()).isGreaterThanOrEqualTo(SOON);
    }

    @Test
    void producerThatIsFaster_leavesItBehind() throws Exception {
        kafka.createTopic(1);
        Duration window = Duration.ofSeconds(1);
        Member member = kafka.member()
                .set(looking(StatusThresholds.DEFAULTS.withFallingBehindWindow(window)))
                .subscribe();
        Await.until(
                "falling behind",
                () -> {
                    produce(5);
                    member.turn();
                    member.received().stream()
                            .limit(member.received().size() / 2)
                            .forEach(TrackedRecord::complete);
                },
                () -> is(member, Kind.FALLING_BEHIND));
        FallingBehind behind = (FallingBehind) status(member).orElseThrow();
        assertThat(behind.now()).isGreaterThan(behind.before());

        member.completeAll().received().forEach(TrackedRecord::complete);
        member.until("caught up", () -> is(member, Kind.CAUGHT_UP));
    }

    private void produce(int records) {
        try {
            kafka.produce(0, records);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void brokerThatSendsNothing_starvesIt() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = kafka.member()
                .with("client.id", kafka.topic())
                .set(looking(StatusThresholds.DEFAULTS.withStarvedAfter(SOON)))
                .subscribe()
                .completeAll();
        member.receive(10);
        limitBytesPerSecond(kafka.topic(), 1.0);
        try {
            Await.until(
                    "starved",
                    () -> {
                        produce(1);
                        member.turn();
                    },
                    () -> is(member, Kind.STARVED));
            Starved starved = (Starved) status(member).orElseThrow();
            assertThat(starved.position()).isGreaterThanOrEqualTo(10);
            assertThat(starved.end().orElseThrow()).isGreaterThan(starved.position());
        } finally {
            limitBytesPerSecond(kafka.topic(), null);
        }
        // How long it stays so, the broker has told the client already.
    }

    /** A quota of the broker (KIP-13) for one client id; null for none. */
    private void limitBytesPerSecond(String clientId, Double limit) throws Exception {
        var client = new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, clientId));
        var change = new ClientQuotaAlteration.Op("consumer_byte_rate", limit);
        kafka.admin()
                .alterClientQuotas(List.of(new ClientQuotaAlteration(client, List.of(change))))
                .all()
                .get();
    }
}
