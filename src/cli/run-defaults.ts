/**
 * Defaults of `qcs run`, used if neither the file nor an option sets a value. A file of their own: options are loaded
 * without the reader of files, and the reader without options and the names that they know of a fleet.
 */

export const DEFAULT_PROCESSOR = 'statevector-sim';
export const DEFAULT_SHOTS = 1000;
