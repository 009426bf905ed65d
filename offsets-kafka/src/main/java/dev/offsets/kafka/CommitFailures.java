package dev.offsets.kafka;

import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.IllegalGenerationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.WakeupException;

/** What follows from the way in which a commit failed. */
/*
 * A request carries many partitions, and its failure names at most one reason. It either concerns the group (a rebalance,
 * this member's epoch or identity, the coordinator, the connection), and then the whole request would fail again alike; or
 * it may concern one topic (deleted, not authorised, its metadata refused), and then the others must not wait for it. A
 * timeout is of the first kind for an asynchronous commit, and may be of the second for a blocking one: the client then
 * retries a deleted topic until the time is up.
 */
final class CommitFailures {
    private CommitFailures() {}

    /** Whether the failure of a blocking commit may be one topic's own, so that it is worth committing the topics apart. */
    static boolean mayConcernOneTopicWhenBlocking(Throwable failure) {
        return failure instanceof TimeoutException || mayConcernOneTopic(failure);
    }

    /** The same for an asynchronous commit. */
    static boolean mayConcernOneTopic(Throwable failure) {
        Throwable reason = failure instanceof RetriableCommitFailedException && failure.getCause() != null
                ? failure.getCause()
                : failure;
        return !(reason instanceof RebalanceInProgressException
                || reason instanceof CommitFailedException
                || reason instanceof StaleMemberEpochException
                || reason instanceof UnknownMemberIdException
                || reason instanceof IllegalGenerationException
                || reason instanceof FencedInstanceIdException
                || reason instanceof GroupAuthorizationException
                || reason instanceof AuthenticationException
                || reason instanceof CoordinatorNotAvailableException
                || reason instanceof CoordinatorLoadInProgressException
                || reason instanceof NotCoordinatorException
                || reason instanceof DisconnectException
                || reason instanceof TimeoutException
                || reason instanceof InterruptException
                || reason instanceof WakeupException);
    }
}
