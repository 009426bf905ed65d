package dev.offsets.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Each threshold can be changed alone, and is refused where it makes no sense. */
class StatusThresholdsTest {
    private static final Duration OTHER = Duration.ofMillis(1_234);

    private static StatusThresholds with(RecordComponent component, Duration duration) throws Throwable {
        String name = component.getName();
        try {
            return (StatusThresholds) StatusThresholds.class
                    .getMethod("with" + Character.toUpperCase(name.charAt(0)) + name.substring(1), Duration.class)
                    .invoke(StatusThresholds.DEFAULTS, duration);
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @TestFactory
    List<DynamicTest> each() {
        RecordComponent[] all = StatusThresholds.class.getRecordComponents();
        return List.of(all).stream()
                .map(component -> DynamicTest.dynamicTest(component.getName(), () -> {
                    StatusThresholds changed = with(component, OTHER);
                    for (RecordComponent each : all) {
                        Object expected = each.equals(component)
                                ? OTHER
                                : each.getAccessor().invoke(StatusThresholds.DEFAULTS);
                        assertThat(each.getAccessor().invoke(changed))
                                .as(each.getName())
                                .isEqualTo(expected);
                    }
                    boolean mayBeZero = component.getName().equals("settledAfter");
                    assertThatThrownBy(() -> with(component, Duration.ofNanos(-1)))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessage(component.getName() + " is PT-0.000000001S: it must be "
                                    + (mayBeZero ? "zero or more" : "more than zero"));
                    assertThatThrownBy(() -> with(component, null)).isInstanceOf(IllegalArgumentException.class);
                    if (!mayBeZero) {
                        assertThatThrownBy(() -> with(component, Duration.ZERO))
                                .isInstanceOf(IllegalArgumentException.class);
                    }
                }))
                .toList();
    }
}
