/**
 * Operations → steps, greedily and in order: a kernel joins the open sweep while the tile holds
 * its targets, and nothing ever moves past anything else. The simplest schedule that is right;
 * one that reorders what commutes needs far fewer sweeps.
 *
 * Two things cost nothing. A SWAP without controls or condition only relabels: `layout` says where
 * each logical qubit is, and everything after it goes through there. And where nothing depends on
 * a measurement, all of them move to the end as one step.
 */
import {
  type Circuit,
  type Condition,
  hasMidCircuitMeasurement,
  type MeasureOperation,
  type Operation,
  type Qubit,
} from '../circuit/circuit.ts';
import { KernelTooWideError } from './errors.ts';
import { kernelOf } from './kernels.ts';
import { MatrixPool } from './matrix-pool.ts';
import type { Kernel, Measure, Program, Step, TargetProfile } from './program.ts';

/** A program but for its hash. */
export type UnhashedProgram = Omit<Program, 'hash'>;

/**
 * The steps of a circuit, with their matrices and layout.
 *
 * @throws {KernelTooWideError} if a matrix that is not diagonal spans more targets than
 *   `target.maxDenseQubits`.
 */
export function schedule(circuit: Circuit, target: TargetProfile): UnhashedProgram {
  const scheduler = new Scheduler(circuit.numQubits, target);
  const measuresLast = !hasMidCircuitMeasurement(circuit);
  const measurements: MeasureOperation[] = [];
  for (const [index, operation] of circuit.operations.entries()) {
    if (measuresLast && operation.kind === 'measure') measurements.push(operation);
    else scheduler.add(operation, index);
  }
  if (measurements.length > 0) scheduler.add(joined(measurements), circuit.operations.length);
  return { numQubits: circuit.numQubits, numBits: circuit.numBits, ...scheduler.finish() };
}

/** One measurement for several; of two that write a bit, the last counts. */
function joined(measurements: readonly MeasureOperation[]): MeasureOperation {
  const sources = new Map<number, Qubit>();
  for (const { qubits, bits } of measurements) {
    for (const [i, bit] of bits.entries()) sources.set(bit, qubits[i]!);
  }
  return { kind: 'measure', qubits: [...sources.values()], bits: [...sources.keys()] };
}

/** Takes operations in order. */
class Scheduler {
  readonly #target: TargetProfile;
  readonly #lowQubits: readonly Qubit[];
  readonly #layout: Qubit[];
  readonly #pool = new MatrixPool();
  readonly #steps: Step[] = [];
  #resident: Set<Qubit>;
  #kernels: Kernel[] = [];

  constructor(numQubits: number, target: TargetProfile) {
    if (target.tileQubits < target.contiguousQubits + target.maxDenseQubits) {
      throw new Error('unreachable: the target profile has a tile too small for its widest kernel');
    }
    this.#target = target;
    this.#layout = Array.from({ length: numQubits }, (_, qubit) => qubit);
    this.#lowQubits = this.#layout.slice(0, target.contiguousQubits);
    this.#resident = new Set(this.#lowQubits);
  }

  add(operation: Operation, index: number): void {
    switch (operation.kind) {
      case 'gate':
      case 'unitary': {
        if (operation.kind === 'gate' && this.#relabels(operation)) return;
        const kernel = kernelOf(operation, this.#layout, this.#pool);
        if (kernel !== undefined) this.#addKernel(kernel, operation.condition, index);
        return;
      }
      case 'measure':
      case 'reset':
        this.#addCollapse(operation);
        return;
      case 'barrier':
        return;
    }
  }

  finish(): Pick<Program, 'steps' | 'matrices' | 'finalLayout'> {
    this.#closeSweep();
    return { steps: this.#steps, matrices: this.#pool.entries(), finalLayout: this.#layout };
  }

  /** Takes a swap into the layout, if the operation is one. */
  #relabels({ gate, controls, targets, condition }: Operation & { kind: 'gate' }): boolean {
    if (gate !== 'SWAP' || controls.length > 0 || condition !== undefined) return false;
    const [first = 0, second = 0] = targets;
    const place = this.#layout[first]!;
    this.#layout[first] = this.#layout[second]!;
    this.#layout[second] = place;
    return true;
  }

  #addKernel(kernel: Kernel, condition: Condition | undefined, index: number): void {
    const { maxDenseQubits, tileQubits } = this.#target;
    const needed = kernel.kind === 'diagonal' ? [] : kernel.targets;
    if (needed.length > maxDenseQubits) {
      throw new KernelTooWideError(index, needed.length, maxDenseQubits);
    }
    const resident = this.#resident.union(new Set(needed));
    if (condition !== undefined || resident.size > tileQubits) this.#closeSweep();
    for (const qubit of needed) this.#resident.add(qubit);
    this.#kernels.push(kernel);
    if (condition !== undefined) this.#closeSweep(condition);
  }

  #addCollapse(operation: Operation & { kind: 'measure' | 'reset' }): void {
    if (operation.qubits.length === 0) return;
    this.#closeSweep();
    const qubits = operation.qubits.map((qubit) => this.#layout[qubit]!);
    const condition = operation.condition === undefined ? {} : { condition: operation.condition };
    if (operation.kind === 'reset') {
      this.#steps.push({ kind: 'reset', qubits, ...condition });
    } else {
      const measure: Measure = { kind: 'measure', qubits, bits: operation.bits, ...condition };
      this.#steps.push(measure);
    }
  }

  #closeSweep(condition?: Condition): void {
    if (this.#kernels.length > 0) {
      const resident = [...this.#resident].sort((a, b) => a - b);
      const step = { kind: 'sweep', resident, kernels: this.#kernels } as const;
      this.#steps.push(condition === undefined ? step : { ...step, condition });
    }
    this.#kernels = [];
    this.#resident = new Set(this.#lowQubits);
  }
}
