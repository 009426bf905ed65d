package dev.offsets.kafka.simulation;

/** A promise that was broken: which checker says so, and what it saw. */
record Violation(String checker, String what, Throwable cause) {}
