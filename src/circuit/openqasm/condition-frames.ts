/**
 * Stack of the conditions on measured bits that an OpenQASM statement is under.
 *
 * OpenQASM tests a condition once, at the `if`; a circuit tests it at every operation. The two differ as soon
 * as a block writes a bit of its own condition. The condition is then saved in a scratch bit, which is
 * assigned where the `if` begins.
 */

import { MAX_CONDITION_BITS } from '../circuit-limits.ts';
import type { Bit } from '../classical-expression.ts';
import { type Conditions, UNCONDITIONED } from './actions.ts';
import type { CircuitBuilder, Place } from './circuit-builder.ts';
import {
  ALWAYS,
  type BitFunction,
  bitsOf,
  conditionsOf,
  type DecisionDiagrams,
} from './decision-diagram.ts';
import { expressionOf } from './values.ts';

/**
 * Most exclusive conditions that a function of bits may expand to, each of which repeats every operation
 * under it. A function with more is assigned to a scratch bit first.
 */
const MAX_CONDITIONS = 64;

/** An `if` with all its branches. */
interface Frame {
  /** Condition of each branch; scratch bits once they are saved. */
  functions: readonly BitFunction[];
  /** Place before the `if`. */
  place: Place;
  bits: ReadonlySet<Bit>;
  /** Whether a bit that the conditions depend on was written since. */
  isStale: boolean;
}

interface OpenBranch {
  readonly frame: Frame;
  readonly branch: number;
}

/** Tracks the open `if`s. */
export class ConditionFrames {
  readonly #builder: CircuitBuilder;
  readonly #diagrams: DecisionDiagrams;
  #open: OpenBranch[] = [];
  /** Open `if`s around each enclosing loop on measured bits; the body of the loop is not under them. */
  readonly #around: OpenBranch[][] = [];
  #conditions: Conditions | undefined = UNCONDITIONED;
  /** Number of times that conditions were saved, which invalidates those computed before. */
  #numKept = 0;

  constructor(builder: CircuitBuilder, diagrams: DecisionDiagrams) {
    this.#builder = builder;
    this.#diagrams = diagrams;
  }

  /** Number of open `if`s within the innermost loop on measured bits. */
  get depth(): number {
    return this.#open.length;
  }

  /** Number of open loops on measured bits. */
  get level(): number {
    return this.#around.length;
  }

  /** Makes the frame of an `if` with these conditions of its branches. */
  frame(functions: readonly BitFunction[]): Frame {
    const bits = new Set(functions.flatMap((f) => [...bitsOf(f)]));
    return { functions, place: this.#builder.place, bits, isStale: false };
  }

  /** Runs a branch of an `if`. */
  under<T>(frame: Frame, branch: number, run: () => T): T {
    const [conditions, numKept] = [this.#conditions, this.#numKept];
    this.#conditions = undefined;
    this.#open.push({ frame, branch });
    const result = run();
    this.#open.pop();
    if (this.#open.length === 0) this.#conditions = UNCONDITIONED;
    else this.#conditions = this.#numKept === numKept ? conditions : undefined;
    return result;
  }

  /** Runs statements under the condition that a function of bits holds. */
  where<T>(holds: BitFunction, run: () => T): T {
    return holds === ALWAYS ? run() : this.under(this.frame([holds]), 0, run);
  }

  /** Runs the body of a loop on measured bits, which is under none of the conditions around the loop. */
  isolated<T>(run: () => T): T {
    const conditions = this.#conditions;
    this.#around.push(this.#open);
    this.#open = [];
    this.#conditions = UNCONDITIONED;
    const result = run();
    this.#open = this.#around.pop()!;
    this.#conditions = conditions;
    return result;
  }

  /** Condition under which an operation at `offset` runs. */
  holds(offset: number): BitFunction {
    for (const { frame } of this.#open) if (frame.isStale) this.#keep(frame, offset);
    return this.#open.reduce<BitFunction>(
      (all, { frame, branch }) => this.#diagrams.and(all, frame.functions[branch]!),
      ALWAYS,
    );
  }

  /** Exclusive conditions for an operation at `offset`. */
  conditions(offset: number): Conditions {
    if (this.#open.length === 0 && this.#conditions !== undefined) return this.#conditions;
    const isStale = this.#open.some(({ frame }) => frame.isStale);
    if (this.#conditions !== undefined && !isStale) return this.#conditions;
    const holds = this.holds(offset);
    this.#conditions =
      conditionsOf(holds, MAX_CONDITIONS, MAX_CONDITION_BITS) ?? this.#workedOut(holds, offset);
    return this.#conditions;
  }

  /**
   * Exclusive conditions for an operation that writes bits. No part of the operation is under a condition on
   * bits that another part has written.
   */
  conditionsToWrite(bits: readonly Bit[], offset: number): Conditions {
    const reads = ({ frame }: OpenBranch) => bits.some((bit) => frame.bits.has(bit));
    if (this.conditions(offset).length > 1 && this.#open.some(reads)) {
      for (const open of this.#open.filter(reads)) this.#keep(open.frame, offset);
    }
    const conditions = this.conditions(offset);
    this.noteWrite(bits);
    return conditions;
  }

  /** Like `conditionsToWrite`, but at most one condition; none for an operation that never runs. */
  singleConditionToWrite(bits: readonly Bit[], offset: number): Conditions {
    if (this.conditions(offset).length > 1) {
      this.#conditions = this.#workedOut(this.holds(offset), offset);
    }
    return this.conditionsToWrite(bits, offset);
  }

  /** Records that bits are written without a condition. */
  noteWrite(bits: readonly Bit[]): void {
    for (const { frame } of [...this.#around.flat(), ...this.#open]) {
      if (bits.some((bit) => frame.bits.has(bit))) frame.isStale = true;
    }
  }

  /** Assigns a condition that has too many cases, or reads too many bits, to a scratch bit. */
  #workedOut(holds: BitFunction, offset: number): Conditions {
    const bit = this.#builder.declareScratch(1, offset);
    const value = expressionOf({ kind: 'bits', bits: [holds], isScalar: true });
    this.#builder.add({ kind: 'assign', bits: [bit], value }, offset);
    return [{ bits: [bit], value: 1 }];
  }

  /** Saves the conditions of an `if`'s branches in scratch bits, assigned where the `if` begins. */
  #keep(frame: Frame, offset: number): void {
    const first = this.#builder.declareScratch(frame.functions.length, offset);
    const bits = frame.functions.map((_, i) => first + i);
    const value = expressionOf({ kind: 'bits', bits: frame.functions, isScalar: false });
    this.#builder.insert(frame.place, { kind: 'assign', bits, value }, offset);
    const { list } = frame.place;
    const inside = this.#open.slice(this.#open.findIndex((open) => open.frame === frame));
    for (const { frame: later } of inside) {
      if (later.place.list === list) later.place = { list, index: later.place.index + 1 };
    }
    this.#numKept++;
    this.#conditions = undefined;
    frame.functions = bits.map((bit) => this.#diagrams.bit(bit));
    frame.bits = new Set(bits);
    frame.isStale = false;
  }
}
