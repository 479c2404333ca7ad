/** What compiling changed, counted the same way before and after. */
import type { Bit, Circuit, Condition, Operation, Qubit } from '../circuit/circuit.ts';
import type { Kernel, Step } from './program.ts';

/** What compiling changed, in the units users of circuit compilers know. */
export interface CompilationReport {
  /** Gates and unitaries; measurements, resets and barriers are not counted. */
  readonly gatesBefore: number;
  /** Kernels. */
  readonly gatesAfter: number;
  /** The longest chain of operations that wait for each other's qubits or bits. */
  readonly depthBefore: number;
  readonly depthAfter: number;
  /** Kernels that hold more than one gate of the caller's. */
  readonly fusedBlocks: number;
  /** Trips of the state through memory, on an engine that takes a sweep in one. */
  readonly sweeps: number;
}

/** The report of a circuit and the steps it became. */
export function reportOn(circuit: Circuit, steps: readonly Step[]): CompilationReport {
  const sweeps = steps.filter((step) => step.kind === 'sweep');
  const isGate = ({ kind }: Operation) => kind === 'gate' || kind === 'unitary';
  return {
    gatesBefore: circuit.operations.filter(isGate).length,
    gatesAfter: sweeps.reduce((sum, sweep) => sum + sweep.kernels.length, 0),
    depthBefore: depthOfCircuit(circuit),
    depthAfter: depthOfSteps(circuit, steps),
    fusedBlocks: 0,
    sweeps: sweeps.length,
  };
}

/**
 * Longest path through operations. A measurement of several qubits counts as one of each, side by
 * side; a condition waits for its bits; what touches no qubit, a global phase, adds nothing.
 */
class DepthCounter {
  readonly #qubits: Uint32Array;
  readonly #bits: Uint32Array;

  constructor({ numQubits, numBits }: Circuit) {
    this.#qubits = new Uint32Array(numQubits);
    this.#bits = new Uint32Array(numBits);
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

function depthOfCircuit(circuit: Circuit): number {
  const counter = new DepthCounter(circuit);
  for (const operation of circuit.operations) {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        counter.gate([...operation.controls, ...operation.targets], operation.condition);
        break;
      case 'measure':
        for (const [i, qubit] of operation.qubits.entries()) {
          counter.measure(qubit, operation.bits[i], operation.condition);
        }
        break;
      case 'reset':
        for (const qubit of operation.qubits) counter.gate([qubit], operation.condition);
        break;
      case 'barrier':
        counter.barrier(operation.qubits);
        break;
    }
  }
  return counter.depth;
}

function depthOfSteps(circuit: Circuit, steps: readonly Step[]): number {
  const counter = new DepthCounter(circuit);
  const qubitsOf = ({ controls, targets }: Kernel) => [...controls, ...targets];
  for (const step of steps) {
    switch (step.kind) {
      case 'sweep':
        for (const kernel of step.kernels) counter.gate(qubitsOf(kernel), step.condition);
        break;
      case 'measure':
        for (const [i, qubit] of step.qubits.entries()) {
          counter.measure(qubit, step.bits[i], step.condition);
        }
        break;
      case 'reset':
        for (const qubit of step.qubits) counter.gate([qubit], step.condition);
        break;
    }
  }
  return counter.depth;
}
