package dev.offsets.kafka;

import static org.assertj.core.api.Assertions.fail;

import dev.offsets.kafka.Schedule.Op;
import dev.offsets.kafka.Schedule.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Whatever happens in whatever order, the promises hold; and subjects that break one are caught. */
class SchedulePropertyTest {
    private static final int MOST_STEPS = 80;
    private static final int SCHEDULES_TO_CATCH_IN = 300;

    @Property(tries = 500)
    void anySchedule_keepsThePromises(@ForAll("steps") List<Step> steps) {
        new Schedule().play(steps);
    }

    @Provide
    Arbitrary<List<Step>> steps() {
        Arbitrary<Op> ops = Arbitraries.frequency(weights().entrySet().stream()
                .map(weight -> Tuple.of(weight.getValue(), weight.getKey()))
                .toList());
        Arbitrary<Integer> numbers = Arbitraries.integers().between(0, 9);
        return Combinators.combine(ops, numbers, numbers)
                .as(Step::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(MOST_STEPS);
    }

    /** What a loop does all the time comes often. */
    private static Map<Op, Integer> weights() {
        Map<Op, Integer> weights = new EnumMap<>(Op.class);
        for (Op op : Op.values()) {
            weights.put(op, 2);
        }
        weights.putAll(Map.of(
                Op.POLL,
                20,
                Op.POLL_AND_LEAVE,
                6,
                Op.COMPLETE,
                25,
                Op.COMPLETE_ALL,
                5,
                Op.PRODUCE,
                10,
                Op.WAIT,
                6,
                Op.FAIL,
                1,
                Op.CLOSE,
                1));
        return weights;
    }

    @Example
    void commitOneTooFar_isCaught() {
        assertCaught(
                "passes",
                (kafka, offsets) ->
                        changed(offsets, (partition, offset) -> new OffsetAndMetadata(offset.offset() + 1)));
    }

    @Example
    void commitOfThePosition_isCaught() {
        assertCaught(
                "passes",
                (kafka, offsets) -> changed(
                        offsets,
                        (partition, offset) -> new OffsetAndMetadata(
                                kafka.knownPosition(partition).orElse(0))));
    }

    @Example
    void olderCommitAfterANewerOne_isCaught() {
        Map<TopicPartition, List<OffsetAndMetadata>> sent = new HashMap<>();
        assertCaught(
                "after",
                (kafka, offsets) -> changed(offsets, (partition, offset) -> {
                    List<OffsetAndMetadata> former = sent.computeIfAbsent(partition, any -> new ArrayList<>());
                    former.add(offset);
                    return former.size() % 3 == 0 ? former.get(former.size() - 3) : offset;
                }));
    }

    @Example
    void commitOfAPartitionThatHasGone_isCaught() {
        Map<TopicPartition, OffsetAndMetadata> all = new HashMap<>();
        assertCaught("not owned any more", (kafka, offsets) -> {
            all.putAll(offsets);
            return Map.copyOf(all);
        });
    }

    @Example
    void commitThatIsConfirmedAndNotStored_isCaught() {
        int[] commits = {0};
        assertCaught("could be", (kafka, offsets) -> ++commits[0] % 3 == 0 ? Map.of() : offsets);
    }

    private static Map<TopicPartition, OffsetAndMetadata> changed(
            Map<TopicPartition, OffsetAndMetadata> offsets,
            BiFunction<TopicPartition, OffsetAndMetadata, OffsetAndMetadata> change) {
        Map<TopicPartition, OffsetAndMetadata> changed = new HashMap<>();
        offsets.forEach((partition, offset) -> changed.put(partition, change.apply(partition, offset)));
        return changed;
    }

    private static void assertCaught(
            String by,
            BiFunction<
                            SimulatedConsumer,
                            Map<TopicPartition, OffsetAndMetadata>,
                            Map<TopicPartition, OffsetAndMetadata>>
                    tampering) {
        Random random = new Random(1);
        List<Op> ops = new ArrayList<>();
        weights().forEach((op, weight) -> Collections.nCopies(weight, op).forEach((Consumer<Op>) ops::add));
        for (int i = 0; i < SCHEDULES_TO_CATCH_IN; i++) {
            List<Step> steps = random.ints(MOST_STEPS, 0, ops.size())
                    .mapToObj(op -> new Step(ops.get(op), random.nextInt(10), random.nextInt(10)))
                    .toList();
            try {
                Schedule.tampered(tampering).play(steps);
            } catch (Promises.Broken e) {
                if (e.getMessage().contains(by)) {
                    return;
                }
            }
        }
        fail("not caught in %d schedules", SCHEDULES_TO_CATCH_IN);
    }
}
