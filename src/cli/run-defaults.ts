/** What `qcs run` takes where neither the file nor an option says. */

/** The processor. */
export const DEFAULT_PROCESSOR = 'statevector-sim';
/** Repetitions. */
export const DEFAULT_SHOTS = 1000;
