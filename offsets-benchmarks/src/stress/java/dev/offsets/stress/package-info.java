/**
 * Every pair of calls of a tracker that may race, under jcstress, on the real class; and {@link dev.offsets.stress.Twins},
 * which are the same class with one place broken, and which these tests have to catch. See docs/concurrency.md.
 */
package dev.offsets.stress;
