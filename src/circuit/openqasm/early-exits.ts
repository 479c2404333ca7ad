/**
 * Early exits of an OpenQASM 3 program: `break`, `continue`, `return` and `end`.
 *
 * An exit under a condition on measured bits is not known while reading. A scratch bit records whether it is
 * taken, and the statements after it run under the condition that it was not.
 */
import type { Bit } from '../classical-expression.ts';
import { ALWAYS, type BitFunction, NEVER } from './decision-diagram.ts';
import type { Nesting, ProgramState } from './program-state.ts';
import type { Completion } from './syntax-tree.ts';
import { quoted } from './token-stream.ts';
import { expressionOf } from './values.ts';

/** An exit under a condition, and the scratch bit that says whether it was taken. */
export interface EarlyExit {
  readonly kind: Exclude<Completion, 'next'>;
  readonly bit: Bit;
}

/** Exits that may have been taken at the current statement. */
export class EarlyExits {
  readonly #state: ProgramState;
  #pending: readonly EarlyExit[] = [];
  /** Exits that the current statement is under the condition of, or runs in spite of. */
  #guarded: ReadonlySet<EarlyExit> = new Set();

  constructor(state: ProgramState) {
    this.#state = state;
  }

  /** Exits that may have been taken and whose target has not ended. */
  get pending(): readonly EarlyExit[] {
    return this.#pending;
  }

  /** Pending exits that the next statement must be guarded against. */
  get unguarded(): readonly EarlyExit[] {
    const pending = this.#pending;
    return pending.length === 0 ? pending : pending.filter((exit) => !this.#guarded.has(exit));
  }

  /** Runs statements without a guard against the exits that are pending now. */
  inSpiteOfPending(run: () => void): void {
    const guarded = this.#guarded;
    this.#guarded = new Set(this.#pending);
    run();
    this.#guarded = guarded;
  }

  /** Condition that none of the exits was taken. */
  noneOf(exits: readonly EarlyExit[]): BitFunction {
    return exits.reduce<BitFunction>(
      (none, { bit }) =>
        this.#state.diagrams.and(none, this.#state.diagrams.not(this.#state.diagrams.bit(bit))),
      ALWAYS,
    );
  }

  /** Exits recorded since an earlier state of `pending`. */
  since(before: readonly EarlyExit[]): readonly EarlyExit[] {
    return this.#pending.filter((exit) => !before.includes(exit));
  }

  /** Merges new exits of one kind into one, so that conditions after many rounds stay small. */
  merge(before: readonly EarlyExit[], offset: number): void {
    for (const kind of ['break', 'return', 'end'] as const) {
      const same = this.since(before).filter((exit) => exit.kind === kind);
      if (same.length < 2) continue;
      const any = this.#state.diagrams.not(this.noneOf(same));
      this.#pending = [
        ...this.#pending.filter((exit) => !same.includes(exit)),
        this.#record(kind, any, offset),
      ];
    }
  }

  /** Records in a scratch bit whether an exit is taken. */
  #record(kind: EarlyExit['kind'], holds: BitFunction, offset: number): EarlyExit {
    const bit = this.#state.builder.declareScratch(1, offset);
    const value = expressionOf({ kind: 'bits', bits: [holds], isScalar: true });
    this.#state.builder.add({ kind: 'assign', bits: [bit], value }, offset);
    return { kind, bit };
  }

  /** Drops new exits of a kind, because the loop or subroutine that they leave has ended. */
  end(over: EarlyExit['kind'], before: readonly EarlyExit[]): void {
    this.#pending = this.#pending.filter((exit) => exit.kind !== over || before.includes(exit));
  }

  /** Executes an exit: at once if nothing conditional is in between, else under the condition that holds here. */
  exit(kind: EarlyExit['kind'], offset: number): Completion {
    const target = this.#target(kind);
    if (target === undefined) {
      const what = kind === 'return' ? 'subroutine' : 'loop';
      throw this.#state.tokens.invalid(
        offset,
        `There is no ${what} here for ${quoted(kind)} to leave.`,
      );
    }
    const { level, depth } = this.#state.here();
    if (target.level === level && target.depth === depth) return kind;
    this.#pending = [
      ...this.#pending,
      this.#record(kind, this.#state.frames.holds(offset), offset),
    ];
    return 'next';
  }

  /** Nesting of the block that an exit leaves; undefined where there is none. */
  #target(kind: EarlyExit['kind']): Nesting | undefined {
    if (kind === 'end') return { level: 0, depth: 0 };
    return kind === 'return' ? this.#state.subroutine : this.#state.loop;
  }

  /** Runs statements under the condition that none of the exits was taken. */
  unless(exits: readonly EarlyExit[], run: () => Completion): Completion {
    const none = this.noneOf(exits);
    if (none === NEVER) return 'next';
    const guarded = this.#guarded;
    this.#guarded = new Set([...guarded, ...exits]);
    const completion = this.#state.frames.where(none, run);
    this.#guarded = guarded;
    return completion;
  }
}
