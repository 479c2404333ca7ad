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

/** Most faults that one answer lists. */
export const MAX_FAULTS = 20;

/** An expected failure with a stable code of the form `LAYER_CONDITION`. */
export abstract class CodedError extends Error {
  abstract readonly code: string;
  /** The first 20 faults; empty where the message says it all. */
  readonly faults: readonly Fault[];

  constructor(message: string, faults: readonly Fault[] = [], options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.faults = faults.slice(0, MAX_FAULTS);
  }
}

/** A coded error under the code of another one, such as of a worker: classes do not cross threads and processes. */
export class RelayedError extends CodedError {
  readonly code: string;

  constructor(code: string, message: string, faults?: readonly Fault[], options?: ErrorOptions) {
    super(message, faults, options);
    this.code = code;
  }
}

/** Contents of an error: its message, and where it has them its faults, its cause and fields of its own. */
interface Contents {
  readonly message: string;
  readonly faults?: readonly Fault[];
  readonly cause?: unknown;
}

/** Class of one code, whose instances have the fields of their contents. */
type CodedClass<Code, Facts extends readonly unknown[], Given> = new (
  ...facts: Facts
) => CodedError & { readonly code: Code } & (Given extends string
    ? unknown
    : Readonly<Omit<Given, keyof Contents>>);

/**
 * An error of one code whose contents follow from its facts: `class X extends coded(code, (n: number) => …) {}`.
 *
 * @param contents - The message alone, or with faults, cause and fields: `{ message, retryAfterS: 1 }`.
 */
export function coded<
  Code extends string,
  Facts extends readonly unknown[],
  Given extends string | Contents,
>(code: Code, contents: (...facts: Facts) => Given): CodedClass<Code, Facts, Given> {
  class Coded extends CodedError {
    readonly code = code;

    constructor(...facts: Facts) {
      const given: string | Contents = contents(...facts);
      const { message, faults, cause, ...fields } =
        typeof given === 'string' ? { message: given } : given;
      super(message, faults, cause === undefined ? undefined : { cause });
      Object.assign(this, fields);
    }
  }
  return Coded as unknown as CodedClass<Code, Facts, Given>;
}

/** The first of faults of which there is at least one. */
export function firstOf(faults: readonly Fault[]): Fault {
  const [first] = faults;
  if (first === undefined) throw new Error('unreachable: an error of faults without a fault');
  return first;
}
