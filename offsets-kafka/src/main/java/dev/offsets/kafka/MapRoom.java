package dev.offsets.kafka;

import java.util.Collection;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidCommitOffsetSizeException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.UnknownServerException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How long resume maps may be: what the user allows, as far as the broker takes it. For the loop thread. */
/*
 * Two things are limited: the metadata of one offset, and the batch that the coordinator writes a request as. Brokers say of
 * the second that something has gone wrong, and no more. Whether it was the length shows when the same offsets are taken
 * without maps.
 */
final class MapRoom {
    private static final Logger log = LoggerFactory.getLogger(MapRoom.class);

    /** Below this there is no room for more than a handful of runs. */
    static final int FEWEST_CHARACTERS = 64;

    /** The rest of the mebibyte that a batch may have by default is for what else is stored with an offset. */
    private static final int CHARACTERS_OF_A_REQUEST = 500_000;

    /** So few that no offsets topic is without room for them in one batch: a failure that says nothing has another cause. */
    private static final int FEWEST_TOO_MANY = 1_000;

    private int charactersOfAMap;
    private int charactersOfARequest = CHARACTERS_OF_A_REQUEST;

    /** What the maps of a request had together that may have been refused for it; zero where there is none. */
    private int perhapsTooMany;

    MapRoom(int charactersOfAMap) {
        this.charactersOfAMap = charactersOfAMap;
    }

    /** Whether there are to be no maps at all. */
    boolean isNone() {
        return charactersOfAMap == 0 || charactersOfARequest == 0;
    }

    /** How long the map of one partition may be in a request with so many. */
    int charactersEach(int partitions) {
        return Math.min(charactersOfAMap, charactersOfARequest / partitions);
    }

    /** A request with these maps is stored. */
    void stored(Map<TopicPartition, String> maps) {
        if (perhapsTooMany > characters(maps.values())) {
            tooManyWere(perhapsTooMany);
            perhapsTooMany = 0;
        }
    }

    /** A request with these maps has failed. Answers whether it may have been for their length: later ones are shorter. */
    boolean wereRefused(Map<TopicPartition, String> maps, Exception failure) {
        int characters = characters(maps.values());
        perhapsTooMany = 0;
        if (characters == 0) {
            return false;
        }
        if (failure instanceof OffsetMetadataTooLarge) {
            int longest = maps.values().stream().mapToInt(String::length).max().orElseThrow();
            charactersOfAMap = half(longest);
            log.warn(
                    "The broker refused a resume map of at most {} characters, of {}: they have at most {} from now on. See the"
                            + " broker's offset.metadata.max.bytes",
                    longest,
                    maps.keySet(),
                    charactersOfAMap);
        } else if (failure instanceof InvalidCommitOffsetSizeException) {
            tooManyWere(characters);
        } else if (isUnexplained(failure) && characters >= FEWEST_TOO_MANY) {
            perhapsTooMany = characters;
        } else {
            return false;
        }
        return true;
    }

    private static boolean isUnexplained(Exception failure) {
        return failure instanceof UnknownServerException || failure.getClass() == KafkaException.class;
    }

    private void tooManyWere(int characters) {
        charactersOfARequest = half(characters);
        log.warn(
                "The broker refused resume maps of {} characters in one commit: they have at most {} together from now on. See"
                        + " max.message.bytes of __consumer_offsets",
                characters,
                charactersOfARequest);
    }

    private static int half(int characters) {
        return characters / 2 < FEWEST_CHARACTERS ? 0 : characters / 2;
    }

    private static int characters(Collection<String> maps) {
        return maps.stream().mapToInt(String::length).sum();
    }
}
