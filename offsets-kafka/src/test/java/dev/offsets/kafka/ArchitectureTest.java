package dev.offsets.kafka;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.junit.jupiter.api.Test;

@AnalyzeClasses(packages = "dev.offsets.kafka", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final Set<String> TIME_OF_DAY = Set.of("java.time.Clock", "java.time.Instant", "java.util.Date");

    @ArchTest
    static final ArchRule dependsOnTheCoreKafkasClientsAndSlf4jAlone = classes()
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage("java..", "org.slf4j")
                    .or(resideInAPackage("dev.offsets"))
                    .or(resideInAPackage("dev.offsets.kafka"))
                    .or(describe("are Kafka's public API", ArchitectureTest::isPublicInKafka)));

    @ArchTest
    static final ArchRule publicMethodsMentionOnlyPublicTypes =
            codeUnits().that(describe("are API", ArchitectureTest::isApi)).should(mentionOnlyPublicTypes());

    @ArchTest
    static final ArchRule publicFieldsHaveOnlyPublicTypes = fields().that(describe("are API", ArchitectureTest::isApi))
            .should(mentionOnlyPublicTypes())
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule everyCommitSaysItsOffsets = everyCommitSaysItsOffsets();

    @ArchTest
    static final ArchRule everyBlockingCommitHasABound =
            noClasses().should().callMethod(Consumer.class, "commitSync", Map.class);

    /** Look-ups of the consumer's own overwrite the end that it goes by: for partitions that are not read any more alone. */
    @ArchTest
    static final ArchRule endsAreNotLookedUpByTheConsumer = noClasses()
            .that(describe("are not for ranges", type -> !type.isEquivalentTo(RangeConsumer.class)))
            .should()
            .callMethodWhere(describe(
                    "a look-up of the consumer is called",
                    call -> Set.of("beginningOffsets", "endOffsets", "offsetsForTimes")
                                    .contains(call.getName())
                            && call.getTargetOwner().isAssignableTo(Consumer.class)));

    /** It may ask a broker, or wait for the consumer's other thread: not in each turn of a loop. */
    @ArchTest
    static final ArchRule theConsumersLagIsAskedForOnTheUsersRequestAlone = noClasses()
            .that(describe("are not for skipping", type -> !type.isEquivalentTo(UndecodableRecords.class)))
            .should()
            .callMethodWhere(describe(
                    "the consumer's lag is asked for",
                    call -> call.getName().equals("currentLag")
                            && call.getTargetOwner().isAssignableTo(Consumer.class)));

    @ArchTest
    static final ArchRule timeIsElapsedTimeThatComesIn = noClasses()
            .that(describe("are not the clock", type -> !type.getName().startsWith(Time.class.getName())))
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Thread.class, "sleep", long.class);

    @ArchTest
    static final ArchRule theTimeOfDayIsShownInReportsOrAskedForAlone = noClasses()
            .that(describe(
                    "are neither a report nor asked for",
                    type -> !type.isEquivalentTo(GroupReport.class)
                            && !type.isEquivalentTo(ReplayPoint.class)
                            && !type.isEquivalentTo(ReplayPoint.Timestamp.class)))
            .should()
            .dependOnClassesThat(describe("tell the time of day", type -> TIME_OF_DAY.contains(type.getName())));

    @ArchTest
    static final ArchRule onlyWhatWorkersShareHasALock = noClasses()
            .that(describe(
                    "are neither shared by workers nor the clock",
                    type -> !type.getName().startsWith(Time.class.getName())
                            && !type.isAssignableTo(WorkQueue.class)
                            && !type.isAssignableTo(OriginalRecords.class)))
            .should()
            .dependOnClassesThat(resideInAPackage("java.util.concurrent.locks"));

    @ArchTest
    static final ArchRule startsNoThreads = noClasses()
            .should()
            .callConstructorWhere(
                    describe("make a thread", call -> call.getTargetOwner().isAssignableTo(Thread.class)))
            .orShould()
            .dependOnClassesThat(describe(
                    "make threads",
                    type -> Set.of(
                                    "java.util.concurrent.Executors",
                                    "java.util.Timer",
                                    "java.util.concurrent.ForkJoinPool")
                            .contains(type.getName())));

    @ArchTest
    static final ArchRule nothingIsSynchronized = noCodeUnits().should().haveModifier(JavaModifier.SYNCHRONIZED);

    @Test
    void commitWithoutOffsets_isFound() {
        var careless = new ClassFileImporter().importClasses(Careless.class);

        assertThatThrownBy(() -> everyCommitSaysItsOffsets().check(careless)).hasMessageContaining("commitSync");
    }

    @Test
    void publicMethodThatMentionsAPackagePrivateType_isFound() {
        var leaky = new ClassFileImporter().importClasses(Leaky.class);

        assertThatThrownBy(() -> codeUnits().should(mentionOnlyPublicTypes()).check(leaky))
                .hasMessageContaining("mentions dev.offsets.kafka.OwnedPartition");
    }

    static class Careless {
        void commit(Consumer<?, ?> consumer) {
            consumer.commitSync();
        }
    }

    public static class Leaky {
        List<OwnedPartition> leak() {
            return List.of();
        }
    }

    private static ArchRule everyCommitSaysItsOffsets() {
        return noClasses()
                .should()
                .callMethodWhere(new DescribedPredicate<JavaMethodCall>("a commit is called without offsets") {
                    @Override
                    public boolean test(JavaMethodCall call) {
                        return Set.of("commitSync", "commitAsync").contains(call.getName())
                                && call.getTargetOwner().isAssignableTo(Consumer.class)
                                && call.getTarget().getRawParameterTypes().stream()
                                        .noneMatch(type -> type.isEquivalentTo(Map.class));
                    }
                });
    }

    private static boolean isPublicInKafka(JavaClass type) {
        return type.getPackageName().startsWith("org.apache.kafka.")
                && !type.getPackageName().contains(".internals");
    }

    private static boolean isApi(JavaMember member) {
        Set<JavaModifier> modifiers = member.getModifiers();
        return isPublic(member.getOwner())
                && (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED));
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(ArchitectureTest::isPublic).orElse(true);
    }

    /** The types of parameters, result and field, and their type arguments; declared exceptions too. */
    private static Set<JavaClass> typesMentioned(JavaMember member) {
        if (member instanceof JavaField field) {
            return field.getAllInvolvedRawTypes();
        }
        JavaCodeUnit codeUnit = (JavaCodeUnit) member;
        Set<JavaClass> types = new HashSet<>(codeUnit.getAllInvolvedRawTypes());
        types.addAll(codeUnit.getExceptionTypes());
        return types;
    }

    private static <T extends JavaMember> ArchCondition<T> mentionOnlyPublicTypes() {
        return new ArchCondition<>("mention only public types") {
            @Override
            public void check(T member, ConditionEvents events) {
                for (JavaClass type : typesMentioned(member)) {
                    if (!type.isPrimitive() && !isPublic(type.getBaseComponentType())) {
                        events.add(SimpleConditionEvent.violated(
                                member, member.getFullName() + " mentions " + type.getName()));
                    }
                }
            }
        };
    }
}
