package dev.offsets.kafka;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Two maps without a key in common, as one: a view that can't be changed. */
final class JoinedMap<K, V> extends AbstractMap<K, V> {
    private final Map<K, ? extends V> first;
    private final Map<K, ? extends V> second;

    JoinedMap(Map<K, ? extends V> first, Map<K, ? extends V> second) {
        this.first = first;
        this.second = second;
    }

    @Override
    public boolean containsKey(Object key) {
        return first.containsKey(key) || second.containsKey(key);
    }

    @Override
    public V get(Object key) {
        V value = first.get(key);
        return value == null ? second.get(key) : value;
    }

    @Override
    public Set<Entry<K, V>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Entry<K, V>> iterator() {
                return Stream.of(first, second)
                        .flatMap(map -> map.entrySet().stream())
                        .<Entry<K, V>>map(entry -> Map.entry(entry.getKey(), entry.getValue()))
                        .iterator();
            }

            @Override
            public int size() {
                return first.size() + second.size();
            }
        };
    }
}
