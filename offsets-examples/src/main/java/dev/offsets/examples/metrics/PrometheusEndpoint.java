package dev.offsets.examples.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.offsets.kafka.RecordProcessor;
import dev.offsets.kafka.TrackedConsumer;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.kafka.common.serialization.StringDeserializer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A consumer whose metrics, with those of its Kafka consumer, are served in Prometheus's format. Until it is interrupted. */
@Command(
        name = "prometheus-endpoint",
        description = "Consumes a topic, and serves the consumer's metrics at http://localhost:PORT/metrics.")
public final class PrometheusEndpoint implements Callable<Integer> {
    private static final int CONCURRENCY = 16;
    /** Series of partitions that have come or gone are there, or not, after that time. */
    private static final Duration REFRESH = Duration.ofSeconds(10);

    @Option(names = "--bootstrap-server", paramLabel = "HOST:PORT", required = true, description = "The cluster.")
    private String bootstrapServer;

    @Option(names = "--group", paramLabel = "ID", required = true, description = "The consumer group to join.")
    private String group;

    @Option(names = "--topic", paramLabel = "NAME", required = true, description = "The topic to consume.")
    private String topic;

    @Option(names = "--port", paramLabel = "PORT", description = "Where to serve. Default: 9464; 0 for any.")
    private int port = 9464;

    @Option(names = "--help", usageHelp = true, description = "Print this text.")
    private boolean help;

    public static void main(String[] args) {
        System.exit(new CommandLine(new PrometheusEndpoint()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        ExecutorService workers = Executors.newFixedThreadPool(CONCURRENCY);
        ScheduledExecutorService refresher = Executors.newSingleThreadScheduledExecutor();
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var config = Map.of("bootstrap.servers", bootstrapServer, "group.id", group, "auto.offset.reset", "earliest");
        try (var consumer = TrackedConsumer.<String, String>builder(config)
                        .deserializers(new StringDeserializer(), new StringDeserializer())
                        .ownAdmin() // without one, lags are not known
                        .build();
                var binding =
                        new KafkaClientMetrics(MetricsBinding.metricsOf(consumer), List.of(), refresher, REFRESH)) {
            RecordProcessor<String, String> processor =
                    consumer.processor(workers, CONCURRENCY).orderedByKey().handle(record -> {});
            binding.bindTo(registry);
            HttpServer server = serve(registry);
            try {
                consumer.subscribe(List.of(topic));
                while (!Thread.currentThread().isInterrupted()) {
                    processor.process(consumer.poll(Duration.ofSeconds(1)));
                }
            } finally {
                server.stop(0);
            }
        } finally {
            workers.shutdown();
            refresher.shutdown();
        }
        return CommandLine.ExitCode.OK;
    }

    private HttpServer serve(PrometheusMeterRegistry registry) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("localhost", port), 0);
        server.createContext("/metrics", exchange -> answer(exchange, registry.scrape()));
        server.start();
        System.out.println("http://localhost:" + server.getAddress().getPort() + "/metrics");
        return server;
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
