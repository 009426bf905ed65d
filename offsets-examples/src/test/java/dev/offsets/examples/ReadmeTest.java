package dev.offsets.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The README's samples compile as they stand, with nothing around them but what they call the user's own. */
class ReadmeTest {
    private static final Path README = Path.of("..", "README.md");
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final int LONGEST_SAMPLE = 20;

    /** What a reader of the README brings along. */
    private static final String AROUND = """
            import dev.offsets.*;
            import dev.offsets.kafka.*;
            import java.time.Duration;
            import java.util.*;
            import java.util.concurrent.ExecutorService;
            import org.apache.kafka.clients.admin.Admin;
            import org.apache.kafka.clients.consumer.*;
            import org.apache.kafka.clients.producer.*;
            import org.apache.kafka.common.IsolationLevel;
            import org.apache.kafka.common.TopicPartition;

            class Sample {
                record Order() {}

                Map<String, Object> config;
                ExecutorService workers;
                volatile boolean running;

                Producer<byte[], byte[]> producer;
                Admin admin;

                void handle(Order order) {}

                byte[] invoice(Order order) {
                    return null;
                }

                byte[] parcel(Order order) {
                    return null;
                }

                void sample(%s) throws Exception {
            %s
                }
            }
            """;

    @TempDir
    Path classes;

    @TestFactory
    List<DynamicTest> sample_compiles() throws IOException {
        return samples().stream()
                .map(sample -> DynamicTest.dynamicTest(
                        firstLine(sample), () -> assertThat(errorsIn(sample)).isEmpty()))
                .toList();
    }

    @Test
    void firstSample_fitsOnAScreen() throws IOException {
        assertThat(samples().get(0).lines()).hasSizeLessThanOrEqualTo(LONGEST_SAMPLE);
    }

    @Test
    void brokenSample_isNoticed() {
        assertThat(errorsIn("consumer.commitEverything();")).isNotEmpty();
    }

    private static List<String> samples() throws IOException {
        List<String> samples = JAVA.matcher(Files.readString(README))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(samples).hasSizeGreaterThanOrEqualTo(3);
        return samples;
    }

    private static String firstLine(String sample) {
        return sample.lines().findFirst().orElseThrow();
    }

    private List<String> errorsIn(String sample) {
        // What a sample uses without saying where it comes from, it is given.
        String given = List.of(
                        "TrackedConsumer<String, Order> consumer",
                        "Duration timeout",
                        "long position",
                        "long offset",
                        "Consumer<String, Order> kafkaConsumer")
                .stream()
                .filter(parameter -> !sample.contains("var" + parameter.substring(parameter.lastIndexOf(' ')) + " ="))
                .collect(Collectors.joining(", "));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(diagnostics, null, null)) {
            List<String> options = List.of(
                    "-classpath", System.getProperty("java.class.path"), "-d", classes.toString(), "-proc:none");
            compiler.getTask(
                            null,
                            files,
                            diagnostics,
                            options,
                            null,
                            List.of(new Source(AROUND.formatted(given, sample))))
                    .call();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return diagnostics.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(Object::toString)
                .toList();
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String code;

        Source(String code) {
            super(URI.create("string:///Sample.java"), Kind.SOURCE);
            this.code = code;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return code;
        }
    }
}
