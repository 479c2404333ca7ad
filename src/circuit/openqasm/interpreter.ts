/**
 * Runs the statements of an OpenQASM 3 program into a circuit: what is known while reading (variables,
 * loops, ifs on constants, subroutines) happens, ifs on measured bits become conditions, and loops on
 * measured bits become loops of the circuit.
 *
 * A `break`, `continue`, `return` or `end` under a condition on measured bits notes in a scratch bit
 * whether it was met; what follows it runs where it was not.
 *
 * @see https://openqasm.com/versions/3.1/language/ (OpenQASM live specification, 3.1).
 */

import type { CircuitLimits } from '../circuit-limits.ts';
import type { NumberType } from '../classical-evaluation.ts';
import type { Bit } from '../classical-expression.ts';
import { isWhole, type Scalar, scalar } from '../classical-expression.ts';
import { Actions } from './actions.ts';
import type { CircuitBuilder } from './circuit-builder.ts';
import { ClassicalMemory, widthOf } from './classical-memory.ts';
import { ConditionFrames } from './condition-frames.ts';
import { asBits, converted, stored } from './conversions.ts';
import { ALWAYS, type BitFunction, DecisionDiagrams, NEVER } from './decision-diagram.ts';
import { checkDuration, type DurationSyntax } from './durations.ts';
import { angleCases, MAX_LISTED_BITS } from './dynamic-angles.ts';
import type { OperandSyntax, RangeSyntax } from './expressions.ts';
import {
  type CastType,
  type Expression,
  evaluate,
  evaluateScalar,
  type Scope,
  type WrittenType,
  withPlace,
} from './expressions.ts';
import { Gates, type NamedGate } from './gate-definitions.ts';
import { calledGate, definedMeaning, type Elaborating } from './gate-elaboration.ts';
import { addsAngles, opaqueGate } from './gate-meaning.ts';
import type { Inputs } from './inputs.ts';
import { asScalar, binary } from './operators.ts';
import type { Operand } from './registers.ts';
import { Results } from './results.ts';
import { type ArraySymbol, type RegisterSymbol, Scopes, type VariableSymbol } from './scopes.ts';
import {
  type ArrayDeclaration,
  type ArrayValues,
  type Completion,
  type Conditional,
  expressionOfOperand,
  type ForLoop,
  type GateCall,
  mayLeave,
  namesWritten,
  operandOf,
  type RegisterDeclaration,
  type Statement,
  type SubroutineDefinition,
  type SubroutineParameter,
  type Switch,
  type VariableDeclaration,
} from './syntax-tree.ts';
import { quoted, type TokenStream } from './token-stream.ts';
import { type Bits, expressionOf, type Value } from './values.ts';

/** Subroutines inside one another; a recursion that goes on is refused before the stack ends. */
const MAX_CALLS = 64;
/** Elements of an array. */
const MAX_ELEMENTS = 65_536;
/** Bits of a type. */
const MAX_TYPE_WIDTH = 1024;
/** A single bit as a variable's type. */
const BIT: NumberType = { base: 'bool', width: undefined };

/** What a statement under a condition left, and the scratch bit that says whether it did. */
interface Leave {
  readonly kind: Exclude<Completion, 'next'>;
  readonly bit: Bit;
}

/** Where something that may be left began: conditions and loops around it. */
interface Around {
  readonly level: number;
  readonly depth: number;
}

/** A subroutine that is being run. */
interface Call extends Around {
  readonly definition: SubroutineDefinition;
  /** Holds what it returns; undefined where it returns nothing. */
  readonly result: VariableSymbol | undefined;
}

/** A program while it runs. */
export class Interpreter implements Scope, Elaborating {
  readonly tokens: TokenStream;
  readonly diagrams = new DecisionDiagrams();
  readonly gates: Gates;
  readonly results: Results;
  readonly #actions: Actions;
  readonly #scopes: Scopes;
  readonly #frames: ConditionFrames;
  readonly #memory: ClassicalMemory;
  readonly #inputs: Inputs;
  readonly #written = new Set<number>();
  /** Outputs that are numbers, with the bits of the outcome that show them. */
  readonly #outputs: { readonly symbol: VariableSymbol; readonly bits: readonly Bit[] }[] = [];
  /** Around the innermost loop; undefined outside loops. */
  #loop: Around | undefined;
  #subroutine: Call | undefined;
  #numCalls = 0;
  /** What may have been left by statements under conditions, and what the present one runs in spite of. */
  #left: readonly Leave[] = [];
  #guarded: ReadonlySet<Leave> = new Set();
  #numPhysical = 0;

  constructor(tokens: TokenStream, limits: CircuitLimits, inputs: Inputs) {
    this.tokens = tokens;
    this.gates = new Gates(3, tokens);
    this.results = new Results(tokens);
    this.#actions = new Actions(tokens, limits);
    this.#scopes = new Scopes(tokens);
    this.#frames = new ConditionFrames(this.builder, this.diagrams);
    this.#memory = new ClassicalMemory(this.builder, this.diagrams, this.#frames);
    this.#inputs = inputs;
  }

  /** What the statements so far have come to. */
  get builder(): CircuitBuilder {
    return this.#actions.builder;
  }

  /** Runs one statement of the program itself; says whether it ends the program. */
  runNext(statement: Statement): boolean {
    return this.#body([statement]) === 'end';
  }

  /** Ends the program: numbers that it gives out are written into the outcome. */
  finish(): void {
    for (const { symbol, bits } of this.#outputs) {
      if (symbol.value === undefined) continue;
      this.#memory.write(bits, expressionOf(symbol.value), 0);
    }
  }

  #run(statement: Statement): Completion {
    const { offset } = statement;
    this.takeSteps(1 + this.diagrams.takeWork(), offset);
    if (this.#frames.depth === 0 && this.#memory.isEmpty) this.diagrams.tidy();
    switch (statement.kind) {
      case 'call':
        this.#callGate(statement);
        return 'next';
      case 'measure':
        this.#measure(this.#operand(statement.from, 'qubit'), statement.to, offset);
        return 'next';
      case 'reset': {
        const operand = this.#operand(statement.operand, 'qubit');
        this.#actions.reset(operand, this.#frames.conditions(offset), offset);
        return 'next';
      }
      case 'barrier': {
        const operands = statement.operands.map((operand) => this.#operand(operand, 'qubit'));
        this.#actions.barrier(operands, offset);
        return 'next';
      }
      case 'if':
        return this.#conditional(statement);
      case 'switch':
        return this.#switch(statement);
      case 'for':
        return this.#for(statement);
      case 'while':
        return this.#while(statement.condition, statement.body, offset);
      case 'unitary': {
        const operands = statement.operands.map((operand) => this.#operand(operand, 'qubit'));
        const conditions = this.#frames.conditions(offset);
        this.#actions.unitary(statement.rows, operands, conditions, offset);
        return 'next';
      }
      case 'result':
        this.results.add(statement, this.builder.allQubits, (operand) =>
          this.#operand(operand, 'qubit'),
        );
        return 'next';
      case 'delay':
        this.#checkDuration(statement.duration);
        for (const operand of statement.operands) this.#operand(operand, 'qubit');
        return 'next';
      case 'duration':
        this.#checkDuration(statement.value);
        this.#scopes.declare(statement.name, { kind: 'duration' }, offset);
        return 'next';
      case 'block':
        this.#checkDuration(statement.duration);
        return this.#inBlock(() => this.#body(statement.body));
      case 'register':
        this.#declareRegister(statement);
        return 'next';
      case 'variable':
        this.#declareVariable(statement);
        return 'next';
      case 'alias':
        this.#declareAlias(statement.name, statement.parts, offset);
        return 'next';
      case 'assign':
        this.#assign(statement);
        return 'next';
      case 'array':
        this.#declareArray(statement);
        return 'next';
      case 'def':
        if (!this.#scopes.isGlobal) {
          throw this.tokens.unsupported(offset, 'A subroutine defined inside a block');
        }
        this.#scopes.declare(statement.name, { kind: 'subroutine', definition: statement }, offset);
        return 'next';
      case 'return':
        return this.#return(statement.value, offset);
      case 'gate':
        if (!this.#scopes.isGlobal) {
          throw this.tokens.unsupported(offset, 'A gate defined inside a block');
        }
        this.gates.checkNew(statement.name, offset);
        this.gates.define(statement.name, definedMeaning(this, statement));
        return 'next';
      case 'opaque': {
        const { name, numParameters, numQubits } = statement;
        this.gates.checkNew(name, offset);
        this.gates.define(name, opaqueGate(name, numParameters, numQubits));
        return 'next';
      }
      case 'break':
      case 'continue':
      case 'end':
        return this.#leave(statement.kind, offset);
    }
  }

  // What expressions and gate definitions ask for.

  read(operand: OperandSyntax): Value {
    const { name, selectors, offset } = operand;
    const symbol = this.#scopes.find(name);
    if (symbol?.kind === 'array') return this.#variable(operand, this.#element(operand, symbol));
    if (symbol?.kind === 'variable') {
      if (selectors.length === 0) return this.#variable(operand, symbol);
      return this.#bitsOfNumber(operand, symbol);
    }
    const { elements, isScalar } = this.#operand(operand, 'bit');
    this.takeSteps(elements.length, offset);
    return { kind: 'bits', bits: elements.map((bit) => this.diagrams.bit(bit)), isScalar };
  }

  constant(operand: OperandSyntax): Value {
    const symbol = this.#scopes.find(operand.name);
    if (symbol === undefined) throw this.#scopes.undeclared(operand.name, operand.offset);
    if (symbol.kind === 'variable' && symbol.isConst) return this.#variable(operand, symbol);
    const problem = `${quoted(operand.name)} is no constant, and a gate knows only those.`;
    throw this.tokens.meaningless(operand.offset, problem);
  }

  cast(type: WrittenType, value: Value): Value {
    const cast = this.#castType(type);
    if (cast.base !== 'bit' || value.kind !== 'dynamic') {
      return converted(this.diagrams, cast, value);
    }
    const offset = type.width?.offset ?? 0;
    return {
      ...this.#memory.row(value, cast.width ?? 1, offset),
      isScalar: cast.width === undefined,
    };
  }

  scalar(expression: Expression): Scalar {
    this.takeSteps(expression.instructions.length, expression.offset);
    return evaluateScalar(expression, this);
  }

  whole(expression: Expression): number {
    const { type, value } = this.scalar(expression);
    if (isWhole(type)) return value;
    throw this.tokens.meaningless(expression.offset, 'A whole number stands here.');
  }

  measured(from: OperandSyntax, offset: number): Value {
    const operand = this.#operand(from, 'qubit');
    const { elements, isScalar } = operand;
    const first = this.builder.declareScratch(elements.length, offset);
    const bits = elements.map((_, i) => first + i);
    this.#measureInto(operand, { elements: bits, isScalar, name: from.name, offset }, offset);
    return { kind: 'bits', bits: bits.map((bit) => this.diagrams.bit(bit)), isScalar };
  }

  sizeOf(operand: OperandSyntax, dimension: Expression | undefined): number {
    const symbol = this.#scopes.find(operand.name);
    if (symbol?.kind !== 'array') {
      return this.#scopes.resolve(operand, undefined, (index) => this.whole(index)).elements.length;
    }
    const of = dimension === undefined ? 0 : this.whole(dimension);
    const size = symbol.sizes[operand.selectors.length + of];
    if (size !== undefined) return size;
    const problem = `${quoted(operand.name)} has ${symbol.sizes.length} dimensions, counted from 0.`;
    throw this.tokens.meaningless(operand.offset, problem);
  }

  /** Runs a subroutine in place. */
  invoke(name: string, args: readonly Expression[], offset: number): Value {
    const result = this.#runSubroutine(name, args, offset);
    if (result !== undefined) return result;
    throw this.tokens.meaningless(
      offset,
      `${quoted(name)} returns nothing, and a value stands here.`,
    );
  }

  takeSteps(count: number, offset: number): void {
    this.builder.takeSteps(count, offset);
  }

  loop(loop: ForLoop, run: () => Completion): Completion {
    for (const value of this.#loopValues(loop)) {
      const known = withPlace(this.tokens, loop.offset, () => asScalar(value));
      const completion = this.#round(loop, known, run);
      if (completion === 'end' || completion === 'return') return completion;
      if (completion === 'break') break;
    }
    return 'next';
  }

  /** One round of a loop over values, with its variable. */
  #round(loop: ForLoop, value: Value, run: () => Completion): Completion {
    const { variable, variableOffset, offset } = loop;
    this.takeSteps(1, offset);
    const type = loop.type.base === 'bit' ? BIT : this.#numberType(loop.type);
    const held = withPlace(this.tokens, variableOffset, () => stored(this.diagrams, type, value));
    return this.#inBlock(() => {
      const symbol = this.#newVariable(type, true);
      this.#scopes.declare(variable, symbol, variableOffset);
      this.#memory.set(symbol, held, offset);
      return this.#inLoop(run);
    });
  }

  // Statements.

  #callGate(call: GateCall): void {
    const { name, offset } = call;
    if (this.#scopes.find(name)?.kind === 'subroutine' && call.modifiers.length === 0) {
      // `f(1) q;` is how examples of the specification write `f(1, q);`.
      this.#runSubroutine(
        name,
        [...call.angles, ...call.operands.map(expressionOfOperand)],
        offset,
      );
      return;
    }
    this.#checkDuration(call.duration);
    const called = calledGate(this, call);
    const angles = call.angles.map((angle) => this.#evaluate(angle));
    const operands = call.operands.map((operand) => this.#operand(operand, 'qubit'));
    const acting = this.gates.actingOperands(called, operands);
    const known = angles.map((angle) => (isKnown(angle) ? asScalar(angle).value : undefined));
    if (known.every((angle) => angle !== undefined)) {
      this.#actions.callGate(called, known, acting, this.#frames.conditions(offset));
    } else {
      this.#callAtRunTime(called, angles, acting, offset);
    }
  }

  /** A gate whose angles depend on measured bits: one for each case, under its condition. */
  #callAtRunTime(
    called: NamedGate,
    angles: readonly Value[],
    operands: readonly Operand[],
    offset: number,
  ): void {
    const cases = withPlace(this.tokens, offset, () =>
      angleCases(this.diagrams, angles.map(expressionOf), addsAngles(called.gate)),
    );
    if (cases === undefined) {
      const construct = `An angle of ${called.name} that is no sum over measured bits and depends on more than ${MAX_LISTED_BITS} of them,`;
      throw this.tokens.unsupported(offset, construct);
    }
    for (const { angles: known, holds } of cases) {
      this.#under(holds, () => {
        this.#actions.callGate(called, known, operands, this.#frames.conditions(offset));
      });
    }
  }

  /** Runs something where a function of bits holds. */
  #under<T>(holds: BitFunction, run: () => T): T {
    if (holds === ALWAYS) return run();
    return this.#frames.under(this.#frames.frame([holds]), 0, run);
  }

  #checkDuration(duration: DurationSyntax | undefined): void {
    if (duration === undefined) return;
    this.takeSteps(duration.instructions.length, duration.offset);
    checkDuration(duration, this.tokens, ({ name, offset }) => {
      const symbol = this.#scopes.find(name);
      if (symbol === undefined) throw this.#scopes.undeclared(name, offset);
      return symbol.kind === 'duration' ? 'duration' : 'number';
    });
  }

  #measure(from: Operand, target: OperandSyntax | undefined, offset: number): void {
    const to = target === undefined ? this.#unnamedBits(from, offset) : this.#bits(target);
    this.#measureInto(from, to, offset);
  }

  #measureInto(from: Operand, to: Operand, offset: number): void {
    this.#memory.prepareWrite(to.elements, offset);
    const conditions = this.#frames.conditionsToWrite(to.elements, offset);
    this.#actions.measure(from, to, conditions, offset);
    for (const bit of to.elements) this.#written.add(bit);
  }

  /** Bits for an outcome that the program keeps nowhere: it is counted after the declared ones. */
  #unnamedBits({ elements, isScalar, name }: Operand, offset: number): Operand {
    const first = this.builder.declareBits(elements.length, offset);
    return { elements: elements.map((_, i) => first + i), isScalar, name, offset };
  }

  /** Bits that are written: of a register, or of a number. */
  #bits(operand: OperandSyntax): Operand {
    const { name, selectors, offset } = operand;
    const symbol = this.#scopes.find(name);
    if (symbol?.kind !== 'variable') return this.#operand(operand, 'bit');
    this.#checkAssignable(symbol, operand);
    const elements = this.#memory.bitsOfVariable(symbol, offset);
    const register = { kind: 'bit', elements, isScalar: false } as const;
    const selected = this.#scopes.select(operand, register, selectors, (at) => this.whole(at));
    return { ...selected, name, offset };
  }

  #conditional({ condition, whenTrue, whenFalse }: Conditional): Completion {
    const f = this.#truth(condition);
    if (f.kind === 'constant') {
      return this.#inBlock(() => this.#body(f.value ? whenTrue : whenFalse));
    }
    this.#branches([
      { holds: f, body: whenTrue },
      { holds: this.diagrams.not(f), body: whenFalse },
    ]);
    return 'next';
  }

  #switch({ subject, cases, otherwise }: Switch): Completion {
    const value = this.#evaluate(subject);
    let remaining: BitFunction = ALWAYS;
    const branches: Branch[] = [];
    for (const { labels, body } of cases) {
      let matches: BitFunction = NEVER;
      for (const label of labels) {
        const equal = withPlace(this.tokens, label.offset, () => {
          const compared = binary(this.diagrams, '==', value, this.#evaluate(label));
          return this.#memory.truth(compared, label.offset);
        });
        matches = this.diagrams.or(matches, equal);
      }
      branches.push({ holds: this.diagrams.and(remaining, matches), body });
      remaining = this.diagrams.and(remaining, this.diagrams.not(matches));
    }
    branches.push({ holds: remaining, body: otherwise });
    const certain = branches.find(({ holds }) => holds === ALWAYS);
    if (certain !== undefined) return this.#inBlock(() => this.#body(certain.body));
    this.#branches(branches);
    return 'next';
  }

  /** Runs the branches of an `if` or `switch`, no two of which run together. */
  #branches(branches: readonly Branch[]): void {
    const frame = this.#frames.frame(branches.map(({ holds }) => holds));
    for (const [i, { holds, body }] of branches.entries()) {
      if (holds === NEVER || body.length === 0) continue;
      // What a branch leaves, the others do not run after.
      const guarded = this.#guarded;
      this.#guarded = new Set([...guarded, ...this.#left]);
      this.#frames.under(frame, i, () => this.#inBlock(() => this.#body(body)));
      this.#guarded = guarded;
    }
  }

  /** A loop over values that are known, whose rounds are written one after the other. */
  #for(loop: ForLoop): Completion {
    const before = this.#left;
    const run = () => this.#body(loop.body);
    for (const value of this.#loopValues(loop)) {
      const guarded = this.#leftSince(before);
      const completion = this.#unless(guarded, () => this.#round(loop, value, run));
      this.#drop('continue', before);
      if (completion === 'break') break;
      if (completion === 'end' || completion === 'return') return completion;
      this.#join(before, loop.offset);
    }
    this.#drop('break', before);
    return 'next';
  }

  #while(condition: Expression, body: readonly Statement[], offset: number): Completion {
    const before = this.#left;
    for (;;) {
      const left = this.#leftSince(before);
      const f = this.#truthUnless(left, condition);
      if (f.kind === 'choice') {
        this.#loopAtRunTime(condition, f, body, offset);
        break;
      }
      if (!f.value) break;
      const completion = this.#inBlock(() => this.#inLoop(() => this.#body(body)));
      this.#drop('continue', before);
      if (completion === 'break') break;
      if (completion === 'end' || completion === 'return') return completion;
      this.takeSteps(1, offset);
    }
    this.#drop('break', before);
    return 'next';
  }

  /**
   * A loop whose rounds depend on measured bits. A scratch bit says whether there is another.
   *
   * @param first - Whether there is a first round.
   */
  #loopAtRunTime(
    condition: Expression,
    first: BitFunction,
    body: readonly Statement[],
    offset: number,
  ): void {
    const flag = this.builder.declareScratch(1, offset);
    const goesOn = (f: BitFunction) => {
      const value = expressionOf({ kind: 'bits', bits: [f], isScalar: true });
      this.builder.add({ kind: 'assign', bits: [flag], value }, offset);
    };
    goesOn(this.diagrams.and(this.#frames.holds(offset), first));
    const carryBack = this.#memory.carry(this.#assignedIn(body), offset);
    const { place } = this.builder;
    const [before, guarded] = [this.#left, this.#guarded];
    this.#guarded = new Set(before);
    this.builder.beginLoop();
    this.#frames.isolated(() => {
      const completion = this.#inBlock(() => this.#inLoop(() => this.#body(body)));
      carryBack();
      const left = this.#leftSince(before).filter(({ kind }) => kind !== 'continue');
      const isOver = completion !== 'next' && completion !== 'continue';
      goesOn(isOver ? NEVER : this.#truthUnless(left, condition));
    });
    this.builder.endLoop({ bits: [flag], value: 1 });
    this.#guarded = guarded;
    this.#drop('continue', before);
    this.#drop('break', before);
    // What is left for good counts only if it was left now, not in an earlier run of the loop.
    for (const { bit } of this.#leftSince(before)) {
      this.builder.insert(place, { kind: 'assign', bits: [bit], value: scalar('bool', 0) }, offset);
    }
  }

  /** The variables outside a body that it may give values to. */
  #assignedIn(body: readonly Statement[]): readonly VariableSymbol[] {
    const found = new Set<VariableSymbol>();
    for (const name of namesWritten(body)) {
      const symbol = this.#scopes.find(name);
      if (symbol?.kind === 'variable' && !symbol.isConst) found.add(symbol);
      if (symbol?.kind === 'array') for (const element of symbol.elements) found.add(element);
    }
    return [...found];
  }

  #inLoop<T>(run: () => T): T {
    const outer = this.#loop;
    this.#loop = this.#here();
    const result = run();
    this.#loop = outer;
    return result;
  }

  /** Runs something in a block of its own. */
  #inBlock<T>(run: () => T): T {
    return this.#scopes.within(run, (symbols) => this.#memory.forget(symbols));
  }

  /** Runs statements; what follows one that may have been left runs only where it was not. */
  #body(statements: readonly Statement[]): Completion {
    for (const [i, statement] of statements.entries()) {
      const left = this.#left.filter((leave) => !this.#guarded.has(leave));
      if (left.length > 0) return this.#unless(left, () => this.#body(statements.slice(i)));
      const completion = this.#run(statement);
      if (completion !== 'next') return completion;
    }
    return 'next';
  }

  /** Runs something where none of these was left. */
  #unless(left: readonly Leave[], run: () => Completion): Completion {
    const none = this.#noneOf(left);
    if (none === NEVER) return 'next';
    const guarded = this.#guarded;
    this.#guarded = new Set([...guarded, ...left]);
    const completion = this.#under(none, run);
    this.#guarded = guarded;
    return completion;
  }

  /** Whether none of these was left and a condition holds, which may measure and is tested only then. */
  #truthUnless(left: readonly Leave[], condition: Expression): BitFunction {
    const none = this.#noneOf(left);
    return this.diagrams.and(
      none,
      this.#under(none, () => this.#truth(condition)),
    );
  }

  #noneOf(left: readonly Leave[]): BitFunction {
    return left.reduce<BitFunction>(
      (none, { bit }) => this.diagrams.and(none, this.diagrams.not(this.diagrams.bit(bit))),
      ALWAYS,
    );
  }

  #leftSince(before: readonly Leave[]): readonly Leave[] {
    return this.#left.filter((leave) => !before.includes(leave));
  }

  /** Makes one of all that was left in the same way, so that a condition on many rounds stays small. */
  #join(before: readonly Leave[], offset: number): void {
    for (const kind of ['break', 'return', 'end'] as const) {
      const same = this.#leftSince(before).filter((leave) => leave.kind === kind);
      if (same.length < 2) continue;
      const any = this.diagrams.not(this.#noneOf(same));
      this.#left = [
        ...this.#left.filter((leave) => !same.includes(leave)),
        this.#noted(kind, any, offset),
      ];
    }
  }

  /** Notes in a scratch bit where something was left. */
  #noted(kind: Leave['kind'], holds: BitFunction, offset: number): Leave {
    const bit = this.builder.declareScratch(1, offset);
    const value = expressionOf({ kind: 'bits', bits: [holds], isScalar: true });
    this.builder.add({ kind: 'assign', bits: [bit], value }, offset);
    return { kind, bit };
  }

  /** Forgets what was left of a loop or subroutine that is over. */
  #drop(over: Leave['kind'], before: readonly Leave[]): void {
    this.#left = this.#left.filter((leave) => leave.kind !== over || before.includes(leave));
  }

  #here(): Around {
    return { level: this.#frames.level, depth: this.#frames.depth };
  }

  /** Leaves a round, a loop, a subroutine or the program, at once or where a condition holds. */
  #leave(kind: Leave['kind'], offset: number): Completion {
    const around = this.#leftBy(kind);
    if (around === undefined) {
      const what = kind === 'return' ? 'subroutine' : 'loop';
      throw this.tokens.meaningless(
        offset,
        `There is no ${what} here for ${quoted(kind)} to leave.`,
      );
    }
    const { level, depth } = this.#here();
    if (around.level === level && around.depth === depth) return kind;
    this.#left = [...this.#left, this.#noted(kind, this.#frames.holds(offset), offset)];
    return 'next';
  }

  #leftBy(kind: Leave['kind']): Around | undefined {
    if (kind === 'end') return { level: 0, depth: 0 };
    return kind === 'return' ? this.#subroutine : this.#loop;
  }

  // Subroutines.

  /** What a subroutine returns; undefined where it returns nothing. */
  #runSubroutine(name: string, args: readonly Expression[], offset: number): Value | undefined {
    const symbol = this.#scopes.find(name);
    if (symbol === undefined) throw this.#scopes.undeclared(name, offset);
    if (symbol.kind !== 'subroutine') {
      throw this.tokens.meaningless(offset, `${quoted(name)} is no function and no subroutine.`);
    }
    const { definition } = symbol;
    const { parameters, returns } = definition;
    if (args.length !== parameters.length) {
      const problem = `${quoted(name)} takes ${parameters.length} arguments, not ${args.length}.`;
      throw this.tokens.meaningless(offset, problem);
    }
    if (this.#numCalls === MAX_CALLS) {
      const problem = `Subroutines call one another, or themselves, more than ${MAX_CALLS} deep`;
      throw this.tokens.pastLimit(offset, `${problem}; each call is written out where it stands.`);
    }
    const bind = parameters.map((parameter, i) => this.#argument(parameter, args[i]!, definition));
    const [outer, loop, before] = [this.#subroutine, this.#loop, this.#left];
    this.#numCalls++;
    const result = returns === undefined ? undefined : this.#newVariable(this.#resultType(returns));
    this.#subroutine = { ...this.#here(), definition, result };
    this.#loop = undefined;
    const forget = (symbols: Iterable<{ readonly kind: string }>) => this.#memory.forget(symbols);
    this.#scopes.apart(() => {
      for (const declare of bind) declare();
      this.#body(definition.body);
    }, forget);
    [this.#subroutine, this.#loop] = [outer, loop];
    this.#numCalls--;
    this.#drop('return', before);
    if (result === undefined) return undefined;
    this.#memory.forget([result]);
    const { value } = result;
    if (value === undefined) {
      throw this.tokens.meaningless(offset, `${quoted(name)} returned nothing here.`);
    }
    if (returns?.base !== 'bit' || value.kind !== 'bits') return value;
    return { ...value, isScalar: returns.width === undefined };
  }

  /** Evaluates an argument; what is given back declares the parameter. */
  #argument(
    { name, of, type, offset }: SubroutineParameter,
    argument: Expression,
    { body }: SubroutineDefinition,
  ): () => void {
    const operand = operandOf(argument);
    const place = argument.offset;
    switch (of) {
      case 'qubit': {
        if (operand === undefined) {
          throw this.tokens.meaningless(place, `Qubits stand here, for ${quoted(name)}.`);
        }
        const { elements } = this.#operand(operand, 'qubit');
        this.#checkSize(name, type, elements.length, place);
        const symbol = { kind: of, elements, isScalar: type.width === undefined } as const;
        return () => this.#scopes.declare(name, symbol, offset);
      }
      case 'array': {
        const symbol = operand && this.#scopes.find(operand.name);
        if (symbol?.kind !== 'array') {
          throw this.tokens.meaningless(place, `An array stands here, for ${quoted(name)}.`);
        }
        return () => this.#scopes.declare(name, symbol, offset);
      }
      case 'bit': {
        const isScalar = type.width === undefined;
        const width = type.width === undefined ? 1 : this.whole(type.width);
        const given = this.#evaluate(argument);
        const value = withPlace(this.tokens, place, () => this.#memory.row(given, width, place));
        const elements = value.bits.map((f) =>
          f.kind === 'choice' && isBit(f) ? f.bit : undefined,
        );
        // The caller's own bits serve where nothing writes the parameter.
        if (!namesWritten(body).has(name) && elements.every((bit) => bit !== undefined)) {
          return () => this.#scopes.declare(name, { kind: 'bit', elements, isScalar }, offset);
        }
        const first = this.builder.declareScratch(width, place);
        const bits = value.bits.map((_, i) => first + i);
        this.#memory.write(bits, expressionOf(value), place);
        return () => this.#scopes.declare(name, { kind: 'bit', elements: bits, isScalar }, offset);
      }
      case 'number': {
        const held = this.#stored(this.#numberType(type), argument);
        return () => {
          const symbol = this.#newVariable(this.#numberType(type));
          this.#scopes.declare(name, symbol, offset);
          this.#memory.set(symbol, held, place);
        };
      }
    }
  }

  #checkSize(name: string, { width }: WrittenType, size: number, offset: number): void {
    const expected = width === undefined ? 1 : this.whole(width);
    if (size === expected) return;
    const problem = `${quoted(name)} is ${expected} of the elements, and here stand ${size}.`;
    throw this.tokens.meaningless(offset, problem);
  }

  /** The type of the variable that holds what a subroutine returns; bits are held as a number's. */
  #resultType(returns: WrittenType): NumberType {
    if (returns.base !== 'bit') return this.#numberType(returns);
    return returns.width === undefined ? BIT : { base: 'uint', width: this.whole(returns.width) };
  }

  #return(value: Expression | undefined, offset: number): Completion {
    const call = this.#subroutine;
    if (call !== undefined && value !== undefined) {
      const { result, definition } = call;
      if (result === undefined) {
        const problem = `${quoted(definition.name)} is declared without "->", so it returns no value.`;
        throw this.tokens.meaningless(offset, problem);
      }
      const given = this.#evaluate(value);
      const { base, width } = result.type;
      const held = withPlace(this.tokens, offset, () =>
        definition.returns?.base === 'bit'
          ? this.#memory.row(given, width ?? 1, offset)
          : stored(this.diagrams, { base, width }, given),
      );
      this.#memory.set(result, held, offset);
    }
    return this.#leave('return', offset);
  }

  // Declarations and assignments.

  #newVariable(type: NumberType, isConst = false): VariableSymbol {
    return { kind: 'variable', type, isConst, ...this.#here(), value: undefined };
  }

  #declareRegister(declaration: RegisterDeclaration): void {
    const { of, role, name, size, measured, value, offset } = declaration;
    if (of === 'qubit' && !(this.#scopes.isGlobal && this.#frames.depth === 0)) {
      throw this.tokens.unsupported(offset, 'A qubit declared inside a block');
    }
    if (of === 'qubit' && this.#numPhysical > 0) throw this.#mixedQubits(offset);
    const count = size === undefined ? 1 : this.whole(size);
    if (count < 1) {
      const place = size?.offset ?? offset;
      throw this.tokens.meaningless(place, 'A register has at least one element.');
    }
    if (role !== 'plain' && !this.#scopes.isGlobal) throw this.#notGlobal(role, offset);
    if (role === 'input') {
      const type = { base: 'uint', width: count } as const;
      const symbol = this.#newVariable(size === undefined ? BIT : type, true);
      const given = this.#inputs.takeBits(name, count);
      const bits = given.map((bit) => (bit ? ALWAYS : NEVER));
      symbol.value = { kind: 'bits', bits, isScalar: size === undefined };
      this.#scopes.declare(name, symbol, offset);
      return;
    }
    const isLocal = of === 'bit' && this.#subroutine !== undefined;
    const first =
      of === 'qubit'
        ? this.builder.declareQubits(count, offset)
        : isLocal
          ? this.builder.declareScratch(count, offset)
          : this.builder.declareBits(count, offset);
    const elements = Array.from({ length: count }, (_, i) => first + i);
    if (role === 'output') this.builder.giveOut(elements);
    const symbol: RegisterSymbol = { kind: of, elements, isScalar: size === undefined };
    this.#scopes.declare(name, symbol, offset);
    const whole = { name, selectors: [], offset };
    if (measured !== undefined) this.#measure(this.#operand(measured, 'qubit'), whole, offset);
    else if (value !== undefined) this.#assignBits(whole, this.#evaluate(value), value.offset);
  }

  #declareVariable({ role, type: written, name, value, offset }: VariableDeclaration): void {
    const type = this.#numberType(written);
    if ((role === 'input' || role === 'output') && !this.#scopes.isGlobal) {
      throw this.#notGlobal(role, offset);
    }
    const symbol = this.#newVariable(type, role === 'const' || role === 'input');
    const held =
      role === 'input'
        ? this.#inputs.take(name, type)
        : value === undefined
          ? undefined
          : this.#stored(type, value);
    this.#scopes.declare(name, symbol, offset);
    if (held !== undefined) this.#memory.set(symbol, held, offset);
    if (role !== 'output') return;
    const width = widthOf(type);
    const first = this.builder.declareBits(width, offset);
    const bits = Array.from({ length: width }, (_, i) => first + i);
    this.builder.giveOut(bits);
    this.#outputs.push({ symbol, bits });
  }

  #notGlobal(role: 'input' | 'output', offset: number) {
    return this.tokens.meaningless(offset, `An ${role} stands outside all blocks.`);
  }

  #declareArray({ type: written, sizes, name, values, offset }: ArrayDeclaration): void {
    const type = this.#numberType(written);
    const dimensions = sizes.map((size) => this.whole(size));
    const count = dimensions.reduce((product, size) => product * size, 1);
    if (dimensions.some((size) => size < 1) || count > MAX_ELEMENTS) {
      const problem = `An array has 1 to ${MAX_ELEMENTS} elements, not ${count}.`;
      throw this.tokens.pastLimit(offset, problem);
    }
    this.takeSteps(count, offset);
    const elements = Array.from({ length: count }, () => this.#newVariable(type));
    this.#scopes.declare(name, { kind: 'array', sizes: dimensions, elements }, offset);
    if (values !== undefined) this.#fillArray(elements, dimensions, values, offset);
  }

  #fillArray(
    elements: readonly VariableSymbol[],
    [size, ...inner]: readonly number[],
    values: ArrayValues,
    offset: number,
  ): void {
    if (size === undefined) {
      if ('list' in values)
        throw this.tokens.meaningless(offset, 'A number stands here, not a list.');
      this.#memory.set(elements[0]!, this.#stored(elements[0]!.type, values), offset);
      return;
    }
    if (!('list' in values) || values.list.length !== size) {
      throw this.tokens.meaningless(offset, `A list of ${size} values stands here.`);
    }
    const stride = elements.length / size;
    for (const [i, value] of values.list.entries()) {
      this.#fillArray(elements.slice(i * stride, (i + 1) * stride), inner, value, offset);
    }
  }

  /** The element of an array that indices name. */
  #element({ name, selectors, offset }: OperandSyntax, { sizes, elements }: ArraySymbol) {
    if (selectors.length !== sizes.length) {
      const problem = `${quoted(name)} has ${sizes.length} dimensions, and here stand ${selectors.length} indices`;
      throw this.tokens.meaningless(offset, `${problem}; parts of arrays are not supported.`);
    }
    let place = 0;
    for (const [i, selector] of selectors.entries()) {
      if (selector.kind !== 'index') throw this.tokens.unsupported(offset, 'A part of an array');
      const size = sizes[i]!;
      const index = this.whole(selector.index);
      const at = index < 0 ? index + size : index;
      if (at < 0 || at >= size) {
        const problem = `${name}[${index}] is out of range; there are indices 0 to ${size - 1}.`;
        throw this.tokens.meaningless(selector.index.offset, problem);
      }
      place = place * size + at;
    }
    return elements[place]!;
  }

  #declareAlias(name: string, parts: readonly OperandSyntax[], offset: number): void {
    const first = this.#scopes.resolve(parts[0]!, undefined, (index) => this.whole(index));
    const operands = parts.map((part) => this.#operand(part, first.kind));
    const elements = operands.flatMap((operand) => operand.elements);
    this.takeSteps(elements.length, offset);
    if (new Set(elements).size < elements.length) {
      throw this.tokens.meaningless(offset, `${quoted(name)} would name an element twice.`);
    }
    const isScalar = parts.length === 1 && first.isScalar;
    this.#scopes.declare(name, { kind: first.kind, elements, isScalar }, offset);
  }

  #assign({ target, operator, value, offset }: Extract<Statement, { kind: 'assign' }>): void {
    const found = this.#scopes.find(target.name);
    const symbol = found?.kind === 'array' ? this.#element(target, found) : found;
    const isWholeNumber = found?.kind === 'array' || target.selectors.length === 0;
    if (symbol?.kind !== 'variable' || !isWholeNumber) {
      const given = this.#evaluate(value);
      if (operator === undefined) {
        this.#assignBits(target, given, offset);
        return;
      }
      const result = withPlace(this.tokens, offset, () =>
        binary(this.diagrams, operator, this.read(target), given),
      );
      this.#assignBits(target, result, offset);
      return;
    }
    this.#checkAssignable(symbol, target);
    const given = this.#evaluate(value);
    const held = withPlace(this.tokens, offset, () => {
      const old = this.#variable(target, symbol, operator === undefined);
      const result = operator === undefined ? given : binary(this.diagrams, operator, old, given);
      return stored(this.diagrams, symbol.type, result);
    });
    this.#memory.set(symbol, held, offset);
  }

  #checkAssignable({ isConst }: VariableSymbol, { name, offset }: OperandSyntax): void {
    if (this.#subroutine !== undefined && this.#scopes.isFromOutside(name)) {
      const problem = `${quoted(name)} is declared outside the subroutine, which may read it but not change it`;
      throw this.tokens.meaningless(offset, `${problem}; return the value instead.`);
    }
    if (isConst) throw this.tokens.meaningless(offset, `${quoted(name)} is constant.`);
  }

  /** Gives bits the value of an expression; a register takes as many bits as it has. */
  #assignBits(target: OperandSyntax, value: Value, offset: number): void {
    const { elements, isScalar } = this.#bits(target);
    const width = elements.length;
    if (value.kind === 'bits' && value.bits.length > width) {
      const problem = `${quoted(target.name)} is ${width} bits wide here, and the value ${value.bits.length}`;
      throw this.tokens.meaningless(offset, `${problem}.`);
    }
    if (value.kind === 'scalar' && !isWhole(value.type)) {
      throw this.tokens.meaningless(offset, 'Bits are made of whole numbers, and this is none.');
    }
    const row = isScalar
      ? { kind: 'bits' as const, bits: [this.#memory.truth(value, offset)], isScalar }
      : withPlace(this.tokens, offset, () => this.#asRow(value, width, offset));
    const isZero = row.bits.every((f) => f === NEVER);
    const isFresh = this.#frames.level === 0 && !elements.some((bit) => this.#written.has(bit));
    // Bits read 0 before they are written.
    if (isZero && isFresh) return;
    this.#memory.write(elements, expressionOf({ ...row, isScalar: false }), offset);
    for (const bit of elements) this.#written.add(bit);
  }

  #asRow(value: Value, width: number, offset: number): Bits {
    const row = asBits(this.diagrams, width, value);
    return row.kind === 'bits' ? row : this.#memory.row(value, width, offset);
  }

  // Values and operands.

  #operand(operand: OperandSyntax, kind: RegisterSymbol['kind']): Operand {
    if (operand.name.startsWith('$') && kind === 'qubit') return this.#physical(operand);
    return this.#scopes.resolve(operand, kind, (index) => this.whole(index));
  }

  /** `$3`: qubit 3 of the machine; programs for one declare no qubits. */
  #physical({ name, offset }: OperandSyntax): Operand {
    const qubit = Number(name.slice(1));
    if (qubit >= this.#numPhysical) {
      if (this.#numPhysical === 0 && this.builder.allQubits.length > 0) {
        throw this.#mixedQubits(offset);
      }
      this.builder.declareQubits(qubit + 1 - this.#numPhysical, offset);
      this.#numPhysical = qubit + 1;
    }
    return { elements: [qubit], isScalar: true, name, offset };
  }

  #mixedQubits(offset: number) {
    return this.tokens.unsupported(offset, 'Declaring qubits beside those of the machine ($0)');
  }

  #variable({ name, offset }: OperandSyntax, symbol: VariableSymbol, isOverwritten = false): Value {
    if (symbol.value !== undefined) return symbol.value;
    if (!isOverwritten) {
      const problem = `${quoted(name)} is read before it is given a value; it is taken as 0.`;
      this.tokens.warn('CIRCUIT_VARIABLE_UNSET', offset, problem);
    }
    return scalar(symbol.type.base, 0);
  }

  /** Bits of a number: `i[0]`, `i[0:3]`. */
  #bitsOfNumber(operand: OperandSyntax, symbol: VariableSymbol): Value {
    const { selectors, offset } = operand;
    const value = this.#variable(operand, symbol);
    if (symbol.type.base === 'float' || symbol.type.base === 'bool') {
      throw this.tokens.meaningless(offset, `A ${symbol.type.base} has no bits to select.`);
    }
    const { width } = symbol.type;
    if (symbol.type.base === 'angle' && width === undefined) {
      const problem = 'An angle has bits where its declaration says how many, as in angle[16].';
      throw this.tokens.meaningless(offset, problem);
    }
    const row = this.#memory.row(value, widthOf(symbol.type), offset);
    const elements = row.bits.map((_, i) => i);
    const register = { kind: 'bit', elements, isScalar: false } as const;
    const selected = this.#scopes.select(operand, register, selectors, (at) => this.whole(at));
    const bits = selected.elements.map((i) => row.bits[i]!);
    return { kind: 'bits', bits, isScalar: selected.isScalar };
  }

  #evaluate(expression: Expression): Value {
    this.takeSteps(expression.instructions.length, expression.offset);
    return evaluate(expression, this);
  }

  #truth(expression: Expression): BitFunction {
    const value = this.#evaluate(expression);
    return withPlace(this.tokens, expression.offset, () =>
      this.#memory.truth(value, expression.offset),
    );
  }

  #stored(type: NumberType, value: Expression): Value {
    const given = this.#evaluate(value);
    return withPlace(this.tokens, value.offset, () => stored(this.diagrams, type, given));
  }

  #castType({ base, width }: WrittenType): CastType {
    if (width === undefined) return { base, width };
    const bits = this.whole(width);
    if (bits < 1 || bits > MAX_TYPE_WIDTH) {
      const problem = `A type has 1 to ${MAX_TYPE_WIDTH} bits, not ${bits}.`;
      throw this.tokens.meaningless(width.offset, problem);
    }
    return { base, width: bits };
  }

  #numberType(written: WrittenType): NumberType {
    const { base, width } = this.#castType(written);
    if (base === 'bit') throw new Error('unreachable: bits are no number');
    return { base, width };
  }

  *#loopValues({ values, offset, body }: ForLoop): Generator<Value> {
    if (values.kind === 'set') {
      for (const member of values.members) yield this.#evaluate(member);
      return;
    }
    if (values.kind === 'elements') {
      yield* this.#elementsOf(values.of);
      return;
    }
    const { start, stop, step } = this.#knownRange(values, offset);
    // A loop that nothing leaves early is refused before its first round, not after its millionth.
    const numRounds = Math.max(0, Math.floor((stop - start) / step) + 1);
    if (!mayLeave(body)) this.builder.holdSteps(numRounds * (1 + body.length), offset);
    for (let i = start; step > 0 ? i <= stop : i >= stop; i += step) yield scalar('int', i);
  }

  #knownRange(range: RangeSyntax, offset: number) {
    if (range.start === undefined || range.stop === undefined) {
      throw this.tokens.meaningless(offset, "A loop's range has a start and a stop.");
    }
    const start = this.whole(range.start);
    const stop = this.whole(range.stop);
    const step = range.step === undefined ? 1 : this.whole(range.step);
    if (step === 0) throw this.tokens.meaningless(offset, 'A range has a step other than 0.');
    return { start, stop, step };
  }

  /** The values of an array, or the bits of a register, one after the other. */
  *#elementsOf(operand: OperandSyntax): Generator<Value> {
    const symbol = this.#scopes.find(operand.name);
    if (symbol?.kind === 'array' && operand.selectors.length === 0) {
      for (const element of symbol.elements) yield this.#variable(operand, element);
      return;
    }
    const value = this.read(operand);
    if (value.kind !== 'bits') {
      throw this.tokens.meaningless(
        operand.offset,
        'A range, a set, an array or a register stands here.',
      );
    }
    for (const f of value.bits) yield { kind: 'bits', bits: [f], isScalar: true };
  }
}

/** One way on from an `if` or `switch`. */
interface Branch {
  readonly holds: BitFunction;
  readonly body: readonly Statement[];
}

/** Whether a function is what one bit reads. */
const isBit = (f: Extract<BitFunction, { kind: 'choice' }>): boolean =>
  f.low === NEVER && f.high === ALWAYS;

/** Whether a value is a number that the program text alone decides. */
const isKnown = (value: Value): boolean =>
  value.kind === 'scalar' ||
  (value.kind === 'bits' && value.bits.every(({ kind }) => kind === 'constant'));
