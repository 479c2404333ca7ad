/**
 * The base of every error this project throws on purpose.
 *
 * A code is public and stable (docs/errors.md lists them all); which HTTP status it becomes is
 * decided in service/error-table.ts alone. Whatever is thrown and is not a CodedError is a bug and
 * reaches a client only as a bare 500.
 */

/** One thing wrong with an input: where, what, and optionally the exact condition's code. */
export interface Fault {
  /** As a caller would write it: `circuit[3].qubit`; empty when the whole input is meant. */
  readonly path: string;
  readonly message: string;
  readonly code?: string;
}

/** An expected failure with a stable code of the form `LAYER_CONDITION`. */
export abstract class CodedError extends Error {
  abstract readonly code: string;
  /** Every fault found, at most 20; empty where the message says it all. */
  readonly faults: readonly Fault[];

  constructor(message: string, faults: readonly Fault[] = [], options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.faults = faults;
  }
}

/** The most faults one answer lists. */
export const MAX_FAULTS = 20;
