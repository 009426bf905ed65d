package dev.offsets.kafka;

import dev.offsets.kafka.OwnedPartition.Snapshot;
import java.util.List;
import org.apache.kafka.common.errors.InvalidCommitOffsetSizeException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How long resume maps may be: what the settings say, until a broker allows less. For the loop thread. */
final class MapLength {
    private static final Logger log = LoggerFactory.getLogger(MapLength.class);

    /** Below this there is no room for more than a handful of runs. */
    static final int FEWEST_CHARACTERS = 64;

    /**
     * What all maps of one request have together at most: the coordinator writes a request as one batch, which must not be
     * larger than the offsets topic allows, by default a mebibyte.
     */
    private static final int CHARACTERS_OF_A_REQUEST = 500_000;

    private int mostCharacters;

    MapLength(int mostCharacters) {
        this.mostCharacters = mostCharacters;
    }

    /** Whether there is no room for maps at all. */
    boolean isNone() {
        return mostCharacters == 0;
    }

    /** How long the map of one partition may be in a request with so many. */
    int each(int partitions) {
        return Math.min(mostCharacters, CHARACTERS_OF_A_REQUEST / partitions);
    }

    /** Whether a commit has failed since maps in it were too long. If so, later ones are shorter. */
    boolean wasRefused(List<Snapshot> snapshots, Exception failure) {
        int longest = snapshots.stream()
                .mapToInt(snapshot -> snapshot.map().text().length())
                .max()
                .orElse(0);
        boolean tooLong =
                failure instanceof OffsetMetadataTooLarge || failure instanceof InvalidCommitOffsetSizeException;
        if (longest == 0 || !tooLong) {
            return false;
        }
        mostCharacters = longest / 2 < FEWEST_CHARACTERS ? 0 : longest / 2;
        log.warn(
                "The broker refused a resume map of at most {} characters, of {}: they have at most {} from now on. See the"
                        + " broker's offset.metadata.max.bytes, and max.message.bytes of __consumer_offsets",
                longest,
                snapshots.stream().map(Snapshot::topicPartition).toList(),
                mostCharacters);
        return true;
    }
}
