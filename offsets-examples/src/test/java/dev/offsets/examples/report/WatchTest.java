package dev.offsets.examples.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class WatchTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private final Deque<Object> texts = new ArrayDeque<>();
    private final List<String> between = new ArrayList<>();

    /** Watches until there is no text left; notes what has been written since the pause before. */
    private void watch(boolean inPlace) {
        Watch watch = new Watch(
                () -> {
                    Object next = texts.remove();
                    if (next instanceof Exception failure) {
                        throw failure;
                    }
                    return (String) next;
                },
                new Screen(print(out), inPlace),
                print(errors),
                failure -> "failed: " + failure.getCause().getMessage(),
                () -> {
                    between.add(out.toString(StandardCharsets.UTF_8) + errors.toString(StandardCharsets.UTF_8));
                    out.reset();
                    errors.reset();
                    if (texts.isEmpty()) {
                        throw new InterruptedException();
                    }
                });
        assertThatThrownBy(watch::run).isInstanceOf(InterruptedException.class);
    }

    private static PrintStream print(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    @Test
    void betweenTwoPauses_theScreenIsDrawnOnce_overTheLast() {
        texts.addAll(List.of("lag 10\nand more\n", "lag 7\n", "lag 7\n"));
        watch(true);

        assertThat(between)
                .containsExactly(
                        "\u001b[Hlag 10\u001b[K\nand more\u001b[K\n\u001b[J",
                        "\u001b[Hlag 7\u001b[K\n\u001b[J",
                        "\u001b[Hlag 7\u001b[K\n\u001b[J");
    }

    @Test
    void reportThatCanNotBeMade_isSaid_andTheNextOneIsShown() {
        texts.addAll(List.of("first\n", new ExecutionException(new Exception("no broker")), "third\n"));
        watch(false);

        assertThat(between).containsExactly("first\n", "failed: no broker\n", "third\n");
    }

    @Test
    void firstReportThatCanNotBeMade_endsIt() {
        ExecutionException failure = new ExecutionException(new Exception("no such host"));
        Watch watch = new Watch(
                () -> {
                    throw failure;
                },
                new Screen(print(out), false),
                print(errors),
                Exception::getMessage,
                () -> {});

        assertThatThrownBy(watch::run).isSameAs(failure);
        assertThat(out.size()).isZero();
    }
}
