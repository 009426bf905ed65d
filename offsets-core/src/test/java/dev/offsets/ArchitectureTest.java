package dev.offsets;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

@AnalyzeClasses(packages = "dev.offsets", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule coreDependsOnTheJdkAlone = classes()
            .should()
            .onlyDependOnClassesThat(resideInAPackage("dev.offsets").or(resideInAPackage("java..")));

    @ArchTest
    static final ArchRule publicMethodsMentionOnlyPublicTypes =
            codeUnits().that(describe("are API", ArchitectureTest::isApi)).should(mentionOnlyPublicTypes());

    @ArchTest
    static final ArchRule publicFieldsHaveOnlyPublicTypes = fields().that(describe("are API", ArchitectureTest::isApi))
            .should(mentionOnlyPublicTypes())
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule timeIsElapsedTimeThatComesIn = noClasses()
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .dependOnClassesThat(describe(
                    "tell the time of day",
                    type -> Set.of("java.time.Clock", "java.time.Instant", "java.util.Date")
                            .contains(type.getName())));

    @ArchTest
    static final ArchRule nothingBlocks = noClasses()
            .should()
            .dependOnClassesThat(resideInAPackage("java.util.concurrent.locks"))
            .orShould()
            .dependOnClassesThat(describe("are threads", type -> type.isEquivalentTo(Thread.class)));

    @ArchTest
    static final ArchRule nothingIsSynchronized = noCodeUnits().should().haveModifier(JavaModifier.SYNCHRONIZED);

    @Test
    void publicMethodThatMentionsAPackagePrivateType_isFound() {
        JavaClasses leaky = new ClassFileImporter().importClasses(Leaky.class);

        assertThatThrownBy(() -> codeUnits().should(mentionOnlyPublicTypes()).check(leaky))
                .hasMessageContaining("Leaky.leak()")
                .hasMessageContaining("mentions dev.offsets.Segment");
    }

    public static class Leaky {
        List<Segment> leak() {
            return List.of();
        }
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
        Set<JavaClass> types = codeUnit.getAllInvolvedRawTypes().stream().collect(Collectors.toSet());
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
