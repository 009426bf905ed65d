package dev.offsets.examples.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ScreenTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    private Screen screen(boolean inPlace) {
        return new Screen(new PrintStream(written, false, StandardCharsets.UTF_8), inPlace);
    }

    private String takeWritten() {
        String text = written.toString(StandardCharsets.UTF_8);
        written.reset();
        return text;
    }

    @Test
    void inPlace_eachIsWrittenOverTheLast_andNothingOfThatIsLeft() {
        Screen screen = screen(true);
        screen.show("a longer line\nand another\n");
        assertThat(takeWritten()).isEqualTo("\u001b[Ha longer line\u001b[K\nand another\u001b[K\n\u001b[J");
        screen.show("short\n");

        assertThat(takeWritten())
                .as("to the top, each line to its end, and the screen to its own")
                .isEqualTo("\u001b[Hshort\u001b[K\n\u001b[J");
    }

    @Test
    void notInPlace_eachIsWrittenBelowTheLast_asItIs() {
        Screen screen = screen(false);
        screen.show("first\n");
        screen.show("second\n");

        assertThat(takeWritten()).isEqualTo("first\nsecond\n");
    }
}
