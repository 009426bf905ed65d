/**
 * The offset tracker and the commit policies: which offset of a partition may be committed while its records finish out
 * of order, and when to commit it. Needs nothing but the JDK and knows nothing of Kafka; {@code dev.offsets.kafka} wires
 * it into a consumer's poll loop.
 *
 * <p>The words used throughout:
 * <ul>
 *   <li><i>position</i>: the next offset to read.
 *   <li><i>in flight</i> or <i>incomplete</i>: delivered to the caller, not finished.
 *   <li><i>finished</i>: completed, or skipped on purpose.
 *   <li><i>committable offset</i>: the lowest incomplete offset, or the position when nothing is incomplete. A commit of
 *       this offset tells a restart where to resume: it is the next offset to read, not the last one processed.
 *   <li><i>completed ahead</i>: finished, above the committable offset.
 *   <li><i>committed offset</i>: what the broker has confirmed.
 *   <li><i>incarnation</i>: one life of a partition's tracker, from assignment or seek until the next of these or the
 *       end. A tracker object is one incarnation and is never reused for another.
 * </ul>
 */
package dev.offsets;
