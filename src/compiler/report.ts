/** Compilation report: figures of a circuit before and after the passes, and of its program. */
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

/** Part of a schedule that the report uses. */
interface Scheduled {
  readonly program: { readonly steps: readonly Step[] };
  readonly fusedBlocks: number;
}

/** A number before and after the passes. */
export interface BeforeAndAfter {
  readonly before: number;
  readonly after: number;
}

/** Size of a circuit before and after compiling, in the usual figures of circuit compilers. */
export interface GateFigures {
  /** Gates and unitaries; measurements, resets and barriers are not counted. */
  readonly gatesBefore: number;
  readonly gatesAfter: number;
  /** Length of the longest chain of operations that wait for each other's qubits or bits. */
  readonly depthBefore: number;
  readonly depthAfter: number;
  /** Gates on two qubits, controls counted. */
  readonly twoQubitGates: BeforeAndAfter;
  /** Gates on three qubits or more. */
  readonly widerGates: BeforeAndAfter;
}

/** Effect of compiling for an engine. */
export interface CompilationReport extends GateFigures {
  /** Each pass in order; empty if the circuit was compiled without passes. */
  readonly passes: readonly PassReport[];
  /** Kernels of the program. */
  readonly kernels: number;
  /** Kernels that combine several gates of the caller. */
  readonly fusedBlocks: number;
  /** Passes of the state through memory, on an engine that runs each sweep as one. */
  readonly sweeps: number;
  /** Modelled memory traffic in bytes: each sweep and each exchange reads and writes the state once. */
  readonly bytesMoved: number;
}

const BYTES_PER_AMPLITUDE = { f32: 8, f64: 16 } as const;

/** Makes the report of a circuit, the optimized circuit and its steps. */
export function reportOn(
  original: DynamicCircuit,
  { circuit, passes }: Optimized,
  { program: { steps }, fusedBlocks }: Scheduled,
  precision: TargetProfile['precision'],
): CompilationReport {
  const sweeps = steps.filter((step) => step.kind === 'sweep');
  const trips = steps.filter(({ kind }) => kind === 'sweep' || kind === 'exchange').length;
  return {
    ...gateFigures(original, circuit),
    passes,
    kernels: sweeps.reduce((sum, sweep) => sum + sweep.kernels.length, 0),
    fusedBlocks,
    sweeps: sweeps.length,
    bytesMoved: trips * 2 * 2 ** circuit.numQubits * BYTES_PER_AMPLITUDE[precision],
  };
}

/** The report of a circuit that no pass rewrites and that becomes no sweeps of a state vector. */
export function reportAsWritten(circuit: DynamicCircuit): CompilationReport {
  return { ...gateFigures(circuit, circuit), ...NO_PROGRAM };
}

/** Figures where there is no program of sweeps. */
export const NO_PROGRAM = { passes: [], kernels: 0, fusedBlocks: 0, sweeps: 0, bytesMoved: 0 };

/** Figures of a circuit and of its compiled program. */
export function gateFigures(original: DynamicCircuit, compiled: DynamicCircuit): GateFigures {
  const before = widthsOf(original.operations);
  const after = widthsOf(compiled.operations);
  return {
    gatesBefore: before.total,
    gatesAfter: after.total,
    depthBefore: depthOf(original),
    depthAfter: depthOf(compiled),
    twoQubitGates: { before: before.two, after: after.two },
    widerGates: { before: before.wider, after: after.wider },
  };
}

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
 * Longest chain of operations. A measurement of several qubits counts as parallel measurements of one each. A
 * condition waits for its bits. A global phase adds nothing.
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

  /** Bits computed from bits are available once those are. */
  assign(touched: readonly Bit[], written: readonly Bit[]): void {
    const depth = touched.reduce((deepest, bit) => Math.max(deepest, this.#bits[bit]!), 0);
    for (const bit of written) this.#bits[bit] = depth;
  }

  /** Operations after a barrier wait for all before it on its qubits. */
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
 * Length of the longest chain of operations that wait for each other's qubits or bits; the body of a loop
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
