package dev.offsets.kafka.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.offsets.kafka.FailureAction;
import dev.offsets.kafka.RecordProcessor;
import dev.offsets.kafka.RecordProcessorBuilder;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Processors of two members, while one joins, both work, and one leaves, with work that fails now and then. What both do is
 * checked together; the checker catches members with one mistake each.
 */
@Timeout(180)
class ProcessorIT {
    private static final int PARTITIONS = 4;
    private static final int RECORDS_PER_PARTITION = 400;
    private static final int KEYS = 10;

    @RegisterExtension
    final KafkaRig kafka = new KafkaRig();

    enum Order {
        NONE,
        BY_KEY,
        BY_PARTITION;

        <K, V> RecordProcessorBuilder<K, V> in(RecordProcessorBuilder<K, V> processor) {
            return switch (this) {
                case NONE -> processor.unordered();
                case BY_KEY -> processor.orderedByKey();
                case BY_PARTITION -> processor.orderedByPartition();
            };
        }

        /** What is ordered behind one another; null for nothing. */
        String lane(int partition, String key) {
            return switch (this) {
                case NONE -> null;
                case BY_KEY -> partition + " " + key;
                case BY_PARTITION -> String.valueOf(partition);
            };
        }
    }

    /** Looks at every start and end, of all members, on whatever thread. */
    private static final class Checker {
        private final Order order;
        private final Set<String> violations = ConcurrentHashMap.newKeySet();
        private final Map<String, List<Long>> lanes = new ConcurrentHashMap<>();
        private final Set<String> running = ConcurrentHashMap.newKeySet();
        private final Map<Integer, Set<Long>> finished = new ConcurrentHashMap<>();

        Checker(Order order) {
            this.order = order;
            for (int partition = 0; partition < PARTITIONS; partition++) {
                finished.put(partition, ConcurrentHashMap.newKeySet());
                for (long offset = 0; offset < RECORDS_PER_PARTITION; offset++) {
                    String lane = order.lane(partition, key(offset));
                    if (lane != null) {
                        lanes.computeIfAbsent(lane, none -> new ArrayList<>()).add(offset);
                    }
                }
            }
        }

        void started(ConsumerRecord<String, String> record, Set<TopicPartition> owned) {
            if (!owned.contains(new TopicPartition(record.topic(), record.partition()))) {
                violations.add("start after revoke");
            }
            String lane = order.lane(record.partition(), record.key());
            if (lane == null) {
                return;
            }
            if (!running.add(lane)) {
                violations.add("two at once");
            }
            for (long offset : lanes.get(lane)) {
                if (offset < record.offset()
                        && !finished.get(record.partition()).contains(offset)) {
                    violations.add("out of order");
                }
            }
        }

        void ended(ConsumerRecord<String, String> record, boolean done) {
            if (done) {
                finished.get(record.partition()).add(record.offset());
            }
            String lane = order.lane(record.partition(), record.key());
            if (lane != null) {
                running.remove(lane);
            }
        }

        void committed(Map<TopicPartition, Long> committed) {
            committed.forEach((partition, end) -> {
                for (long offset = 0; offset < end; offset++) {
                    if (!finished.get(partition.partition()).contains(offset)) {
                        violations.add("committed and not finished");
                    }
                }
            });
        }

        int finished() {
            return finished.values().stream().mapToInt(Set::size).sum();
        }
    }

    private static String key(long offset) {
        return "key " + offset % KEYS;
    }

    /** A member of the group with a processor, turned by the test's thread. */
    private final class Pooled {
        final Member member;
        final Set<TopicPartition> owned = ConcurrentHashMap.newKeySet();
        final RecordProcessor<String, String> processor;

        Pooled(
                Protocol protocol,
                Executor workers,
                Function<RecordProcessorBuilder<String, String>, RecordProcessorBuilder<String, String>> order,
                Function<RecordProcessorBuilder<String, String>, Function<Pooled, RecordProcessor<String, String>>>
                        handling) {
            member = kafka.member(protocol).with("max.poll.records", 50).build();
            processor = handling.apply(order.apply(member.consumer()
                            .processor(workers, 8)
                            .onFailure(failure -> FailureAction.retryAfter(Duration.ofMillis(5)))))
                    .apply(this);
            member.consumer().subscribe(List.of(kafka.topic()), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                    owned.addAll(partitions);
                }

                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                    owned.removeAll(partitions);
                }
            });
        }

        void turn() {
            processor.process(member.consumer().poll(Duration.ofMillis(20)));
        }
    }

    /** Each eleventh record fails the first time it is tried. */
    private final Set<String> failedOnce = ConcurrentHashMap.newKeySet();

    private void work(Checker checker, Pooled member, ConsumerRecord<String, String> record) throws Exception {
        checker.started(record, member.owned);
        Thread.yield();
        boolean fails = record.offset() % 11 == 0 && failedOnce.add(record.partition() + "@" + record.offset());
        checker.ended(record, !fails);
        if (fails) {
            throw new Exception("for once");
        }
    }

    private Pooled right(Protocol protocol, Executor workers, Order order, Checker checker) {
        return new Pooled(
                protocol,
                workers,
                order::in,
                processor -> member -> processor.handle(record -> work(checker, member, record)));
    }

    static Stream<Arguments> ordersAndProtocols() {
        return Stream.of(Order.values())
                .flatMap(order -> Stream.of(Protocol.values()).map(protocol -> Arguments.of(order, protocol)));
    }

    @ParameterizedTest
    @MethodSource("ordersAndProtocols")
    void membersComeAndGo_orderIsKept_andEverythingIsFinished(Order order, Protocol protocol) throws Exception {
        Checker checker = new Checker(order);
        produceEverywhere();
        comeAndGo(checker, () -> right(protocol, kafka.pool(8), order, checker));

        assertThat(checker.violations).isEmpty();
    }

    @Test
    void virtualThreads_orderIsKept_andEverythingIsFinished() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads need JDK 21");
        Method perTask = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
        ExecutorService workers = (ExecutorService) perTask.invoke(null);
        Checker checker = new Checker(Order.BY_KEY);
        produceEverywhere();
        comeAndGo(checker, () -> right(Protocol.CONSUMER, workers, Order.BY_KEY, checker));
        workers.shutdown();

        assertThat(checker.violations).isEmpty();
    }

    @Test
    void memberWithoutAnOrder_isCaught() throws Exception {
        Checker checker = new Checker(Order.BY_KEY);
        produceEverywhere();
        comeAndGo(
                checker,
                () -> new Pooled(
                        Protocol.CONSUMER,
                        kafka.pool(8),
                        RecordProcessorBuilder::unordered,
                        processor -> member -> processor.handle(record -> work(checker, member, record))));

        assertThat(checker.violations).contains("out of order");
    }

    @Test
    void memberThatStartsWhatItHasQueuedAfterARevocation_isCaught() throws Exception {
        Checker checker = new Checker(Order.NONE);
        produceEverywhere();
        List<ConsumerRecord<String, String>> queued = new ArrayList<>();
        Pooled hoarding = new Pooled(
                Protocol.CONSUMER,
                Runnable::run,
                RecordProcessorBuilder::unordered,
                processor -> member -> processor.handle(queued::add));
        Await.until("it has queued some", hoarding::turn, () -> queued.size() >= RECORDS_PER_PARTITION);
        hoarding.member.consumer().close();
        for (ConsumerRecord<String, String> record : queued) {
            checker.started(record, hoarding.owned);
        }

        assertThat(checker.violations).contains("start after revoke");
    }

    @Test
    void memberThatFinishesRecordsBeforeTheirWorkIsDone_isCaught() throws Exception {
        Checker checker = new Checker(Order.NONE);
        produceEverywhere();
        Pooled hasty = new Pooled(
                Protocol.CONSUMER,
                kafka.pool(1),
                RecordProcessorBuilder::unordered,
                processor -> member -> processor.handleAsync(record -> {
                    checker.started(record, member.owned);
                    return CompletableFuture.completedFuture("soon");
                }));
        hasty.turn();
        Await.until(
                "it has committed something",
                hasty::turn,
                () -> !kafka.committed().isEmpty());
        checker.committed(kafka.committed());

        assertThat(checker.violations).contains("committed and not finished");
    }

    private interface Members {
        Pooled join();
    }

    /** One member begins, another joins, the first leaves, the second finishes. */
    private void comeAndGo(Checker checker, Members members) throws Exception {
        int all = PARTITIONS * RECORDS_PER_PARTITION;
        Pooled first = members.join();
        Await.until("the first has begun", first::turn, () -> checker.finished() > all / 8);
        Pooled second = members.join();
        Await.until(
                "the second has some",
                () -> {
                    first.turn();
                    second.turn();
                },
                () -> !second.owned.isEmpty());
        checker.committed(kafka.committed());
        first.member.consumer().close();
        first.owned.clear();
        checker.committed(kafka.committed());
        Map<TopicPartition, Long> ends = kafka.ends(PARTITIONS);
        Await.until("all is committed", second::turn, () -> kafka.committed().equals(ends));
        checker.committed(ends);
        second.member.consumer().close();
    }

    private void produceEverywhere() throws Exception {
        kafka.createTopic(PARTITIONS);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            kafka.produceKeyed(partition, RECORDS_PER_PARTITION, ProcessorIT::key);
        }
    }
}
