/**
 * Runs the statements of an OpenQASM 3 program into a circuit: what is known while reading
 * (variables, loops, ifs on constants) happens, and ifs on measured bits become conditions.
 *
 * @see https://openqasm.com/versions/3.1/language/ (OpenQASM live specification, 3.1).
 */
import type { CircuitLimits } from '../circuit-limits.ts';
import { Actions } from './actions.ts';
import type { CircuitBuilder } from './circuit-builder.ts';
import { ConditionFrames, type Frame } from './condition-frames.ts';
import { converted, isZero, stored, typeName } from './conversions.ts';
import { ALWAYS, type BitFunction, DecisionDiagrams, NEVER } from './decision-diagram.ts';
import { checkDuration, type DurationSyntax } from './durations.ts';
import {
  type CastType,
  type Expression,
  evaluate,
  evaluateScalar,
  type Scope,
  withPlace,
} from './expressions.ts';
import { Gates } from './gate-definitions.ts';
import { calledGate, definedMeaning, type Elaborating } from './gate-elaboration.ts';
import { opaqueGate } from './gate-meaning.ts';
import type { Inputs } from './inputs.ts';
import type { OperandSyntax } from './operand-syntax.ts';
import { binary, truthOf } from './operators.ts';
import type { Operand } from './registers.ts';
import { Results } from './results.ts';
import { type RegisterSymbol, Scopes, type VariableSymbol } from './scopes.ts';
import type {
  Completion,
  Conditional,
  ForLoop,
  GateCall,
  RegisterDeclaration,
  Statement,
  Switch,
  VariableDeclaration,
} from './syntax-tree.ts';
import { quoted, type TokenStream } from './token-stream.ts';
import { isWhole, type Scalar, type ScalarType, scalar, type Value } from './values.ts';

type NumberType = CastType & { readonly base: ScalarType };

/** A program while it runs. */
export class Interpreter implements Scope, Elaborating {
  readonly tokens: TokenStream;
  readonly diagrams = new DecisionDiagrams();
  readonly gates: Gates;
  readonly results: Results;
  readonly #actions: Actions;
  readonly #scopes: Scopes;
  readonly #frames: ConditionFrames;
  readonly #inputs: Inputs;
  readonly #written = new Set<number>();
  /** Conditions on measured bits around the innermost loop; undefined outside loops. */
  #loopDepth: number | undefined;
  #numPhysical = 0;

  constructor(tokens: TokenStream, limits: CircuitLimits, inputs: Inputs) {
    this.tokens = tokens;
    this.gates = new Gates(3, tokens);
    this.results = new Results(tokens);
    this.#actions = new Actions(tokens, limits);
    this.#scopes = new Scopes(tokens);
    this.#frames = new ConditionFrames(tokens, this.diagrams);
    this.#inputs = inputs;
  }

  /** What the statements so far have come to. */
  get builder(): CircuitBuilder {
    return this.#actions.builder;
  }

  /** Runs one statement. */
  run(statement: Statement): Completion {
    const { offset } = statement;
    this.takeSteps(1 + this.diagrams.takeWork(), offset);
    if (this.#frames.depth === 0) this.diagrams.tidy();
    switch (statement.kind) {
      case 'call':
        this.#call(statement);
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
        return this.loop(statement, () => this.#body(statement.body));
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
        return this.#scopes.within(() => this.#body(statement.body));
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
        this.#checkLeave(statement.kind, offset);
        return statement.kind;
    }
  }

  // What expressions and gate definitions ask for.

  read(operand: OperandSyntax): Value {
    const symbol = this.#scopes.find(operand.name);
    if (symbol?.kind === 'variable') return this.#variable(operand, symbol);
    const { elements, isScalar } = this.#operand(operand, 'bit');
    this.takeSteps(elements.length, operand.offset);
    return { kind: 'bits', bits: elements.map((bit) => this.diagrams.bit(bit)), isScalar };
  }

  constant(operand: OperandSyntax): Value {
    const symbol = this.#scopes.find(operand.name);
    if (symbol === undefined) throw this.#scopes.undeclared(operand.name, operand.offset);
    if (symbol.kind === 'variable' && symbol.isConst) return this.#variable(operand, symbol);
    const problem = `${quoted(operand.name)} is no constant, and a gate knows only those.`;
    throw this.tokens.meaningless(operand.offset, problem);
  }

  cast(type: CastType, value: Value): Value {
    return converted(this.diagrams, type, value);
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

  takeSteps(count: number, offset: number): void {
    this.builder.takeSteps(count, offset);
  }

  loop(loop: ForLoop, run: () => Completion): Completion {
    const type = this.#numberType(loop.type);
    const { variable, variableOffset } = loop;
    for (const value of this.#loopValues(loop)) {
      this.takeSteps(1, loop.offset);
      const held = withPlace(this.tokens, variableOffset, () => stored(this.diagrams, type, value));
      const completion = this.#scopes.within(() => {
        const entry = { kind: 'variable', type, isConst: true, depth: 0, value: held } as const;
        this.#scopes.declare(variable, entry, variableOffset);
        return this.#inLoop(run);
      });
      if (completion === 'end') return 'end';
      if (completion === 'break') break;
    }
    return 'next';
  }

  // Statements.

  #call(call: GateCall): void {
    this.#checkDuration(call.duration);
    const called = calledGate(this, call);
    const angles = call.angles.map((angle) => this.scalar(angle).value);
    const operands = call.operands.map((operand) => this.#operand(operand, 'qubit'));
    const acting = this.gates.actingOperands(called, operands);
    this.#actions.callGate(called, angles, acting, this.#frames.conditions(call.offset));
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
    const conditions = this.#frames.conditions(offset);
    this.#frames.write(to.elements, offset);
    this.#actions.measure(from, to, conditions, offset);
    for (const bit of to.elements) this.#written.add(bit);
  }

  /** Bits for an outcome that the program keeps nowhere: it is counted after the declared ones. */
  #unnamedBits({ elements, isScalar, name }: Operand, offset: number): Operand {
    const first = this.builder.declareBits(elements.length, offset);
    return { elements: elements.map((_, i) => first + i), isScalar, name, offset };
  }

  #bits(operand: OperandSyntax): Operand {
    return this.#operand(operand, 'bit');
  }

  #conditional({ condition, whenTrue, whenFalse }: Conditional): Completion {
    const f = this.#truth(condition);
    if (f.kind === 'constant') {
      return this.#scopes.within(() => this.#body(f.value ? whenTrue : whenFalse));
    }
    const frame = this.#frames.frame([f]);
    this.#branch(frame, f, whenTrue);
    this.#branch(frame, this.diagrams.not(f), whenFalse);
    return 'next';
  }

  #switch({ subject, cases, otherwise }: Switch): Completion {
    const value = this.#evaluate(subject);
    let remaining: BitFunction = ALWAYS;
    const branches: { holds: BitFunction; body: readonly Statement[] }[] = [];
    for (const { labels, body } of cases) {
      let matches: BitFunction = NEVER;
      for (const label of labels) {
        const equal = withPlace(this.tokens, label.offset, () =>
          truthOf(this.diagrams, binary(this.diagrams, '==', value, this.#evaluate(label))),
        );
        matches = this.diagrams.or(matches, equal);
      }
      branches.push({ holds: this.diagrams.and(remaining, matches), body });
      remaining = this.diagrams.and(remaining, this.diagrams.not(matches));
    }
    branches.push({ holds: remaining, body: otherwise });
    const certain = branches.find(({ holds }) => holds === ALWAYS);
    if (certain !== undefined) return this.#scopes.within(() => this.#body(certain.body));
    const frame = this.#frames.frame(branches.map(({ holds }) => holds));
    for (const { holds, body } of branches) this.#branch(frame, holds, body);
    return 'next';
  }

  #branch(frame: Frame, f: BitFunction, body: readonly Statement[]): void {
    if (f === NEVER) return;
    this.#frames.under(frame, f, () => this.#scopes.within(() => this.#body(body)));
  }

  #while(condition: Expression, body: readonly Statement[], offset: number): Completion {
    for (;;) {
      const f = this.#truth(condition);
      if (f.kind === 'choice') throw this.tokens.unsupported(offset, '"while" on measured bits');
      if (!f.value) return 'next';
      const completion = this.#scopes.within(() => this.#inLoop(() => this.#body(body)));
      if (completion === 'end') return 'end';
      if (completion === 'break') return 'next';
      this.takeSteps(1, offset);
    }
  }

  #inLoop<T>(run: () => T): T {
    const outer = this.#loopDepth;
    this.#loopDepth = this.#frames.depth;
    const result = run();
    this.#loopDepth = outer;
    return result;
  }

  #body(statements: readonly Statement[]): Completion {
    for (const statement of statements) {
      const completion = this.run(statement);
      if (completion !== 'next') return completion;
    }
    return 'next';
  }

  #checkLeave(kind: 'break' | 'continue' | 'end', offset: number): void {
    const around = kind === 'end' ? 0 : this.#loopDepth;
    if (around === undefined) {
      throw this.tokens.meaningless(offset, `There is no loop here for ${quoted(kind)} to leave.`);
    }
    if (this.#frames.depth > around) {
      throw this.tokens.unsupported(offset, `${quoted(kind)} under a condition on measured bits`);
    }
  }

  #declareRegister(declaration: RegisterDeclaration): void {
    const { of, name, size, measured, value, offset } = declaration;
    if (of === 'qubit' && !(this.#scopes.isGlobal && this.#frames.depth === 0)) {
      throw this.tokens.unsupported(offset, 'A qubit declared inside a block');
    }
    if (of === 'qubit' && this.#numPhysical > 0) throw this.#mixedQubits(offset);
    const count = size === undefined ? 1 : this.whole(size);
    if (count < 1) {
      const place = size?.offset ?? offset;
      throw this.tokens.meaningless(place, 'A register has at least one element.');
    }
    const first =
      of === 'qubit'
        ? this.builder.declareQubits(count, offset)
        : this.builder.declareBits(count, offset);
    const elements = Array.from({ length: count }, (_, i) => first + i);
    const symbol: RegisterSymbol = { kind: of, elements, isScalar: size === undefined };
    this.#scopes.declare(name, symbol, offset);
    const whole = { name, selectors: [], offset };
    if (measured !== undefined) this.#measure(this.#operand(measured, 'qubit'), whole, offset);
    else if (value !== undefined) this.#clearBits(whole, this.#evaluate(value), value.offset);
  }

  #declareVariable({ role, type: written, name, value, offset }: VariableDeclaration): void {
    const type = this.#numberType(written);
    if (role === 'input' && !this.#scopes.isGlobal) {
      throw this.tokens.meaningless(offset, 'An input stands outside all blocks.');
    }
    const held = role === 'input' ? this.#inputs.take(name, type) : this.#stored(type, value);
    const isConst = role !== 'plain';
    const depth = this.#frames.depth;
    this.#scopes.declare(name, { kind: 'variable', type, isConst, depth, value: held }, offset);
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
    const symbol = this.#scopes.find(target.name);
    if (symbol?.kind !== 'variable') {
      if (operator !== undefined) {
        throw this.tokens.unsupported(offset, 'Assigning anything but a measurement to bits');
      }
      this.#clearBits(target, this.#evaluate(value), offset);
      return;
    }
    if (symbol.isConst) {
      throw this.tokens.meaningless(offset, `${quoted(target.name)} is constant.`);
    }
    if (target.selectors.length > 0) throw this.tokens.unsupported(offset, 'A bit of a number');
    if (symbol.depth < this.#frames.depth) {
      const construct = 'Assigning a number under a condition on measured bits';
      throw this.tokens.unsupported(offset, construct);
    }
    const given = this.#evaluate(value);
    symbol.value = withPlace(this.tokens, offset, () => {
      const old = this.#variable(target, symbol, operator === undefined);
      const result = operator === undefined ? given : binary(this.diagrams, operator, old, given);
      return stored(this.diagrams, symbol.type, result);
    });
  }

  /** Bits read 0 until they are measured into; no operation of a circuit writes anything else. */
  #clearBits(target: OperandSyntax, value: Value, offset: number): void {
    const { elements } = this.#bits(target);
    if (isZero(value) && !elements.some((bit) => this.#written.has(bit))) return;
    throw this.tokens.unsupported(
      offset,
      'Assigning anything but a measurement, or zeros before any, to bits',
    );
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

  #variable(operand: OperandSyntax, symbol: VariableSymbol, isOverwritten = false): Scalar {
    if (operand.selectors.length > 0) {
      throw this.tokens.unsupported(operand.offset, 'A bit of a number');
    }
    if (symbol.value !== undefined) return symbol.value;
    if (isOverwritten) return scalar(symbol.type.base, 0);
    const problem = `${quoted(operand.name)} has no value yet.`;
    throw this.tokens.meaningless(operand.offset, problem);
  }

  #evaluate(expression: Expression): Value {
    this.takeSteps(expression.instructions.length, expression.offset);
    return evaluate(expression, this);
  }

  #truth(expression: Expression): BitFunction {
    return truthOf(this.diagrams, this.#evaluate(expression));
  }

  #stored(type: NumberType, value: Expression | undefined): Scalar | undefined {
    if (value === undefined) return undefined;
    const given = this.#evaluate(value);
    return withPlace(this.tokens, value.offset, () => stored(this.diagrams, type, given));
  }

  #numberType({ base, width }: CastType): NumberType {
    if (base === 'bit') {
      throw new Error(`unreachable: a number of type ${typeName({ base, width })}`);
    }
    return { base, width };
  }

  *#loopValues({ values, offset, body }: ForLoop): Generator<Scalar> {
    if (values.kind === 'set') {
      for (const member of values.members) yield this.scalar(member);
      return;
    }
    if (values.start === undefined || values.stop === undefined) {
      throw this.tokens.meaningless(offset, "A loop's range has a start and a stop.");
    }
    const start = this.whole(values.start);
    const stop = this.whole(values.stop);
    const step = values.step === undefined ? 1 : this.whole(values.step);
    if (step === 0) throw this.tokens.meaningless(offset, 'A range has a step other than 0.');
    // A loop that nothing leaves early is refused before its first round, not after its millionth.
    const numRounds = Math.max(0, Math.floor((stop - start) / step) + 1);
    if (!mayLeave(body)) this.builder.holdSteps(numRounds * (1 + body.length), offset);
    for (let i = start; step > 0 ? i <= stop : i >= stop; i += step) yield scalar('int', i);
  }
}

/** Whether a statement among these, or inside them, may end a loop around them or skip part of a round. */
function mayLeave(statements: readonly Statement[]): boolean {
  return statements.some((statement) => {
    switch (statement.kind) {
      case 'break':
      case 'continue':
      case 'end':
        return true;
      case 'if':
        return mayLeave(statement.whenTrue) || mayLeave(statement.whenFalse);
      case 'switch':
        return mayLeave(statement.otherwise) || statement.cases.some(({ body }) => mayLeave(body));
      case 'for':
      case 'while':
      case 'block':
        return mayLeave(statement.body);
      default:
        return false;
    }
  });
}
