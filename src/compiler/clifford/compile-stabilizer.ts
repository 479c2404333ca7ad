/**
 * Compiles a Clifford circuit with Pauli noise to a stabilizer program. Gates are recognised by their matrices, whatever
 * they are called.
 */
import {
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  type GateOperation,
  type NoiseOperation,
  operationQubits,
  type UnitaryOperation,
} from '../../circuit/circuit.ts';
import type { KrausChannel } from '../../circuit/noise/channel.ts';
import { lastReadings } from '../noise/last-readings.ts';
import { STABILIZER_OPS, type StabilizerProgram } from '../program.ts';
import { CliffordRecognition } from './clifford-gates.ts';
import { StabilizerCode } from './stabilizer-code.ts';

/** The first operation of a circuit that a stabilizer program cannot have. */
export interface NotCliffordReason {
  readonly kind: 'not-clifford';
  /** Index of the operation; within loops, the indices of the loops come first. */
  readonly place: readonly number[];
  /** For example `T on qubit 3`. */
  readonly operation: string;
}

/** Programs of circuits that are in use: the choice of a method compiles a circuit, and so do its detectors. */
const known = new WeakMap<DynamicCircuit, StabilizerProgram | NotCliffordReason>();

/** Compiles a circuit, or says why it is no Clifford circuit with Pauli noise. A circuit is compiled once. */
export function compileStabilizer(circuit: DynamicCircuit): StabilizerProgram | NotCliffordReason {
  let program = known.get(circuit);
  if (program === undefined) {
    const recognition = new CliffordRecognition();
    const reason = firstNotClifford(circuit.operations, recognition, []);
    program = reason ?? compiled(circuit, recognition);
    known.set(circuit, program);
  }
  return program;
}

/** The first operation that is neither Clifford nor Pauli noise; undefined if there is none. */
function firstNotClifford(
  operations: readonly DynamicOperation[],
  recognition: CliffordRecognition,
  path: readonly number[],
): NotCliffordReason | undefined {
  for (const [i, operation] of operations.entries()) {
    if (operation.kind === 'while') {
      const inner = firstNotClifford(operation.body, recognition, [...path, i]);
      if (inner !== undefined) return inner;
      continue;
    }
    const isRefused =
      operation.kind === 'gate' || operation.kind === 'unitary'
        ? recognition.gatesOf(operation) === undefined
        : operation.kind === 'noise' && !isStabilizerNoise(operation);
    if (!isRefused) continue;
    // Checked: nothing else is refused.
    const refused = operation as GateOperation | UnitaryOperation | NoiseOperation;
    return { kind: 'not-clifford', place: [...path, i], operation: written(refused) };
  }
  return undefined;
}

function written(operation: GateOperation | UnitaryOperation | NoiseOperation): string {
  const qubits = operationQubits(operation);
  const name =
    operation.kind === 'gate'
      ? `${operation.gate}${operation.angles.length > 0 ? `(${operation.angles.join(', ')})` : ''}`
      : operation.kind === 'unitary'
        ? 'An explicit unitary'
        : 'a channel that is no mixture of Pauli errors';
  return `${name} on qubit${qubits.length === 1 ? '' : 's'} ${qubits.join(', ')}`;
}

const isStabilizerNoise = ({ channel }: NoiseOperation): boolean =>
  channel.kind === 'pauli' || resetOf(channel) !== undefined;

/** What a reset by chance does. */
interface ChanceReset {
  readonly probability: number;
  readonly value: 0 | 1;
}

/** The reset by chance that a channel on one qubit is; undefined if it is none. */
function resetOf({ numQubits, matrices }: KrausChannel): ChanceReset | undefined {
  if (numQubits !== 1) return undefined;
  const weights = [0, 0, 0, 0];
  for (const matrix of matrices) {
    const squares = [0, 1, 2, 3].map((i) => matrix[2 * i]! ** 2 + matrix[2 * i + 1]! ** 2);
    const places = squares.flatMap((square, i) => (square > 1e-18 ? [i] : []));
    const isKept =
      places.join() === '0,3' &&
      Math.hypot(matrix[0]! - matrix[6]!, matrix[1]! - matrix[7]!) < 1e-9;
    if (isKept) continue;
    if (places.length !== 1) return undefined;
    weights[places[0]!]! += squares[places[0]!]!;
  }
  for (const value of [0, 1] as const) {
    const [fromZero, fromOne] = [weights[2 * value]!, weights[2 * value + 1]!];
    const others = weights[2 - 2 * value]! + weights[3 - 2 * value]!;
    if (others === 0 && Math.abs(fromZero - fromOne) < 1e-9)
      return { probability: fromZero, value };
  }
  return undefined;
}

function compiled(circuit: DynamicCircuit, recognition: CliffordRecognition): StabilizerProgram {
  const { numQubits, numBits, control } = circuit;
  const { operations, last } = lastReadings(circuit.operations);
  const writer = new ProgramWriter(recognition);
  for (const operation of operations) writer.add(operation);
  const numBodyInstructions = writer.code.numInstructions;
  for (const kind of ['measure', 'misread', 'assign']) {
    for (const operation of last) if (operation.kind === kind) writer.add(operation);
  }
  const isGate = (operation: DynamicOperation) =>
    operation.kind === 'barrier' ||
    ((operation.kind === 'gate' || operation.kind === 'unitary') &&
      operation.condition === undefined);
  return {
    numQubits,
    numBits,
    ...(control === undefined ? {} : { control }),
    numBodyInstructions,
    ...writer.code.tables(),
    framesSuffice: writer.framesSuffice,
    hasFinalState: operations.every(isGate),
  };
}

const { x, y, z } = STABILIZER_OPS;

class ProgramWriter {
  readonly code = new StabilizerCode();
  readonly #recognition: CliffordRecognition;
  framesSuffice = true;

  constructor(recognition: CliffordRecognition) {
    this.#recognition = recognition;
  }

  add(operation: DynamicOperation): void {
    if (operation.kind === 'barrier') return;
    if (operation.kind === 'while') {
      this.framesSuffice = false;
      const jump = this.code.addUnless(operation.condition);
      for (const inner of operation.body) this.add(inner);
      this.code.add(STABILIZER_OPS.again, jump, 1);
      this.code.endUnless(jump);
      return;
    }
    if (operation.kind === 'assign') {
      // An assignment tests its condition itself.
      this.code.addAssignment(operation);
      return;
    }
    this.#under(operation.condition, () => this.#addPlain(operation));
  }

  #under(condition: Condition | undefined, add: () => void): void {
    if (condition === undefined) {
      add();
      return;
    }
    const jump = this.code.addUnless(condition);
    add();
    this.code.endUnless(jump);
  }

  #addPlain(operation: Exclude<DynamicOperation, { kind: 'barrier' | 'while' | 'assign' }>): void {
    const { code } = this;
    const hasCondition = operation.condition !== undefined;
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        this.#addGate(operation);
        break;
      case 'noise':
        this.#addNoise(operation);
        break;
      case 'misread':
        code.addMisread(operation);
        break;
      case 'measure':
        if (hasCondition) this.framesSuffice = false;
        for (const [i, qubit] of operation.qubits.entries()) {
          code.add(STABILIZER_OPS.measure, qubit, operation.bits[i]!);
        }
        break;
      case 'reset':
        if (hasCondition) this.framesSuffice = false;
        for (const qubit of operation.qubits) code.add(STABILIZER_OPS.reset, qubit);
        break;
    }
  }

  #addGate(operation: GateOperation | UnitaryOperation): void {
    const gates = this.#recognition.gatesOf(operation);
    if (gates === undefined) throw new Error('unreachable: a gate that was not checked');
    const qubits = operationQubits(operation);
    for (const { op, a, b } of gates) {
      const isPauli = op === x || op === y || op === z;
      if (operation.condition !== undefined && !isPauli) this.framesSuffice = false;
      this.code.add(op, qubits[a]!, b < 0 ? 0 : qubits[b]!);
    }
  }

  #addNoise({ channel, qubits }: NoiseOperation): void {
    if (channel.kind === 'pauli') {
      this.code.addNoise(channel, qubits);
      return;
    }
    const reset = resetOf(channel);
    if (reset === undefined) throw new Error('unreachable: noise that was not checked');
    this.framesSuffice = false;
    this.code.addReset(qubits[0]!, reset.value, reset.probability);
  }
}
