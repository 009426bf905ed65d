package dev.offsets.kafka.simulation;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.TopicPartition;

/** Where a script is played: a cluster, the actors, and what can be seen of them. */
final class Stage {
    /** Far more than any step takes. */
    private static final int MOST_TURNS = 500;

    final Cluster cluster;
    final Protocol protocol;
    final Transcript transcript = new Transcript();
    private final Setup setup;

    Stage(Cluster cluster, Protocol protocol, Setup setup) {
        this.cluster = cluster;
        this.protocol = protocol;
        this.setup = setup;
    }

    TopicPartition partition() {
        return cluster.partition(0);
    }

    Set<TopicPartition> partitions() {
        Set<TopicPartition> all = new HashSet<>();
        for (int partition = 0; partition < setup.partitions(); partition++) {
            all.add(cluster.partition(partition));
        }
        return all;
    }

    void appendEverywhere(int records) throws Exception {
        for (TopicPartition partition : partitions()) {
            cluster.append(partition, records);
        }
    }

    Actor actor(String name) {
        return actor(name, null);
    }

    Actor actor(String name, String staticId) {
        return new Actor(name, cluster.client(name, staticId), transcript);
    }

    /** A member of the group, without having polled yet. */
    Actor member(String name) {
        return actor(name).subscribe(partition());
    }

    TrackedActor tracked(String name) {
        return new TrackedActor(name, cluster.tracked(name), transcript);
    }

    /** One step: actors poll in turn until something is so; then they tell what they have seen. */
    void until(String step, Callable<Boolean> holds, Player... players) throws Exception {
        for (int turns = 0; !holds.call(); turns++) {
            if (turns == MOST_TURNS) {
                throw new AssertionError(
                        "not within " + MOST_TURNS + " turns: " + step + "; so far: " + transcript.lines());
            }
            for (Player player : players) {
                player.poll();
            }
        }
        end(step, players);
    }

    /** One step: an actor that had no valid position polls until something is so; it may be told of that once more. */
    void untilRecovered(String step, Callable<Boolean> holds, Actor actor) throws Exception {
        for (int turns = 0; turns < MOST_TURNS && !holds.call(); turns++) {
            try {
                actor.poll();
            } catch (InvalidOffsetException e) {
                // found before the position was set
            }
        }
        until(step, holds, actor);
    }

    /** One step: actors poll so often. */
    void turns(String step, int turns, Player... players) {
        for (int i = 0; i < turns; i++) {
            for (Player player : players) {
                player.poll();
            }
        }
        end(step, players);
    }

    void end(String step, Player... players) {
        transcript.add("-- " + step);
        for (Player player : players) {
            player.tellAll();
        }
    }

    /** One step: until each has its part of the partitions. */
    void untilShared(Player... players) throws Exception {
        until("the partitions are shared out", () -> areShared(players), players);
    }

    /** One step: until each has its part of the partitions, and has read it up to an offset. */
    void untilSharedAndRead(long offset, Player... players) throws Exception {
        until(
                "the partitions are shared out, and read",
                () -> areShared(players) && Stream.of(players).allMatch(player -> player.hasRead(offset)),
                players);
    }

    private boolean areShared(Player... players) {
        int each = setup.partitions() / players.length;
        return Stream.of(players).allMatch(player -> player.assignment().size() == each);
    }

    /** One step: an actor polls until that throws. */
    void untilThrown(String step, Actor actor) {
        for (int turns = 0; turns < MOST_TURNS; turns++) {
            try {
                actor.poll();
            } catch (RuntimeException e) {
                end(step, actor);
                transcript.add("the poll threw " + e.getClass().getSimpleName());
                return;
            }
        }
        throw new AssertionError("nothing was thrown: " + step);
    }

    void tellStored() throws Exception {
        Map<TopicPartition, String> stored = cluster.stored(partitions());
        transcript.add("stored:", stored);
    }
}
