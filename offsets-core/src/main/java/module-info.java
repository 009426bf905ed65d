/**
 * Tracks work that finishes out of order and says which offset may be committed. Needs nothing but the JDK.
 */
module dev.offsets {
    exports dev.offsets;
}
