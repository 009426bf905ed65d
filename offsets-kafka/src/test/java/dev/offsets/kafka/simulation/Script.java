package dev.offsets.kafka.simulation;

import static dev.offsets.kafka.simulation.Setup.partitions;

import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Short stories that go alike in the simulation and with a real broker. What they show is what {@link Transcript} has of
 * them; left open on purpose is only:
 *
 * <ul>
 *   <li>which of several partitions that are alike goes to whom;
 *   <li>how many polls something takes, and with that how records are split between polls, other than by {@code
 *       max.poll.records};
 *   <li>in which order the callbacks of different members come within one step;
 *   <li>how often {@code onPartitionsAssigned} is called with nothing;
 *   <li>how many callbacks of commits in flight the classic client's {@code close} runs;
 *   <li>whether KIP-848's client, once it has thrown that a position is not valid, does so again after that was set;
 *   <li>whether a wakeup ends a blocking commit of KIP-848's client or, when its answer is faster, the next poll.
 * </ul>
 */
enum Script {
    RECORDS_AND_POSITION(partitions(1), Script::recordsAndPosition),
    FEW_RECORDS_A_POLL(partitions(1).polling(2), Script::fewRecordsAPoll),
    MARKER_AT_THE_END(partitions(1), Script::markerAtTheEnd),
    MARKER_AT_THE_END_READ_UNCOMMITTED(partitions(1).readUncommitted(), Script::markerAtTheEnd),
    ABORTED_TRANSACTION(partitions(1), Script::abortedTransaction),
    ABORTED_TRANSACTION_READ_UNCOMMITTED(partitions(1).readUncommitted(), Script::abortedTransaction),
    OPEN_TRANSACTION(partitions(1), Script::openTransaction),
    STORED_OFFSET_IS_WHERE_A_RESTART_BEGINS(partitions(1), Script::restart),
    COMMITS_OF_ANYTHING_ARE_TAKEN(partitions(1), Script::commitsOfAnything),
    DELETED_RECORDS_RESET_TO_THE_BEGINNING(partitions(1), Script::deletedRecords),
    DELETED_RECORDS_RESET_TO_THE_END(partitions(1).resettingTo("latest"), Script::deletedRecords),
    DELETED_RECORDS_WITHOUT_A_RESET(partitions(1).resettingTo("none"), Script::deletedRecordsThrow),
    NOTHING_STORED_WITHOUT_A_RESET(partitions(1).resettingTo("none"), Script::nothingStoredThrows),
    COMMIT_PAST_THE_END(partitions(1), Script::commitPastTheEnd),
    SEEKS(partitions(1), Script::seeks),
    SEEK_ON_ASSIGNMENT(partitions(1), Script::seekOnAssignment),
    PAUSE_AND_RESUME(partitions(2).polling(1), Script::pauseAndResume),
    WAKEUPS(partitions(1), Script::wakeups),
    WAKEUP_BEFORE_A_BLOCKING_COMMIT(partitions(1), Kind.CLASSIC, Script::wakeupBeforeACommit),
    ASYNCHRONOUS_COMMITS(partitions(1), Script::asynchronousCommits),
    CLOSE_WITH_COMMITS_IN_FLIGHT(partitions(1), Script::closeWithCommitsInFlight),
    AFTER_CLOSE(partitions(1), Script::afterClose),
    UNSUBSCRIBE(partitions(2), Script::unsubscribe),
    SECOND_MEMBER_JOINS_AND_LEAVES(partitions(4), Script::secondMember),
    PAUSE_OVER_A_REBALANCE(partitions(2), Script::pauseOverARebalance),
    COMMIT_IN_A_REVOCATION(partitions(2), Script::commitInARevocation),
    COMMIT_IN_THE_MIDDLE_OF_A_REBALANCE(partitions(3), Kind.CLASSIC, Script::commitInARebalance),
    COMMITS_THROUGH_A_REBALANCE(partitions(2), EnumSet.of(Protocol.CONSUMER), Script::commitsThroughARebalance),
    EXPELLED_WITH_OTHERS_IN_THE_GROUP(partitions(2).expellingSoon(), Script::expelledWithOthers),
    EXPELLED_ALONE(partitions(1).expellingSoon(), Script::expelledAlone),
    DELETED_TOPIC(partitions(1), EnumSet.of(Protocol.MANUAL), Script::deletedTopic),
    ASSIGNED_BY_THE_USER(partitions(2), EnumSet.of(Protocol.MANUAL), Script::assignedByTheUser),
    TRACKED_OUT_OF_ORDER(partitions(1), Script::trackedOutOfOrder),
    TRACKED_OVER_HOLES(partitions(1), Script::trackedOverHoles),
    TRACKED_REVOCATION(partitions(2), Script::trackedRevocation),
    TRACKED_RESTART(partitions(1), Script::trackedRestart),
    TRACKED_SEEK_AND_PAUSE(partitions(1), Script::trackedSeekAndPause);

    /** What happens in a script. */
    private interface Play {
        void on(Stage stage) throws Exception;
    }

    /** Protocols that have something in common. */
    private static final class Kind {
        static final Set<Protocol> CLASSIC = EnumSet.of(Protocol.CLASSIC_EAGER, Protocol.CLASSIC_COOPERATIVE);
        static final Set<Protocol> GROUP = EnumSet.complementOf(EnumSet.of(Protocol.MANUAL));
    }

    final Set<Protocol> protocols;
    final Setup setup;
    private final Play play;

    Script(Setup setup, Play play) {
        this(setup, Kind.GROUP, play);
    }

    Script(Setup setup, Set<Protocol> protocols, Play play) {
        this.setup = setup;
        this.protocols = protocols;
        this.play = play;
    }

    /** What can be seen of it in this cluster, which is closed at the end. */
    List<String> play(Cluster cluster, Protocol protocol) throws Exception {
        Stage stage = new Stage(cluster, protocol, setup);
        try (cluster) {
            play.on(stage);
        }
        return stage.transcript.lines();
    }

    private static void recordsAndPosition(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 5);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(5), a);
        a.tellAssignment();
        a.tellPosition(stage.partition());
        a.tellLead(stage.partition());
        a.tellCommitted(stage.partition());
        a.commitSync(Map.of(stage.partition(), new OffsetAndMetadata(3, Optional.of(0), "")));
        stage.end("commits", a);
        a.tellCommitted(stage.partition());
        stage.tellStored();
        stage.cluster.append(stage.partition(), 2);
        stage.until("reads what is new", () -> a.hasRead(7), a);
        a.close();
    }

    private static void fewRecordsAPoll(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 3);
        stage.cluster.transaction(stage.partition(), 1, true);
        Actor a = stage.member("a");
        for (int end : List.of(2, 4, 5)) {
            stage.until("reads on", () -> a.hasRead(end), a);
        }
    }

    private static void markerAtTheEnd(Stage stage) throws Exception {
        stage.cluster.transaction(stage.partition(), 3, true);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(4), a);
        a.tellPosition(stage.partition());
    }

    private static void abortedTransaction(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 2);
        stage.cluster.transaction(stage.partition(), 5, false);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(8), a);
        stage.cluster.append(stage.partition(), 1);
        stage.until("reads what is new", () -> a.hasRead(9), a);
    }

    private static void openTransaction(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 2);
        stage.cluster.openTransaction(stage.partition(), 3);
        Actor a = stage.member("a");
        stage.until("reads what is committed", () -> a.hasRead(2), a);
        stage.turns("waits", 10, a);
        a.client.seekToEnd(List.of(stage.partition()));
        a.tellPosition(stage.partition());
    }

    private static void restart(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 5);
        Actor first = stage.member("first");
        stage.until("reads all", () -> first.hasRead(5), first);
        first.commitSync(first.at(stage.partition(), 3));
        stage.end("commits", first);
        first.close();
        stage.end("leaves", first);
        Actor second = stage.member("second");
        stage.until("reads on", () -> second.hasRead(5), second);
    }

    private static void commitsOfAnything(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 5);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(5), a);
        for (long offset : List.of(4L, 2L, 100L, 0L)) {
            a.commitSync(a.at(stage.partition(), offset));
            stage.end("commits", a);
            stage.tellStored();
        }
    }

    private static void deletedRecords(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 8);
        Actor first = stage.member("first");
        first.onAssigned(first.client::pause);
        stage.until("owns it", () -> !first.assignment().isEmpty(), first);
        first.commitSync(first.at(stage.partition(), 2));
        stage.end("commits", first);
        first.close();
        stage.cluster.deleteRecords(stage.partition(), 5);
        Actor second = stage.member("second");
        stage.until("finds where to begin", () -> second.isAt(stage.partition(), 8), second);
        stage.cluster.append(stage.partition(), 1);
        stage.until("reads all", () -> second.hasRead(9), second);
        second.tellLead(stage.partition());
        stage.tellStored();
    }

    private static void deletedRecordsThrow(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 8);
        Actor a = stage.member("a");
        stage.untilThrown("has no position", a);
        a.client.seek(stage.partition(), new OffsetAndMetadata(2));
        stage.untilRecovered("reads on", () -> a.hasRead(8), a);
        stage.cluster.deleteRecords(stage.partition(), 5);
        a.client.seek(stage.partition(), new OffsetAndMetadata(3));
        stage.untilThrown("is below the beginning", a);
        a.client.seekToBeginning(List.of(stage.partition()));
        stage.untilRecovered("reads from the beginning", () -> a.hasRead(8), a);
    }

    private static void nothingStoredThrows(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 3);
        Actor a = stage.member("a");
        stage.untilThrown("has no position", a);
        stage.untilThrown("has none still", a);
        a.commitSync(a.at(stage.partition(), 1));
        stage.untilRecovered("reads from what is stored", () -> a.hasRead(3), a);
    }

    private static void commitPastTheEnd(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 3);
        Actor first = stage.member("first");
        stage.until("reads all", () -> first.hasRead(3), first);
        first.commitSync(first.at(stage.partition(), 20));
        stage.end("commits", first);
        first.close();
        Actor second = stage.member("second");
        stage.until("reads from the beginning", () -> second.hasRead(3), second);
        stage.tellStored();
    }

    private static void seeks(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 6);
        Actor a = stage.member("a");
        a.attempt("seeks what it does not own", () -> a.client.seek(stage.partition(), new OffsetAndMetadata(1)));
        stage.until("reads all", () -> a.hasRead(6), a);
        a.client.seek(stage.partition(), new OffsetAndMetadata(4));
        a.tellPosition(stage.partition());
        a.forget();
        stage.until("reads again", () -> a.hasRead(6), a);
        a.client.seekToBeginning(List.of(stage.partition()));
        a.attempt("asks for a position at once", () -> a.client.position(stage.partition(), Duration.ZERO));
        a.tellPosition(stage.partition());
        a.forget();
        stage.until("reads again", () -> a.hasRead(6), a);
        a.client.seekToEnd(List.of(stage.partition()));
        a.tellPosition(stage.partition());
        a.client.seek(stage.partition(), new OffsetAndMetadata(2, Optional.of(0), ""));
        a.forget();
        stage.until("reads again", () -> a.hasRead(6), a);
    }

    private static void seekOnAssignment(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 6);
        Actor a = stage.member("a");
        a.onAssigned(assigned -> assigned.forEach(partition -> a.client.seek(partition, new OffsetAndMetadata(4))));
        stage.until("reads from there", () -> a.hasRead(6), a);
    }

    private static void pauseAndResume(Stage stage) throws Exception {
        TopicPartition other = stage.cluster.partition(1);
        stage.cluster.append(stage.partition(), 4);
        Actor a = stage.member("a");
        stage.until("reads a first record", () -> a.hasRead(stage.partition(), 1), a);
        a.pause(List.of(stage.partition()));
        stage.cluster.append(other, 2);
        stage.until("reads the other", () -> a.hasRead(other, 2), a);
        stage.turns("nothing comes of what is paused", 10, a);
        a.tellPosition(stage.partition());
        a.client.resume(List.of(stage.partition()));
        a.tellPaused();
        stage.until("reads on", () -> a.hasRead(stage.partition(), 4), a);
    }

    private static void wakeups(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 3);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(3), a);
        a.client.wakeup();
        a.client.wakeup();
        a.attempt("polls after two wakeups", a::poll);
        a.attempt("polls again", a::poll);
        a.client.wakeup();
        a.commitAsync(a.at(stage.partition(), 3));
        a.attempt("polls after an asynchronous commit", a::poll);
        stage.until("is answered", () -> a.answers() == 1, a);
        stage.tellStored();
        a.client.wakeup();
        a.attempt("pauses after a wakeup", () -> a.client.pause(List.of(stage.partition())));
        a.attempt("polls after that", a::poll);
    }

    private static void wakeupBeforeACommit(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 3);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(3), a);
        a.client.wakeup();
        a.commitSync(a.at(stage.partition(), 2));
        stage.end("commits after a wakeup", a);
        a.attempt("polls after that", a::poll);
        stage.tellStored();
    }

    private static void asynchronousCommits(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 5);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(5), a);
        a.commitAsync(a.at(stage.partition(), 1));
        stage.transcript.add("answers without a call: " + a.answers());
        a.commitAsync(a.at(stage.partition(), 2));
        a.commitAsync(a.at(stage.partition(), 3));
        stage.until("is answered", () -> a.answers() == 3, a);
        a.commitAsync(a.at(stage.partition(), 4));
        a.commitSync(a.at(stage.partition(), 5));
        stage.transcript.add("answers after a blocking commit: " + a.answers());
        stage.end("a blocking commit comes after the others", a);
        stage.tellStored();
    }

    private static void closeWithCommitsInFlight(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 5);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(5), a);
        a.commitAsync(a.at(stage.partition(), 4));
        a.close();
        stage.tellStored();
        if (stage.protocol == Protocol.CONSUMER) {
            stage.end("is answered", a);
        }
    }

    private static void afterClose(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 2);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(2), a);
        a.close();
        stage.end("closes", a);
        a.attempt("polls", a::poll);
        a.attempt("asks for its assignment", a.client::assignment);
        a.commitSync(a.at(stage.partition(), 1));
        stage.end("commits", a);
        a.attempt("closes again", a::closeClient);
    }

    private static void unsubscribe(Stage stage) throws Exception {
        stage.appendEverywhere(2);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(2), a);
        a.client.unsubscribe();
        stage.end("unsubscribes", a);
        a.tellAssignment();
        a.attempt("polls", a::poll);
        a.forget();
        a.subscribe(stage.partition());
        stage.until("reads all again", () -> a.hasRead(2), a);
    }

    private static void secondMember(Stage stage) throws Exception {
        stage.appendEverywhere(3);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(3), a);
        a.commitSync(a.at(stage.partitions(), 3));
        stage.end("commits", a);
        stage.appendEverywhere(1);
        stage.until("reads what is new", () -> a.hasRead(4), a);
        Actor b = stage.member("b");
        stage.untilSharedAndRead(4, a, b);
        b.close();
        stage.end("leaves", b);
        stage.untilSharedAndRead(4, a);
        stage.appendEverywhere(1);
        stage.until("reads what is new", () -> a.hasRead(5), a);
        stage.tellStored();
    }

    private static void pauseOverARebalance(Stage stage) throws Exception {
        stage.appendEverywhere(1);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(1), a);
        a.commitSync(a.at(stage.partitions(), 1));
        a.pause(stage.partitions());
        Actor b = stage.member("b");
        stage.untilShared(a, b);
        a.tellPaused();
        b.tellPaused();
        b.close();
        stage.end("leaves", b);
        stage.untilShared(a);
        a.tellPaused();
    }

    private static void commitInARevocation(Stage stage) throws Exception {
        stage.appendEverywhere(4);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(4), a);
        a.onRevoked(revoked -> a.commitSync(a.at(revoked, 2)));
        Actor b = stage.member("b");
        stage.untilSharedAndRead(4, a, b);
        b.onRevoked(revoked -> {
            b.client.wakeup();
            b.commitSync(b.at(revoked, 3));
            b.commitSync(b.at(revoked, 4));
        });
        b.close();
        stage.end("leaves, woken", b);
    }

    /** While one member does not join, a rebalance does not end. */
    private static void commitInARebalance(Stage stage) throws Exception {
        stage.appendEverywhere(4);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(4), a);
        a.commitSync(a.at(stage.partitions(), 4));
        Actor c = stage.member("c");
        stage.until(
                "c has joined",
                () -> a.assignment().size() == 2 && c.assignment().size() == 1,
                a,
                c);
        Actor b = stage.member("b");
        stage.turns("b joins, and a takes part", 15, b, a);
        a.commitSync(a.at(stage.partitions(), 2));
        stage.end("commits", a);
        a.commitAsync(a.at(stage.partitions(), 3));
        stage.until("is answered", () -> a.answers() == 1, a);
        stage.untilShared(a, b, c);
        a.commitSync(a.at(stage.partitions(), 4));
        stage.end("commits again", a);
        stage.tellStored();
    }

    private static void commitsThroughARebalance(Stage stage) throws Exception {
        stage.appendEverywhere(4);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(4), a);
        a.commitSync(a.at(stage.partitions(), 4));
        stage.end("commits", a);
        Actor b = stage.member("b");
        Set<String> outcomes = new TreeSet<>();
        stage.until(
                "the partitions are shared out",
                () -> {
                    outcomes.add(a.outcomeOfCommit(a.at(a.assignment(), 4)));
                    return a.assignment().size() == 1 && b.assignment().size() == 1;
                },
                a,
                b);
        stage.transcript.add("a's commits meanwhile: " + outcomes);
    }

    private static void expelledWithOthers(Stage stage) throws Exception {
        stage.appendEverywhere(3);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(3), a);
        a.commitSync(a.at(stage.partitions(), 2));
        Actor b = stage.member("b");
        stage.untilSharedAndRead(3, a, b);
        TopicPartition own = a.ownedOr(stage.partition());
        stage.until("b has everything", () -> b.assignment().size() == 2 && b.hasRead(3), b);
        a.commitSync(a.at(own, 3));
        stage.end("commits", a);
        a.commitAsync(a.at(own, 3));
        stage.until("a knows", () -> a.hasLost() && a.answers() == 1, a);
        stage.tellStored();
    }

    private static void expelledAlone(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 3);
        Actor a = stage.member("a");
        stage.until("reads all", () -> a.hasRead(3), a);
        stage.cluster.standStill();
        a.commitSync(a.at(stage.partition(), 2));
        stage.end("commits", a);
        stage.tellStored();
        a.forget();
        stage.until("begins again", () -> a.hasRead(3), a);
        a.commitSync(a.at(stage.partition(), 3));
        stage.end("commits again", a);
    }

    private static void deletedTopic(Stage stage) throws Exception {
        stage.cluster.append(stage.partition(), 3);
        Actor a = stage.actor("a");
        a.client.assign(List.of(stage.partition()));
        stage.until("reads all", () -> a.hasRead(3), a);
        stage.cluster.deleteTopic();
        a.commitSync(a.at(stage.partition(), 2), Duration.ofMillis(500));
        stage.end("commits", a);
        a.commitAsync(a.at(stage.partition(), 3));
        stage.until("is answered", () -> a.answers() == 1, a);
        stage.turns("polls on", 5, a);
    }

    private static void assignedByTheUser(Stage stage) throws Exception {
        stage.appendEverywhere(3);
        TopicPartition other = stage.cluster.partition(1);
        Actor a = stage.actor("a");
        a.attempt("polls without anything", a::poll);
        a.client.assign(stage.partitions());
        stage.until("reads all", () -> a.hasRead(3), a);
        a.commitSync(a.at(other, 1));
        a.pause(stage.partitions());
        a.client.assign(List.of(other));
        a.tellAssignment();
        a.tellPosition(other);
        a.client.assign(stage.partitions());
        a.tellPaused();
        a.forget();
        stage.until("reads what it has anew", () -> a.hasRead(stage.partition(), 3), a);
        stage.tellStored();
        a.close();
    }

    private static void trackedOutOfOrder(Stage stage) throws Exception {
        TopicPartition partition = stage.partition();
        stage.cluster.append(partition, 5);
        TrackedActor a = stage.tracked("a").subscribe(partition);
        stage.until("receives all", () -> a.hasReceived(partition, 4), a);
        a.finish(partition, 1, 4);
        stage.turns("nothing to commit yet", 5, a);
        stage.tellStored();
        a.finish(partition, 0);
        stage.until("commits", () -> a.hasCommitted(partition, 2), a);
        stage.tellStored();
        a.finish(partition, 2, 3, 3);
        stage.until("commits all", () -> a.hasCommitted(partition, 5), a);
        a.tellStatus();
        a.close(Duration.ofSeconds(1));
        stage.tellStored();
    }

    private static void trackedOverHoles(Stage stage) throws Exception {
        TopicPartition partition = stage.partition();
        stage.cluster.append(partition, 2);
        stage.cluster.transaction(partition, 3, false);
        stage.cluster.transaction(partition, 1, true);
        TrackedActor a = stage.tracked("a").subscribe(partition);
        stage.until("receives all", () -> a.hasReceived(partition, 6), a);
        a.finish(partition, 0, 1);
        stage.until("commits over the aborted ones", () -> a.hasCommitted(partition, 6), a);
        stage.tellStored();
        a.finish(partition, 6);
        stage.until("commits over the marker", () -> a.hasCommitted(partition, 8), a);
        stage.tellStored();
    }

    private static void trackedRevocation(Stage stage) throws Exception {
        stage.appendEverywhere(3);
        TrackedActor a = stage.tracked("a").subscribe(stage.partition());
        stage.until(
                "receives all",
                () -> stage.partitions().stream().allMatch(partition -> a.hasReceived(partition, 2)),
                a);
        a.finishIn(stage.partitions(), 0);
        Actor b = stage.member("b");
        stage.untilSharedAndRead(3, a, b);
        a.finish(b.ownedOr(null), 1);
        stage.tellStored();
    }

    private static void trackedRestart(Stage stage) throws Exception {
        TopicPartition partition = stage.partition();
        stage.cluster.append(partition, 5);
        TrackedActor first = stage.tracked("first").subscribe(partition);
        stage.until("receives all", () -> first.hasReceived(partition, 4), first);
        first.finish(partition, 0, 1, 3);
        first.close(Duration.ofMillis(500));
        first.finish(partition, 2);
        stage.tellStored();
        TrackedActor second = stage.tracked("second").subscribe(partition);
        stage.until("receives the rest", () -> second.hasReceived(partition, 4), second);
        second.tellStatus();
    }

    private static void trackedSeekAndPause(Stage stage) throws Exception {
        TopicPartition partition = stage.partition();
        stage.cluster.append(partition, 5);
        TrackedActor a = stage.tracked("a").subscribe(partition);
        stage.until("receives all", () -> a.hasReceived(partition, 4), a);
        a.finish(partition, 0);
        a.consumer.seek(partition, 2);
        a.finish(partition, 1);
        a.consumer.pause(List.of(partition));
        stage.turns("nothing comes", 5, a);
        a.consumer.resume(List.of(partition));
        a.consumer.wakeup();
        Map<String, Integer> thrown = new HashMap<>();
        for (int i = 0; i < 2; i++) {
            try {
                a.poll();
            } catch (WakeupException e) {
                thrown.merge("wakeups", 1, Integer::sum);
            }
        }
        stage.transcript.add("thrown " + thrown);
        stage.until(
                "commits where it was sent, and receives again", () -> a.hasCommitted(partition, 2) && a.hasRead(5), a);
        a.tellStatus();
    }
}
