package adoption;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/** Before: a batch is committed when all of it is finished, so that every worker waits for the slowest record. */
final class PlainLoop implements Runnable {
    private final Consumer<String, String> consumer;
    private final ExecutorService workers;
    private final RecordHandler handler;
    private volatile boolean running = true;

    PlainLoop(Consumer<String, String> consumer, ExecutorService workers, RecordHandler handler) {
        this.consumer = consumer;
        this.workers = workers;
        this.handler = handler;
    }

    @Override
    public void run() {
        try (consumer) {
            consumer.subscribe(List.of("orders"));
            while (running) {
                ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(100));
                List<CompletableFuture<Void>> batch = new ArrayList<>();
                for (ConsumerRecord<String, String> record : records) {
                    batch.add(CompletableFuture.runAsync(() -> handler.handle(record), workers));
                }
                batch.forEach(CompletableFuture::join);
                consumer.commitSync();
            }
        }
    }

    void stop() {
        running = false;
    }
}
