/** Defaults of `qcs run`, used if neither the file nor an option sets a value. */

export const DEFAULT_PROCESSOR = 'statevector-sim';
export const DEFAULT_SHOTS = 1000;
