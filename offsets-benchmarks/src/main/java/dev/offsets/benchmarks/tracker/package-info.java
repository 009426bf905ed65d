/**
 * What tracking and completing a record costs: here, in other libraries, and in the simplest ways to do it, each as a
 * {@link dev.offsets.benchmarks.tracker.Subject}. Those whose classes are package-private have their adapters in their
 * own packages.
 */
package dev.offsets.benchmarks.tracker;
