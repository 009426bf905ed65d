package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsets.kafka.PartitionReport;
import dev.offsets.kafka.PartitionStatus;
import dev.offsets.kafka.PartitionStatus.Blocked;
import dev.offsets.kafka.PartitionStatus.CommitFailing;
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
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
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
    void recordThatHoldsOthersBack_isNamed_andCanBeSkipped() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 1_100);
        Member member = kafka.member()
                .set(looking(StatusThresholds.DEFAULTS.withBlockedAfter(SOON)))
                .subscribe()
                .handle(record -> {
                    if (record.offset() != 100) {
                        record.complete();
                    }
                });
        member.receive(1_100);
        member.until(
                "blocked, and all is known",
                () -> is(member, Kind.BLOCKED) && report(member).commitLag().equals(OptionalLong.of(1_000)));
        PartitionReport report = report(member);
        Blocked blocked = (Blocked) report.status();
        assertThat(blocked.offset()).isEqualTo(100);
        assertThat(blocked.completedBeyond()).isEqualTo(999);
        assertThat(blocked.age()).isGreaterThanOrEqualTo(SOON);
        assertThat(kafka.committed(0)).isEqualTo(100);
        assertThat(report.fetchLag()).hasValue(0);
        assertThat(report.workRemaining()).hasValue(1);
        assertThat(report.completedAhead()).hasValue(999);
        assertThat(member.consumer().report().toTable())
                .contains(kafka.partition(0) + " BLOCKED: the record at offset 100 ")
                .contains("consumer.skip(new TopicPartition(\"" + kafka.topic() + "\", 0), 100, \"why\");");

        member.consumer().skip(kafka.partition(0), 100, "as the report says");
        member.until("caught up", () -> is(member, Kind.CAUGHT_UP));
        member.until("committed", () -> Long.valueOf(1_100).equals(kafka.committed(0)));
    }

    private static PartitionReport report(Member member) {
        return member.consumer().report().partitions().get(0);
    }

    @Test
    void pausedPartition_isSaidToBe() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 3);
        Member member = kafka.member()
                .set(looking(StatusThresholds.DEFAULTS))
                .subscribe()
                .completeAll();
        member.until("caught up", () -> is(member, Kind.CAUGHT_UP));
        member.consumer().pause(List.of(kafka.partition(0)));
        kafka.produce(0, 3);
        member.until("paused", () -> is(member, Kind.PAUSED));
        assertThat(member.consumer().report().isHealthy()).isTrue();

        member.consumer().resume(List.of(kafka.partition(0)));
        member.receive(6);
        member.until("caught up", () -> is(member, Kind.CAUGHT_UP));
    }

    @Test
    void groupThatMayNotCommit_isCommitFailing_untilItMay() throws Exception {
        kafka.createTopic(1);
        kafka.produce(0, 10);
        Member member = kafka.member()
                .set(looking(StatusThresholds.DEFAULTS.withCommitFailingAfter(SOON)))
                .build();
        member.consumer().assign(List.of(kafka.partition(0)));
        member.receive(10);
        AclBinding denial = new AclBinding(
                new ResourcePattern(ResourceType.GROUP, kafka.group(), PatternType.LITERAL),
                new AccessControlEntry("User:ANONYMOUS", "*", AclOperation.READ, AclPermissionType.DENY));
        kafka.admin().createAcls(List.of(denial)).all().get();
        member.received().forEach(TrackedRecord::complete);
        member.until("commits are failing", () -> is(member, Kind.COMMIT_FAILING));
        CommitFailing failing = (CommitFailing) status(member).orElseThrow();
        assertThat(failing.cause()).contains("GroupAuthorizationException");
        assertThat(failing.failures()).isPositive();

        kafka.admin().deleteAcls(List.of(denial.toFilter())).all().get();
        member.until("caught up", () -> is(member, Kind.CAUGHT_UP));
        assertThat(kafka.committed(0)).isEqualTo(10);
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
