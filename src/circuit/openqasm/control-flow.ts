/**
 * Control flow of an OpenQASM 3 program: `if`, `switch`, `for` and `while`, and the early exits `break`, `continue`,
 * `return` and `end`.
 *
 * Conditions and loops that are known while reading are resolved. Others become conditions on operations and
 * loops of the circuit. An exit under a condition on measured bits is not known while reading. A scratch bit records
 * whether it is taken, and the statements after it run under the condition that it was not.
 */
import { type Bit, scalar } from '../classical-expression.ts';
import { ALWAYS, type BitFunction, NEVER } from './decision-diagram.ts';
import type { Evaluator } from './evaluator.ts';
import { type Expression, type RangeSyntax, withPlace } from './expressions.ts';
import { asScalar, binary } from './operators.ts';
import type { Nesting, ProgramState } from './program-state.ts';
import type { VariableSymbol } from './scopes.ts';
import {
  type Completion,
  type Conditional,
  type ForLoop,
  mayLeave,
  namesWritten,
  type Statement,
  type Switch,
} from './syntax-tree.ts';
import { quoted } from './token-stream.ts';
import { expressionOf, type Value } from './values.ts';

/** One branch of an `if` or `switch`. */
interface Branch {
  readonly holds: BitFunction;
  readonly body: readonly Statement[];
}

/** Runs blocks, branches and loops. */
export class ControlFlow {
  readonly #state: ProgramState;
  readonly #evaluator: Evaluator;
  readonly #exits: EarlyExits;
  readonly #runStatement: (statement: Statement) => Completion;

  constructor(
    state: ProgramState,
    evaluator: Evaluator,
    exits: EarlyExits,
    runStatement: (statement: Statement) => Completion,
  ) {
    this.#state = state;
    this.#evaluator = evaluator;
    this.#exits = exits;
    this.#runStatement = runStatement;
  }

  /** Executes an `if`: one branch if the condition is known, else both under conditions. */
  conditional({ condition, whenTrue, whenFalse }: Conditional): Completion {
    const f = this.#evaluator.truth(condition);
    if (f.kind === 'constant') {
      return this.inBlock(() => this.body(f.value ? whenTrue : whenFalse));
    }
    this.#branches([
      { holds: f, body: whenTrue },
      { holds: this.#state.diagrams.not(f), body: whenFalse },
    ]);
    return 'next';
  }

  /** Executes a `switch`: one case if the value is known, else all under conditions. */
  switch({ subject, cases, otherwise }: Switch): Completion {
    const value = this.#evaluator.evaluate(subject);
    let remaining: BitFunction = ALWAYS;
    const branches: Branch[] = [];
    for (const { labels, body } of cases) {
      let matches: BitFunction = NEVER;
      for (const label of labels) {
        const equal = withPlace(this.#state.tokens, label.offset, () => {
          const compared = binary(
            this.#state.diagrams,
            '==',
            value,
            this.#evaluator.evaluate(label),
          );
          return this.#state.memory.truth(compared, label.offset);
        });
        matches = this.#state.diagrams.or(matches, equal);
      }
      branches.push({ holds: this.#state.diagrams.and(remaining, matches), body });
      remaining = this.#state.diagrams.and(remaining, this.#state.diagrams.not(matches));
    }
    branches.push({ holds: remaining, body: otherwise });
    const certain = branches.find(({ holds }) => holds === ALWAYS);
    if (certain !== undefined) return this.inBlock(() => this.body(certain.body));
    this.#branches(branches);
    return 'next';
  }

  /** Runs exclusive branches of an `if` or `switch`, each under its condition. */
  #branches(branches: readonly Branch[]): void {
    const frame = this.#state.frames.frame(branches.map(({ holds }) => holds));
    for (const [i, { holds, body }] of branches.entries()) {
      if (holds === NEVER || body.length === 0) continue;
      // An exit in one branch needs no guard in the others.
      this.#exits.inSpiteOfPending(() => {
        this.#state.frames.under(frame, i, () => this.inBlock(() => this.body(body)));
      });
    }
  }

  /** Executes a loop over known values by running its body once for each. */
  for(loop: ForLoop): Completion {
    const before = this.#exits.pending;
    const run = () => this.body(loop.body);
    for (const value of this.#loopValues(loop)) {
      const exits = this.#exits.since(before);
      const completion = this.#exits.unless(exits, () => this.#round(loop, value, run));
      this.#exits.end('continue', before);
      if (completion === 'break') break;
      if (completion === 'end' || completion === 'return') return completion;
      this.#exits.merge(before, loop.offset);
    }
    this.#exits.end('break', before);
    return 'next';
  }

  /** Executes a `while` loop: round by round while its condition is known, then as a loop of the circuit. */
  while(condition: Expression, body: readonly Statement[], offset: number): Completion {
    const before = this.#exits.pending;
    for (;;) {
      const exits = this.#exits.since(before);
      const f = this.#truthUnless(exits, condition);
      if (f.kind === 'choice') {
        this.#loopAtRunTime(condition, f, body, offset);
        break;
      }
      if (!f.value) break;
      const completion = this.inBlock(() => this.#inLoop(() => this.body(body)));
      this.#exits.end('continue', before);
      if (completion === 'break') break;
      if (completion === 'end' || completion === 'return') return completion;
      this.#state.takeSteps(1, offset);
    }
    this.#exits.end('break', before);
    return 'next';
  }

  /**
   * Adds a loop whose rounds depend on measured bits. A scratch bit says whether another round follows.
   *
   * @param first - Condition of the first round.
   */
  #loopAtRunTime(
    condition: Expression,
    first: BitFunction,
    body: readonly Statement[],
    offset: number,
  ): void {
    const flag = this.#state.builder.declareScratch(1, offset);
    const goesOn = (f: BitFunction) => {
      const value = expressionOf({ kind: 'bits', bits: [f], isScalar: true });
      this.#state.builder.add({ kind: 'assign', bits: [flag], value }, offset);
    };
    goesOn(this.#state.diagrams.and(this.#state.frames.holds(offset), first));
    const carryBack = this.#state.memory.carry(this.#assignedIn(body), offset);
    const { place } = this.#state.builder;
    const before = this.#exits.pending;
    this.#exits.inSpiteOfPending(() => {
      this.#state.builder.beginLoop();
      this.#state.frames.isolated(() => {
        const completion = this.inBlock(() => this.#inLoop(() => this.body(body)));
        carryBack();
        const exits = this.#exits.since(before).filter(({ kind }) => kind !== 'continue');
        const isOver = completion !== 'next' && completion !== 'continue';
        goesOn(isOver ? NEVER : this.#truthUnless(exits, condition));
      });
      this.#state.builder.endLoop({ bits: [flag], value: 1 });
    });
    this.#exits.end('continue', before);
    this.#exits.end('break', before);
    // Clears the bits of exits that leave more than the loop: an earlier run of it may have set them.
    for (const { bit } of this.#exits.since(before)) {
      this.#state.builder.insert(
        place,
        { kind: 'assign', bits: [bit], value: scalar('bool', 0) },
        offset,
      );
    }
  }

  /** Variables declared outside a body that the body may assign to. */
  #assignedIn(body: readonly Statement[]): readonly VariableSymbol[] {
    const found = new Set<VariableSymbol>();
    for (const name of namesWritten(body)) {
      const symbol = this.#state.scopes.find(name);
      if (symbol?.kind === 'variable' && !symbol.isConst) found.add(symbol);
      if (symbol?.kind === 'array') for (const element of symbol.elements) found.add(element);
    }
    return [...found];
  }

  #inLoop<T>(run: () => T): T {
    const outer = this.#state.loop;
    this.#state.loop = this.#state.here();
    const result = run();
    this.#state.loop = outer;
    return result;
  }

  /** Runs statements in a block, with names of their own. */
  inBlock<T>(run: () => T): T {
    return this.#state.scopes.within(run, (symbols) => this.#state.memory.forget(symbols));
  }

  /** Runs statements; those after a possible exit run under the condition that it was not taken. */
  body(statements: readonly Statement[]): Completion {
    for (let i = 0; i < statements.length; i++) {
      const statement = statements[i]!;
      const exits = this.#exits.unguarded;
      if (exits.length > 0) return this.#exits.unless(exits, () => this.body(statements.slice(i)));
      const completion = this.#runStatement(statement);
      if (completion !== 'next') return completion;
    }
    return 'next';
  }

  /** Condition that no exit was taken and an expression, which is only then evaluated, is true. */
  #truthUnless(exits: readonly EarlyExit[], condition: Expression): BitFunction {
    const none = this.#exits.noneOf(exits);
    return this.#state.diagrams.and(
      none,
      this.#state.frames.where(none, () => this.#evaluator.truth(condition)),
    );
  }

  /** Runs a callback once for each value of a loop whose values are known, until it completes otherwise. */
  unroll(loop: ForLoop, run: () => Completion): Completion {
    for (const value of this.#loopValues(loop)) {
      const known = withPlace(this.#state.tokens, loop.offset, () => asScalar(value));
      const completion = this.#round(loop, known, run);
      if (completion === 'end' || completion === 'return') return completion;
      if (completion === 'break') break;
    }
    return 'next';
  }

  /** Runs one round of a loop over values, with the loop variable declared. */
  #round(loop: ForLoop, value: Value, run: () => Completion): Completion {
    const { variable, variableOffset, offset } = loop;
    this.#state.takeSteps(1, offset);
    const type = this.#evaluator.typeOf(loop.type);
    const held = this.#evaluator.held(type, value, variableOffset);
    return this.inBlock(() => {
      const symbol = this.#state.newVariable(type, true);
      this.#state.scopes.declare(variable, symbol, variableOffset);
      this.#state.memory.set(symbol, held, offset);
      return this.#inLoop(run);
    });
  }

  *#loopValues({ values, offset, body }: ForLoop): Generator<Value> {
    if (values.kind === 'set') {
      for (const member of values.members) yield this.#evaluator.evaluate(member);
      return;
    }
    if (values.kind === 'elements') {
      yield* this.#elementsOf(values.of);
      return;
    }
    const { start, stop, step } = this.#knownRange(values, offset);
    // A loop without early exits that takes too many steps is rejected before its first round.
    const numRounds = Math.max(0, Math.floor((stop - start) / step) + 1);
    if (!mayLeave(body)) this.#state.builder.holdSteps(numRounds * (1 + body.length), offset);
    for (let i = start; step > 0 ? i <= stop : i >= stop; i += step) yield scalar('int', i);
  }

  #knownRange(range: RangeSyntax, offset: number) {
    if (range.start === undefined || range.stop === undefined) {
      throw this.#state.tokens.invalid(offset, "A loop's range has a start and a stop.");
    }
    const start = this.#evaluator.whole(range.start);
    const stop = this.#evaluator.whole(range.stop);
    const step = range.step === undefined ? 1 : this.#evaluator.whole(range.step);
    if (step === 0) throw this.#state.tokens.invalid(offset, 'A range has a step other than 0.');
    return { start, stop, step };
  }

  /** Yields the values of an array of one dimension, or bits. */
  *#elementsOf(expression: Expression): Generator<Value> {
    const { offset } = expression;
    const array = this.#evaluator.array(expression);
    if (array !== undefined) {
      if (array.sizes.length > 1) {
        const problem = `A loop runs over an array of one dimension; this one has ${array.sizes.length}.`;
        throw this.#state.tokens.invalid(offset, problem);
      }
      const name = { name: 'An element', selectors: [], offset };
      for (const element of array.elements) yield this.#evaluator.variable(name, element);
      return;
    }
    const value = this.#evaluator.evaluate(expression);
    if (value.kind !== 'bits' || value.isScalar) {
      throw this.#state.tokens.invalid(
        offset,
        'A range, a set, an array or a register is needed here.',
      );
    }
    for (const f of value.bits) yield { kind: 'bits', bits: [f], isScalar: true };
  }
}

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
