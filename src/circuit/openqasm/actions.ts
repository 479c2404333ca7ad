/** Adds the operations of OpenQASM statements to a circuit, for both versions, once operands are resolved. */
import type { Condition, Qubit, StatementRole } from '../circuit.ts';
import { type CircuitLimits, MAX_UNITARY_QUBITS } from '../circuit-limits.ts';
import { FaultList } from '../errors.ts';
import { type MatrixRows, unitaryFromRows } from '../matrix-rows.ts';
import type { ChannelObject } from '../noise/channel-object.ts';
import { ChannelPlacer } from '../noise/place-channel.ts';
import { CircuitBuilder } from './circuit-builder.ts';
import { expandGate, NO_QUBITS } from './gate-expansion.ts';
import { costOf, type GateMeaning } from './gate-meaning.ts';
import type { OpenAngles, OpenInputs } from './open-inputs.ts';
import type { TokenStream } from './token-stream.ts';

/** Qubits or bits that a statement names. */
export interface Operand {
  readonly elements: readonly number[];
  /** Whether it is a single element rather than a register of one; it combines with registers of any size. */
  readonly isScalar: boolean;
  readonly name: string;
  readonly offset: number;
}

/**
 * Exclusive conditions of an operation, which is added once under each; undefined stands for no condition.
 */
export type Conditions = readonly (Condition | undefined)[];

/** Conditions of a statement outside every `if`. */
export const UNCONDITIONED: Conditions = [undefined];

const under = <T extends object>(
  operation: T,
  condition: Condition | undefined,
  role?: StatementRole,
) => ({ ...operation, ...(condition && { condition }), ...(role && { role }) });

/** Role of an operation under one of several exclusive conditions in its statement. */
const roleOf = (i: number, conditions: Conditions): StatementRole | undefined =>
  i < conditions.length - 1 ? 'choice' : undefined;

/** Adds operations to a circuit. */
export class Actions {
  readonly builder: CircuitBuilder;
  readonly #tokens: TokenStream;
  readonly #channels = new ChannelPlacer();

  constructor(tokens: TokenStream, limits: CircuitLimits, inputs?: OpenInputs) {
    this.builder = new CircuitBuilder(limits, tokens, inputs);
    this.#tokens = tokens;
  }

  /**
   * Adds a gate call such as `cx q[0], r;`; over whole registers, one gate for each element.
   *
   * @param open - Angles that follow from inputs; absent if there are none.
   * @param role - Role of the gate in its statement, where the statement becomes several gates.
   */
  callGate(
    called: { readonly name: string; readonly gate: GateMeaning; readonly offset: number },
    angles: readonly number[],
    operands: readonly Operand[],
    conditions: Conditions,
    open?: OpenAngles,
    role?: StatementRole,
  ): void {
    const { name, gate, offset } = called;
    const size = this.#commonSize(operands);
    this.builder.reserve(costOf(gate), size * conditions.length, offset);
    for (let i = 0; i < size; i++) {
      const qubits: Qubit[] = [];
      for (const { elements, isScalar } of operands) qubits.push(elements[isScalar ? 0 : i]!);
      this.#checkDistinct(qubits, operands);
      for (const [j, condition] of conditions.entries()) {
        expandGate(this.builder, this.#tokens, {
          name,
          gate,
          angles,
          open,
          qubits,
          controls: NO_QUBITS,
          isInverse: false,
          condition,
          role: role ?? roleOf(j, conditions),
          offset,
        });
      }
    }
  }

  /** Adds an explicit unitary; its rows count the first operand as the most significant bit. */
  unitary(
    rows: MatrixRows,
    operands: readonly Operand[],
    conditions: Conditions,
    offset: number,
  ): void {
    const targets = operands.flatMap(({ elements }) => elements).reverse();
    if (new Set(targets).size < targets.length) {
      throw this.#tokens.invalid(offset, 'A unitary acts on distinct qubits.');
    }
    if (targets.length > MAX_UNITARY_QUBITS) {
      const problem = `A unitary on ${targets.length} qubits; the limit is ${MAX_UNITARY_QUBITS}.`;
      throw this.#tokens.pastLimit(offset, problem);
    }
    const faults = new FaultList();
    const matrix = unitaryFromRows(rows, targets.length, 'unitary', faults);
    if (matrix === undefined) {
      throw this.#tokens.invalid(offset, `The unitary: ${faults.kept[0]!.message}`);
    }
    this.builder.reserve({ gates: 1, barriers: 0, steps: 1, depth: 0 }, conditions.length, offset);
    const operation = { kind: 'unitary', controls: [], targets, matrix } as const;
    for (const [i, condition] of conditions.entries()) {
      this.builder.push(under(operation, condition, roleOf(i, conditions)));
    }
  }

  /** Adds a noise channel; Kraus matrices count the first operand as the most significant bit. */
  noise(
    channel: ChannelObject,
    operands: readonly Operand[],
    conditions: Conditions,
    offset: number,
  ): void {
    const qubits = operands.flatMap(({ elements }) => elements).reverse();
    if (new Set(qubits).size < qubits.length) {
      throw this.#tokens.invalid(offset, 'A noise channel acts on distinct qubits.');
    }
    const faults = new FaultList();
    const placed = this.#channels.place(channel, qubits, '', faults);
    const [fault] = faults.kept;
    if (fault !== undefined) {
      throw this.#tokens.invalid(offset, `The noise channel: ${fault.message}`);
    }
    for (const condition of conditions) {
      for (const operation of placed) this.builder.add(under(operation, condition), offset);
    }
  }

  /** Adds a measurement of qubits into as many bits. */
  measure(from: Operand, to: Operand, conditions: Conditions, offset: number): void {
    const [qubits, bits] = [from.elements, to.elements];
    if (qubits.length !== bits.length) {
      const sizes = `${from.name} has ${qubits.length} qubits and ${to.name} ${bits.length} bits`;
      throw this.#tokens.invalid(offset, `${sizes}; a measurement needs equal numbers.`);
    }
    const operation = { kind: 'measure', qubits, bits } as const;
    for (const [i, condition] of conditions.entries()) {
      this.builder.add(under(operation, condition, roleOf(i, conditions)), offset);
    }
  }

  /** Adds a reset of qubits. */
  reset({ elements }: Operand, conditions: Conditions, offset: number): void {
    const operation = { kind: 'reset', qubits: elements } as const;
    for (const [i, condition] of conditions.entries()) {
      this.builder.add(under(operation, condition, roleOf(i, conditions)), offset);
    }
  }

  /** Adds a barrier on the named qubits, or on all qubits if none is named. */
  barrier(operands: readonly Operand[], offset: number): void {
    const named = new Set(operands.flatMap(({ elements }) => elements));
    const qubits = operands.length === 0 ? this.builder.allQubits : [...named];
    this.builder.pushBarrier(qubits, offset);
  }

  /**
   * Makes the named qubits, or all if none is named, wait together.
   *
   * @param duration - Nanoseconds.
   */
  delay(operands: readonly Operand[], duration: number, offset: number): void {
    const named = new Set(operands.flatMap(({ elements }) => elements));
    const qubits = operands.length === 0 ? this.builder.allQubits : [...named];
    this.builder.pushBarrier(qubits, offset, duration);
  }

  /** Number of times a statement runs over its registers: their common size, or once. */
  #commonSize(operands: readonly Operand[]): number {
    let first: Operand | undefined;
    for (const operand of operands) {
      if (operand.isScalar) continue;
      first ??= operand;
      const [expected, found] = [first.elements.length, operand.elements.length];
      if (found !== expected) {
        const sizes = `${first.name} has ${expected} qubits and ${operand.name} ${found}`;
        const problem = `${sizes}; registers in one statement have the same size.`;
        throw this.#tokens.invalid(operand.offset, problem);
      }
    }
    return first?.elements.length ?? 1;
  }

  #checkDistinct(qubits: readonly number[], operands: readonly Operand[]): void {
    for (let i = 1; i < qubits.length; i++) {
      const qubit = qubits[i]!;
      const earlier = qubits.indexOf(qubit);
      if (earlier === i) continue;
      const { name, offset } = operands[i]!;
      const first = operands[earlier]!.name;
      const problem = `${first} and ${name} name the same qubit (number ${qubit})`;
      throw this.#tokens.invalid(offset, `A gate acts on distinct qubits; ${problem}.`);
    }
  }
}
