package dev.offsets.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final Map<Integer, GroupOffset> OFFSETS = new TreeMap<>(Map.of(
            0, new GroupOffset(OptionalLong.of(1_200), 1_200),
            1, new GroupOffset(OptionalLong.of(1_000), 1_234),
            2, new GroupOffset(OptionalLong.empty(), 7)));

    private final Locale before = Locale.getDefault();

    @BeforeEach
    void useOneLocale() {
        Locale.setDefault(Locale.ROOT);
    }

    @AfterEach
    void restoreLocale() {
        Locale.setDefault(before);
    }

    @Test
    void theTable_showsWhatIsUnknownAsADash() {
        assertThat(Report.describe("group", "topic-name", OFFSETS))
                .containsExactly(
                        "GROUP  TOPIC       PARTITION  CURRENT-OFFSET  LOG-END-OFFSET      LAG",
                        "group  topic-name          0            1200            1200        0",
                        "group  topic-name          1            1000            1234      234",
                        "group  topic-name          2               -               7        -");
    }

    @Test
    void aBadVerdict_saysWhatIsWrong() {
        List<Produced> lost = List.of(new Produced(7, 1, 3, true), new Produced(9, 1, 4, true));
        Verdict verdict = new Verdict(1_500, lost, 1, 20, 10, 1, 0, 2, OFFSETS, false);

        assertThat(Report.of(verdict))
                .containsExactly(
                        "committed records                              1,500",
                        "processed at least once                        1,498",
                        "lost                                               2",
                        "  for example record 7 (partition 1, offset 3)",
                        "  for example record 9 (partition 1, offset 4)",
                        "  unfinished, yet committed at the kill            1",
                        "processed twice                                   31",
                        "  finished beyond the slow record                 20",
                        "  finished, not yet committed at the kill         10",
                        "  for another reason                               1",
                        "processed, though aborted                          0",
                        "processed, though never produced                   2",
                        "committed = end                             1 of 3 partitions",
                        "lag                                          unknown",
                        "the consumer stopped by itself, or got no further",
                        "",
                        "FAILED: 2 records were lost.");
    }

    @Test
    void aGoodVerdict_saysSo() {
        Map<Integer, GroupOffset> atEnd = Map.of(0, new GroupOffset(OptionalLong.of(5), 5));

        assertThat(Report.of(new Verdict(5, List.of(), 0, 0, 0, 0, 0, 0, atEnd, true)))
                .contains("lag                                                0")
                .last()
                .asString()
                .startsWith("PASSED");
    }
}
