/**
 * The conditions on measured bits that a statement is under.
 *
 * OpenQASM tests a condition once, when the `if` is met; a circuit tests it at every operation.
 * The two differ as soon as a block writes a bit that it is under, so nothing may follow then.
 */
import type { Bit } from '../circuit.ts';
import { MAX_CONDITION_BITS } from '../circuit-limits.ts';
import { type Conditions, UNCONDITIONED } from './actions.ts';
import {
  ALWAYS,
  type BitFunction,
  bitsOf,
  conditionsOf,
  type DecisionDiagrams,
} from './decision-diagram.ts';
import type { TokenStream } from './token-stream.ts';

/** Ways to meet one condition; each takes an operation of its own for every operation under it. */
const MAX_CONDITIONS = 1024;

/** The bits that one `if` with all its branches depends on, and whether one was written since. */
export interface Frame {
  readonly bits: ReadonlySet<Bit>;
  isStale: boolean;
}

/** Follows the `if`s that are open. */
export class ConditionFrames {
  readonly #tokens: TokenStream;
  readonly #diagrams: DecisionDiagrams;
  readonly #frames: Frame[] = [];
  #holds: BitFunction = ALWAYS;
  #conditions: Conditions | undefined = UNCONDITIONED;

  constructor(tokens: TokenStream, diagrams: DecisionDiagrams) {
    this.#tokens = tokens;
    this.#diagrams = diagrams;
  }

  /** How many are open. */
  get depth(): number {
    return this.#frames.length;
  }

  /** What all branches of an `if` on these functions share. */
  frame(functions: readonly BitFunction[]): Frame {
    return { bits: new Set(functions.flatMap((f) => [...bitsOf(f)])), isStale: false };
  }

  /** Runs a branch where `f` holds as well. */
  under<T>(frame: Frame, f: BitFunction, run: () => T): T {
    const [outer, conditions] = [this.#holds, this.#conditions];
    this.#holds = this.#diagrams.and(outer, f);
    this.#conditions = undefined;
    this.#frames.push(frame);
    const result = run();
    this.#frames.pop();
    this.#holds = outer;
    this.#conditions = conditions;
    return result;
  }

  /** The conditions for an operation that the program has at `offset`. */
  conditions(offset: number): Conditions {
    if (this.#frames.some(({ isStale }) => isStale)) {
      const construct = 'A block that goes on after writing the bits it is under';
      throw this.#tokens.unsupported(offset, construct);
    }
    this.#conditions ??= conditionsOf(this.#holds, MAX_CONDITIONS, MAX_CONDITION_BITS);
    if (this.#conditions === undefined) {
      const problem = `This condition can be met in more than ${MAX_CONDITIONS} ways`;
      const bits = `reads more than ${MAX_CONDITION_BITS} bits at once`;
      throw this.#tokens.pastLimit(offset, `${problem}, or ${bits}.`);
    }
    return this.#conditions;
  }

  /** Notes that an operation under the current conditions has written bits. */
  write(bits: readonly Bit[], offset: number): void {
    for (const frame of this.#frames) {
      if (!bits.some((bit) => frame.bits.has(bit))) continue;
      if (this.conditions(offset).length > 1) {
        const construct = 'Writing a bit of a condition that can be met in several ways';
        throw this.#tokens.unsupported(offset, construct);
      }
    }
    for (const frame of this.#frames) {
      if (bits.some((bit) => frame.bits.has(bit))) frame.isStale = true;
    }
  }
}
