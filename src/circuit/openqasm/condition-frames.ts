/**
 * The conditions on measured bits that a statement is under.
 *
 * OpenQASM tests a condition once, when the `if` is met; a circuit tests it at every operation. The two
 * differ as soon as a block writes a bit that it is under. What the condition came to is then kept in a
 * scratch bit, which is assigned where the `if` begins.
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
 * Ways to meet one condition. Each takes an operation of its own for every operation under it; a
 * condition with more of them is worked out into a scratch bit first.
 */
const MAX_CONDITIONS = 64;

/** One `if` with all its branches. */
export interface Frame {
  /** What each branch is under; in scratch bits once it was kept. */
  functions: readonly BitFunction[];
  /** Before the `if`. */
  place: Place;
  bits: ReadonlySet<Bit>;
  /** A bit that it depends on was written since. */
  isStale: boolean;
}

interface OpenBranch {
  readonly frame: Frame;
  readonly branch: number;
}

/** Follows the `if`s that are open. */
export class ConditionFrames {
  readonly #builder: CircuitBuilder;
  readonly #diagrams: DecisionDiagrams;
  #open: OpenBranch[] = [];
  /** Those around the loop whose body is being read; it is under none of them. */
  readonly #around: OpenBranch[][] = [];
  #conditions: Conditions | undefined = UNCONDITIONED;
  /** How often a condition was kept: what was worked out before is no longer right. */
  #numKept = 0;

  constructor(builder: CircuitBuilder, diagrams: DecisionDiagrams) {
    this.#builder = builder;
    this.#diagrams = diagrams;
  }

  /** How many are open, in this body of a loop. */
  get depth(): number {
    return this.#open.length;
  }

  /** How many bodies of loops that run on measured bits are being read. */
  get level(): number {
    return this.#around.length;
  }

  /** What all branches of an `if` on these functions share. */
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

  /** Runs the body of a loop, which begins again and again, so that no condition around it is tested inside. */
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

  /** Where an operation that the program has at `offset` is to run. */
  holds(offset: number): BitFunction {
    for (const { frame } of this.#open) if (frame.isStale) this.#keep(frame, offset);
    return this.#open.reduce<BitFunction>(
      (all, { frame, branch }) => this.#diagrams.and(all, frame.functions[branch]!),
      ALWAYS,
    );
  }

  /** The conditions for an operation that the program has at `offset`. */
  conditions(offset: number): Conditions {
    const isStale = this.#open.some(({ frame }) => frame.isStale);
    if (this.#conditions !== undefined && !isStale) return this.#conditions;
    const holds = this.holds(offset);
    this.#conditions =
      conditionsOf(holds, MAX_CONDITIONS, MAX_CONDITION_BITS) ?? this.#workedOut(holds, offset);
    return this.#conditions;
  }

  /**
   * The conditions for an operation that writes bits. No condition that a part of it is under reads
   * what another part has written.
   */
  conditionsToWrite(bits: readonly Bit[], offset: number): Conditions {
    const reads = ({ frame }: OpenBranch) => bits.some((bit) => frame.bits.has(bit));
    if (this.conditions(offset).length > 1 && this.#open.some(reads)) {
      for (const open of this.#open.filter(reads)) this.#keep(open.frame, offset);
      this.#conditions = undefined;
    }
    const conditions = this.conditions(offset);
    this.noteWrite(bits);
    return conditions;
  }

  /** The same as one condition at most; none for what is never run. */
  singleConditionToWrite(bits: readonly Bit[], offset: number): Conditions {
    if (this.conditions(offset).length > 1) {
      this.#conditions = this.#workedOut(this.holds(offset), offset);
    }
    return this.conditionsToWrite(bits, offset);
  }

  /** Notes that bits are written by something that runs under no condition. */
  noteWrite(bits: readonly Bit[]): void {
    for (const { frame } of [...this.#around.flat(), ...this.#open]) {
      if (bits.some((bit) => frame.bits.has(bit))) frame.isStale = true;
    }
  }

  /** A condition that can be met in too many ways, or reads too many bits, as one on a scratch bit. */
  #workedOut(holds: BitFunction, offset: number): Conditions {
    const bit = this.#builder.declareScratch(1, offset);
    const value = expressionOf({ kind: 'bits', bits: [holds], isScalar: true });
    this.#builder.add({ kind: 'assign', bits: [bit], value }, offset);
    return [{ bits: [bit], value: 1 }];
  }

  /** Keeps what the branches of an `if` are under in scratch bits, assigned where it began. */
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
    frame.functions = bits.map((bit) => this.#diagrams.bit(bit));
    frame.bits = new Set(bits);
    frame.isStale = false;
  }
}
