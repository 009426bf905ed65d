package dev.offsets;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * How much memory an object of this package keeps alive: a walk over the objects and arrays that it reaches, as a 64-bit
 * JVM with compressed references lays them out. Lists are counted as what they are at least: an object and an array.
 * Other objects of other packages (the caller's clock) are not counted.
 */
final class RetainedBytes {
    private static final int REFERENCE_BYTES = 4;
    private static final int OBJECT_HEADER_BYTES = 12;
    private static final int ARRAY_HEADER_BYTES = 16;

    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final ArrayDeque<Object> toVisit = new ArrayDeque<>();
    private long bytes;

    private RetainedBytes() {}

    static long of(Object root) {
        RetainedBytes walk = new RetainedBytes();
        walk.reach(root);
        while (!walk.toVisit.isEmpty()) {
            walk.visit(walk.toVisit.remove());
        }
        return walk.bytes;
    }

    private void reach(Object object) {
        if (object != null && isOurs(object.getClass()) && seen.add(object)) {
            toVisit.add(object);
        }
    }

    private static boolean isOurs(Class<?> type) {
        if (List.class.isAssignableFrom(type)) {
            return true;
        }
        return type.isArray()
                ? type.getComponentType().isPrimitive() || isOurs(type.getComponentType())
                : type.getPackage() == OffsetTracker.class.getPackage() && !type.isHidden();
    }

    private void visit(Object object) {
        if (object.getClass().isArray()) {
            visitArray(object);
            return;
        }
        if (object instanceof List<?> list) {
            add(OBJECT_HEADER_BYTES + REFERENCE_BYTES);
            visitArray(list.toArray());
            return;
        }
        long size = OBJECT_HEADER_BYTES;
        for (Field field : object.getClass().getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                size += bytesOf(field.getType());
                if (!field.getType().isPrimitive()) {
                    reach(read(field, object));
                }
            }
        }
        add(size);
    }

    private void visitArray(Object array) {
        int length = Array.getLength(array);
        add(ARRAY_HEADER_BYTES + (long) length * bytesOf(array.getClass().getComponentType()));
        if (array instanceof Object[] elements) {
            for (Object element : elements) {
                reach(element);
            }
        }
    }

    private void add(long size) {
        bytes += (size + 7) / 8 * 8;
    }

    private static Object read(Field field, Object object) {
        try {
            field.setAccessible(true);
            return field.get(object);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static int bytesOf(Class<?> type) {
        if (type == long.class || type == double.class) {
            return Long.BYTES;
        }
        if (type == int.class || type == float.class) {
            return Integer.BYTES;
        }
        if (type == short.class || type == char.class) {
            return Short.BYTES;
        }
        return type.isPrimitive() ? Byte.BYTES : REFERENCE_BYTES;
    }
}
