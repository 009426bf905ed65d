package dev.offsets.stress;

/**
 * The tracker with one place broken, and the test that has to notice. A twin is the library's own source with one text
 * replaced, compiled for the run: it can't fall behind the class that it is a twin of.
 *
 * @param test the test, without its package
 * @param why what is broken
 * @param file the source file
 * @param original a text that stands in it once
 * @param broken what takes its place
 */
record Twin(String test, String why, String file, String original, String broken) {}
