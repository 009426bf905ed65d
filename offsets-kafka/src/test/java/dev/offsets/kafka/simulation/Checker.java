package dev.offsets.kafka.simulation;

import dev.offsets.Receipt;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Tests one promise by what can be seen from outside: between the library and its client, between the library and its
 * user. A violation ends the run.
 */
abstract class Checker {
    Simulation simulation;

    void violated(String what) {
        simulation.violated(getClass().getSimpleName(), what);
    }

    View view(String process, TopicPartition partition) {
        return simulation.checkers.views.of(process, partition);
    }

    void assigned(SimulatedClient client, Collection<TopicPartition> partitions) {}

    /** The callback is about to be called. */
    void revoking(SimulatedClient client, Collection<TopicPartition> partitions) {}

    /** The callback is about to be called. */
    void lost(SimulatedClient client, Collection<TopicPartition> partitions) {}

    /** Revoked, lost or unassigned, and the library has been told. */
    void gone(SimulatedClient client, Collection<TopicPartition> partitions) {}

    void closed(SimulatedClient client) {}

    void crashed(SimulatedClient client) {}

    /** The library polls the client. */
    void polling(SimulatedClient client) {}

    /** The client returns records, or a position that has moved, to the library. */
    void polled(SimulatedClient client, ConsumerRecords<Long, Entry> records) {}

    void commitCalled(SimulatedClient client, Commit commit) {}

    /** The library learns how a commit went: its callback is about to be called, or the blocking call ends. */
    void answered(SimulatedClient client, Commit commit) {}

    /** The coordinator has stored an offset. */
    void stored(String process, TopicPartition partition, OffsetAndMetadata offset) {}

    /** The library tells its user that a commit was confirmed. */
    void saidCommitted(SimulatedClient client, Map<TopicPartition, OffsetAndMetadata> offsets) {}

    /** The log has lost something. */
    void logChanged(SimulatedLog log) {}

    /** A position was set; null where the broker has still to say where that is. */
    void sought(SimulatedClient client, TopicPartition partition, OffsetAndMetadata to) {}

    /** The library was told what is stored for a partition that it was assigned. */
    void toldStored(SimulatedClient client, TopicPartition partition, OffsetAndMetadata offset) {}

    /** The library was told where consuming goes on, without a leader epoch where there is no way to tell it. */
    void toldPosition(SimulatedClient client, TopicPartition partition, OffsetAndMetadata position) {}

    void userPaused(SimulatedClient client, Collection<TopicPartition> partitions) {}

    void userResumed(SimulatedClient client, Collection<TopicPartition> partitions) {}

    /** The library has got records that it does not hand out, since a resume map says that they are finished. */
    void leftOut(SimulatedClient client, TopicPartition partition, List<Entry> entries) {}

    /** A user's poll begins. */
    void pollBegins(SimulatedUser user) {}

    /** A user's poll has thrown nothing. */
    void pollReturned(SimulatedUser user) {}

    /** A user's loop has a record. */
    void handedOut(Delivery delivery) {}

    /** The library tells its user that a record has been incomplete for too long. */
    void saidStuck(SimulatedUser user, TopicPartition partition, long offset) {}

    void reported(Delivery delivery, Receipt receipt, boolean finished) {}

    void started(Delivery delivery, boolean answer) {}

    /** A processor calls its user's handler. */
    void workBegins(List<Delivery> work) {}

    /** The handler is done, or has failed: its caller is about to hear of it. */
    void workEnds(List<Delivery> work) {}

    /** One turn of a user's loop has ended. */
    void turnEnded(SimulatedUser user) {}

    /** All trouble has been over for long. */
    void ended() {}
}
