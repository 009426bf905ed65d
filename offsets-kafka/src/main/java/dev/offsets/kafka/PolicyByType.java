package dev.offsets.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A policy, and others for errors of some types: the first whose type fits decides. */
record PolicyByType(FailurePolicy otherwise, List<ForType> exceptions) implements FailurePolicy {
    record ForType(Class<? extends Throwable> type, FailurePolicy policy) {}

    static FailurePolicy of(FailurePolicy otherwise, Class<? extends Throwable> type, FailurePolicy policy) {
        return new PolicyByType(otherwise, List.of(new ForType(type, policy)));
    }

    @Override
    public FailurePolicy when(Class<? extends Throwable> type, FailurePolicy other) {
        for (ForType earlier : exceptions) {
            if (earlier.type.isAssignableFrom(type)) {
                throw new IllegalArgumentException("when(" + type.getSimpleName() + ") would never decide, since when("
                        + earlier.type.getSimpleName() + ") comes before it and covers it: name "
                        + type.getSimpleName() + " first");
            }
        }
        List<ForType> more = new ArrayList<>(exceptions);
        more.add(new ForType(type, other));
        return new PolicyByType(otherwise, List.copyOf(more));
    }

    @Override
    public FailureAction onFailure(RecordFailure failure) {
        for (ForType exception : exceptions) {
            if (exception.type.isInstance(failure.error())) {
                return exception.policy.onFailure(failure);
            }
        }
        return otherwise.onFailure(failure);
    }

    @Override
    public String toString() {
        return exceptions.stream()
                .map(exception -> "; when " + exception.type.getSimpleName() + ": " + exception.policy)
                .collect(Collectors.joining("", otherwise.toString(), ""));
    }
}
