/** What compiling changed, counted the same way before and after the passes. */
import {
  allOperations,
  assignedBits,
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  numRegisterBits,
  operationQubits,
  type Qubit,
} from '../circuit/circuit.ts';
import type { Bit } from '../circuit/classical-expression.ts';
import type { PassReport } from './passes/pass.ts';
import type { Optimized } from './passes/pipeline.ts';
import type { Step, TargetProfile } from './program.ts';

/** What of a schedule the report tells. */
interface Scheduled {
  readonly program: { readonly steps: readonly Step[] };
  readonly fusedBlocks: number;
}

/** A number before the passes and after them. */
export interface BeforeAndAfter {
  readonly before: number;
  readonly after: number;
}

/** What compiling changed, in the units users of circuit compilers know. */
export interface CompilationReport {
  /** Gates and unitaries; measurements, resets and barriers are not counted. */
  readonly gatesBefore: number;
  readonly gatesAfter: number;
  /** The longest chain of operations that wait for each other's qubits or bits. */
  readonly depthBefore: number;
  readonly depthAfter: number;
  /** Gates on two qubits, controls counted. */
  readonly twoQubitGates: BeforeAndAfter;
  /** Gates on three qubits or more. */
  readonly widerGates: BeforeAndAfter;
  /** Each pass in order; none when the circuit was compiled as it is. */
  readonly passes: readonly PassReport[];
  /** What the gates that are left became in the program. */
  readonly kernels: number;
  /** Kernels that hold more than one gate of the caller's. */
  readonly fusedBlocks: number;
  /** Trips of the state through memory, on an engine that takes a sweep in one. */
  readonly sweeps: number;
  /** A model: the state read and written once for each sweep and each exchange. */
  readonly bytesMoved: number;
}

const BYTES_PER_AMPLITUDE = { f32: 8, f64: 16 } as const;

/** The report of a circuit, what the passes made of it, and the steps that became. */
export function reportOn(
  original: DynamicCircuit,
  { circuit, passes }: Optimized,
  { program: { steps }, fusedBlocks }: Scheduled,
  precision: TargetProfile['precision'],
): CompilationReport {
  const sweeps = steps.filter((step) => step.kind === 'sweep');
  const trips = steps.filter(({ kind }) => kind === 'sweep' || kind === 'exchange').length;
  const before = widthsOf(original.operations);
  const after = widthsOf(circuit.operations);
  return {
    gatesBefore: before.total,
    gatesAfter: after.total,
    depthBefore: depthOf(original),
    depthAfter: depthOf(circuit),
    twoQubitGates: { before: before.two, after: after.two },
    widerGates: { before: before.wider, after: after.wider },
    passes,
    kernels: sweeps.reduce((sum, sweep) => sum + sweep.kernels.length, 0),
    fusedBlocks,
    sweeps: sweeps.length,
    bytesMoved: trips * 2 * 2 ** circuit.numQubits * BYTES_PER_AMPLITUDE[precision],
  };
}

/** Gates by the number of qubits they touch. */
function widthsOf(operations: readonly DynamicOperation[]) {
  let [total, two, wider] = [0, 0, 0];
  for (const operation of allOperations(operations)) {
    if (operation.kind !== 'gate' && operation.kind !== 'unitary') continue;
    const width = operation.controls.length + operation.targets.length;
    total++;
    if (width === 2) two++;
    if (width > 2) wider++;
  }
  return { total, two, wider };
}

/**
 * Longest path through operations. A measurement of several qubits counts as one of each, side by
 * side; a condition waits for its bits; what touches no qubit, a global phase, adds nothing.
 */
class DepthCounter {
  readonly #qubits: Uint32Array;
  readonly #bits: Uint32Array;

  constructor(circuit: DynamicCircuit) {
    this.#qubits = new Uint32Array(circuit.numQubits);
    this.#bits = new Uint32Array(numRegisterBits(circuit));
  }

  get depth(): number {
    return this.#qubits.reduce((deepest, depth) => Math.max(deepest, depth), 0);
  }

  gate(qubits: readonly Qubit[], condition: Condition | undefined): void {
    const depth = this.#ready(qubits, condition) + 1;
    for (const qubit of qubits) this.#qubits[qubit] = depth;
  }

  measure(qubit: Qubit, bit: Bit | undefined, condition: Condition | undefined): void {
    this.gate([qubit], condition);
    if (bit !== undefined) this.#bits[bit] = this.#qubits[qubit]!;
  }

  /** Bits computed from bits: written when all that they are computed from is there. */
  assign(touched: readonly Bit[], written: readonly Bit[]): void {
    const depth = touched.reduce((deepest, bit) => Math.max(deepest, this.#bits[bit]!), 0);
    for (const bit of written) this.#bits[bit] = depth;
  }

  /** Everything on these qubits so far comes before anything later. */
  barrier(qubits: readonly Qubit[]): void {
    const depth = this.#ready(qubits, undefined);
    for (const qubit of qubits) this.#qubits[qubit] = depth;
  }

  #ready(qubits: readonly Qubit[], condition: Condition | undefined): number {
    let depth = 0;
    for (const qubit of qubits) depth = Math.max(depth, this.#qubits[qubit]!);
    for (const bit of condition?.bits ?? []) depth = Math.max(depth, this.#bits[bit]!);
    return depth;
  }
}

/**
 * The longest chain of operations that wait for each other's qubits or bits; the body of a loop
 * counts once.
 */
export function depthOf(circuit: DynamicCircuit): number {
  const counter = new DepthCounter(circuit);
  for (const operation of allOperations(circuit.operations)) {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        counter.gate(operationQubits(operation), operation.condition);
        break;
      case 'measure':
        for (const [i, qubit] of operation.qubits.entries()) {
          counter.measure(qubit, operation.bits[i], operation.condition);
        }
        break;
      case 'reset':
        for (const qubit of operation.qubits) counter.gate([qubit], operation.condition);
        break;
      case 'assign':
        counter.assign(assignedBits(operation), operation.bits);
        break;
      case 'barrier':
        counter.barrier(operation.qubits);
        break;
    }
  }
  return counter.depth;
}
