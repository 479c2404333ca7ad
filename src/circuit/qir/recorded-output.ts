/** Values that programs in QIR record. */

/** Kinds of values, by the names of the functions that record them. */
export const RECORDED_TYPES = ['result', 'bool', 'int', 'double', 'tuple', 'array'] as const;

/** A value that a program records, in the order in which it does. */
export interface RecordedOutput {
  readonly type: (typeof RECORDED_TYPES)[number];
  /** Label that the program gives; may be empty. */
  readonly label: string;
  /** Number of values that a tuple or an array has, which are recorded next. */
  readonly size?: number;
  /** First bit of the outcome that the value has, the least significant one. */
  readonly bit?: number;
  /** Number of its bits; a double has those of IEEE 754. */
  readonly width?: number;
}
