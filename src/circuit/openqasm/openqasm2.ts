/**
 * Reads OpenQASM 2.0, statement by statement, directly into a circuit. Operands are registers, `q`, or elements of
 * them, `q[3]`.
 *
 * @see Cross, Bishop, Smolin, Gambetta, "Open Quantum Assembly Language", arXiv:1707.03429.
 */

import { didYouMean } from '../../errors/nearest-names.ts';
import { type CircuitLimits, MAX_CONDITION_BITS } from '../circuit-limits.ts';
import { COMPARISONS } from '../classical-types.ts';
import { Actions, type Conditions, type Operand, UNCONDITIONED } from './actions.ts';
import type { CircuitBuilder } from './circuit-builder.ts';
import { ConditionFrames } from './condition-frames.ts';
import { ALWAYS, type BitFunction, DecisionDiagrams, NEVER } from './decision-diagram.ts';
import { Gates, readInclude } from './gate-definitions.ts';
import type { OpenInputs } from './open-inputs.ts';
import { isPragma, skipIgnored } from './pragmas.ts';
import { quoted, type TokenStream } from './token-stream.ts';

/** Words that begin a statement that cannot follow `if (…)`. */
const DECLARATIONS: ReadonlySet<string> = new Set([
  ...['include', 'qreg', 'creg', 'gate', 'opaque', 'if'],
]);

/** Words that begin a statement other than a gate call. */
const KEYWORDS: ReadonlySet<string> = new Set([...DECLARATIONS, 'measure', 'barrier', 'reset']);

/** Reads one program. */
export class OpenQasm2Reader {
  readonly #tokens: TokenStream;
  readonly #gates: Gates;
  readonly #registers: Registers;
  readonly #actions: Actions;
  readonly #diagrams = new DecisionDiagrams();
  readonly #frames: ConditionFrames;

  /** @param inputs - Records the angles, if the program is one of those that are read for many points. */
  constructor(tokens: TokenStream, limits: CircuitLimits, inputs?: OpenInputs) {
    this.#tokens = tokens;
    this.#registers = new Registers(tokens);
    this.#gates = new Gates(2, tokens, undefined, (name) => this.#registers.meaningOf(name));
    this.#actions = new Actions(tokens, limits, inputs);
    this.#frames = new ConditionFrames(this.#actions.builder, this.#diagrams);
  }

  /** Reads the program to its end. */
  read(): CircuitBuilder {
    for (;;) {
      skipIgnored(this.#tokens, 2);
      if (this.#tokens.current.kind === 'end') break;
      this.#readStatement();
    }
    return this.#actions.builder;
  }

  #readStatement(): void {
    const { kind, text, offset } = this.#tokens.current;
    if (isPragma(this.#tokens)) {
      throw this.#tokens.unsupported(offset, `The line ${quoted(this.#tokens.restOfLine())}`);
    }
    if (kind !== 'identifier') throw this.#tokens.unexpected('a statement');
    this.#tokens.beginStatement();
    // Most statements are gate calls.
    if (!KEYWORDS.has(text)) {
      this.#readGateCall(UNCONDITIONED);
      return;
    }
    switch (text) {
      case 'include':
        readInclude(this.#tokens, this.#gates);
        break;
      case 'qreg':
        this.#readRegister('qubit');
        this.#tokens.keepStatement();
        break;
      case 'creg':
        this.#readRegister('bit');
        this.#tokens.keepStatement();
        break;
      case 'gate':
      case 'opaque':
        this.#gates.readDefinition();
        this.#tokens.keepStatement();
        break;
      case 'if':
        this.#readConditional();
        break;
      default:
        this.#readQuantumOperation(UNCONDITIONED);
    }
  }

  /** Reads `qreg q[4];` or `creg c[4];`. */
  #readRegister(kind: Register['kind']): void {
    this.#tokens.next();
    const { text: name, offset } = this.#tokens.expectWord("the register's name");
    this.#tokens.expect('[');
    const place = this.#tokens.current.offset;
    const size = this.#tokens.expectInteger("the register's size, a whole number");
    if (size === 0) {
      throw this.#tokens.invalid(place, 'A register has at least one element.');
    }
    this.#tokens.expect(']');
    this.#tokens.expect(';');
    this.#registers.checkNew(name, offset);
    const { builder } = this.#actions;
    const start =
      kind === 'qubit'
        ? builder.declareQubits(size, offset)
        : builder.declareBits(size, offset, name);
    this.#registers.declare({ kind, name, start, size, isScalar: false });
  }

  /** Reads a statement that can follow `if (…)`: a gate, a measurement, a reset or a barrier. */
  #readQuantumOperation(conditions: Conditions): void {
    if (this.#tokens.isWord('measure')) this.#readMeasure(conditions);
    // A barrier changes no state, so it needs no condition.
    else if (this.#tokens.isWord('barrier')) this.#readBarrier();
    else if (this.#tokens.isWord('reset')) this.#readReset(conditions);
    else this.#readGateCall(conditions);
  }

  #readGateCall(conditions: Conditions): void {
    const called = this.#gates.readName();
    const angles = this.#gates.readAngles(called);
    const operands = this.#tokens.isSymbol(';') ? [] : this.#registers.readOperands('qubit');
    this.#tokens.expect(';');
    const acting = this.#gates.actingOperands(called, operands);
    this.#actions.callGate(called, angles, acting, conditions);
  }

  /** Reads `measure q -> c;`. */
  #readMeasure(conditions: Conditions): void {
    const { offset } = this.#tokens.next();
    const from = this.#registers.readOperand('qubit');
    this.#tokens.expect('->');
    const to = this.#registers.readOperand('bit');
    this.#tokens.expect(';');
    this.#actions.measure(from, to, conditions, offset);
  }

  /** Reads `reset q;`. */
  #readReset(conditions: Conditions): void {
    const { offset } = this.#tokens.next();
    const operand = this.#registers.readOperand('qubit');
    this.#tokens.expect(';');
    this.#actions.reset(operand, conditions, offset);
  }

  /** Reads `barrier q, r[0];`, or `barrier;` across all qubits, as in Qiskit. */
  #readBarrier(): void {
    const { offset } = this.#tokens.next();
    const operands = this.#tokens.isSymbol(';') ? [] : this.#registers.readOperands('qubit');
    this.#tokens.expect(';');
    this.#actions.barrier(operands, offset);
  }

  /** Reads `if (c == 3) x q[0];`. */
  #readConditional(): void {
    this.#tokens.next();
    this.#tokens.expect('(');
    const register = this.#registers.readOperand('bit');
    const { text: operator, offset: place } = this.#tokens.current;
    if (operator !== '==' && COMPARISONS.has(operator)) {
      const construct = `"${operator}" in a condition of version 2 without include "hqslib1.inc"`;
      throw this.#tokens.unsupported(place, construct);
    }
    this.#tokens.expect('==');
    const { kind: valueKind, text: value, offset } = this.#tokens.current;
    if (valueKind !== 'integer') throw this.#tokens.unexpected('a whole number');
    this.#tokens.next();
    this.#tokens.expect(')');
    const conditions = this.#registerReads(register, BigInt(value), offset);
    const { kind, text } = this.#tokens.current;
    if (kind !== 'identifier' || DECLARATIONS.has(text)) {
      throw this.#tokens.unexpected('a gate, measure, reset or barrier');
    }
    this.#readQuantumOperation(conditions);
  }

  /** Condition that a register reads a value; no conditions if it never can. */
  #registerReads({ elements: bits }: Operand, value: bigint, offset: number): Conditions {
    if (value >= 2n ** BigInt(bits.length)) return [];
    if (bits.length <= MAX_CONDITION_BITS) return [{ bits, value: Number(value) }];
    this.#actions.builder.takeSteps(bits.length, offset);
    const holds = bits.reduceRight<BitFunction>((others, bit, i) => {
      const isOne = (value >> BigInt(i)) & 1n;
      const f = this.#diagrams.bit(bit);
      return this.#diagrams.ifThenElse(f, isOne ? others : NEVER, isOne ? NEVER : others);
    }, ALWAYS);
    const frame = this.#frames.frame([holds]);
    const conditions = this.#frames.under(frame, 0, () => this.#frames.conditions(offset));
    this.#diagrams.tidy();
    return conditions;
  }
}

/** A declared register; its elements are numbered after those of the registers before it. */
interface Register {
  readonly kind: 'qubit' | 'bit';
  readonly name: string;
  readonly start: number;
  readonly size: number;
  /** Whether it is declared without a size, as OpenQASM 3 allows. */
  readonly isScalar: boolean;
}

const KINDS = { qubit: 'quantum', bit: 'classical' } as const;

/** Registers declared so far. */
class Registers {
  readonly #tokens: TokenStream;
  readonly #byName = new Map<string, Register>();

  constructor(tokens: TokenStream) {
    this.#tokens = tokens;
  }

  /** Checks that a name is not declared. */
  checkNew(name: string, offset: number): void {
    if (this.#byName.has(name)) {
      throw this.#tokens.invalid(offset, `${quoted(name)} is declared twice.`);
    }
  }

  /** Describes a declared name: `a quantum register`. */
  meaningOf(name: string): string | undefined {
    const register = this.#byName.get(name);
    return register && `a ${KINDS[register.kind]} register`;
  }

  /** Adds a register whose name is new. */
  declare(register: Register): void {
    this.#byName.set(register.name, register);
  }

  /** Reads `q` or `q[3]`. */
  readOperand(kind: Register['kind']): Operand {
    const { register, offset } = this.#readName(kind);
    const { name, start, size } = register;
    if (!this.#tokens.isSymbol('[')) return wholeRegister(register, offset);
    this.#tokens.next();
    const place = this.#tokens.current.offset;
    const index = this.#tokens.expectInteger('an index, a whole number');
    this.#tokens.expect(']');
    if (index >= size) {
      const range = size === 1 ? '0' : `0 to ${size - 1}`;
      const problem = `${name}[${index}] is out of range; ${name} has indices ${range}.`;
      throw this.#tokens.invalid(place, problem);
    }
    return { elements: [start + index], isScalar: true, name, offset };
  }

  /** Reads operands separated by commas. */
  readOperands(kind: Register['kind']): readonly Operand[] {
    const operands = [this.readOperand(kind)];
    while (this.#tokens.accept(',')) operands.push(this.readOperand(kind));
    return operands;
  }

  #readName(kind: Register['kind']): { readonly register: Register; readonly offset: number } {
    const { text: name, offset } = this.#tokens.expectWord(`a ${KINDS[kind]} register`);
    const register = this.#byName.get(name);
    if (register === undefined) {
      const suggestion = didYouMean(name, this.#byName.keys());
      throw this.#tokens.invalid(offset, `${quoted(name)} is not declared.${suggestion}`);
    }
    if (register.kind !== kind) {
      const is = `${quoted(name)} is a ${KINDS[register.kind]} register`;
      throw this.#tokens.invalid(offset, `${is}; a ${KINDS[kind]} one is needed here.`);
    }
    return { register, offset };
  }
}

/** Makes the operand of a whole register. */
function wholeRegister(register: Register, offset: number): Operand {
  const { start, size, isScalar, name } = register;
  return { elements: Array.from({ length: size }, (_, i) => start + i), isScalar, name, offset };
}
