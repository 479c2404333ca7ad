/**
 * Base class of every error that this project throws on purpose.
 *
 * A code is public and stable; docs/errors.md lists them all. service/http/error-table.ts alone decides which HTTP
 * status a code becomes. Any other error is a bug, and a client sees only a bare 500.
 */

/** One fault of an input: where it is, what is wrong, and optionally the code of the exact condition. */
export interface Fault {
  /** Path as a caller would write it: `circuit[3].qubit`; empty for the whole input. */
  readonly path: string;
  readonly message: string;
  readonly code?: string;
}

/** An expected failure with a stable code of the form `LAYER_CONDITION`. */
export abstract class CodedError extends Error {
  abstract readonly code: string;
  /** Faults found, at most 20; empty where the message says it all. */
  readonly faults: readonly Fault[];

  constructor(message: string, faults: readonly Fault[] = [], options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.faults = faults;
  }
}

/** Most faults that one answer lists. */
export const MAX_FAULTS = 20;

/**
 * An error of one code whose message follows from its facts: `class X extends coded(code, (n: number) => …) {}`.
 * A class with fields, faults or a cause extends `CodedError` itself.
 */
export function coded<Code extends string, Facts extends readonly unknown[]>(
  code: Code,
  message: (...facts: Facts) => string,
): new (
  ...facts: Facts
) => CodedError & { readonly code: Code } {
  return class extends CodedError {
    readonly code = code;

    constructor(...facts: Facts) {
      super(message(...facts));
    }
  };
}
