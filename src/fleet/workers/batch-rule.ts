/**
 * Which circuits of a list are run in batches: those for which it is faster and gives the same counts.
 *
 * The same counts for the same seed as the compiled circuit has them: that takes double precision, for
 * amplitudes computed in another order differ by roundings, and in single precision one draw in ten
 * million falls to the other side of a boundary for it. And it takes a circuit whose every qubit is
 * read: of one that is not, the compiler may drop what nobody sees, which leaves the distribution as
 * it is but gives a seed another sample of it.
 *
 * Faster: a batch skips the compiler, which takes longer than all the rest, so one circuit alone is
 * worth it as soon as its shape is known, at every width that batches take. A circuit that comes again
 * as it was is kept compiled, which is faster yet where it is wide; so circuits without angles are
 * none of a batch's. Measured by bench/worker-batches.ts.
 */
import {
  type Circuit,
  type DynamicCircuit,
  hasMidCircuitMeasurement,
  isStatic,
  measuredQubits,
} from '../../circuit/circuit.ts';
import { MAX_BATCH_QUBITS } from '../../engine/batch-shape.ts';
import type { Precision } from '../schedule/lane.ts';
import type { SentBatch, SentItem, SentTask } from './worker-messages.ts';
import { isSameCircuit, type WrittenCircuit } from './written-circuit.ts';

/** Beyond this, telling a shape from others costs more than it is likely to save. */
const MAX_OPERATIONS = 512;
/** Of the register: a batch gives a number for each of its values. */
const MAX_BITS = 12;
const MAX_SHOTS = 1_000_000;
/** Nothing is heard while a batch runs, so it is to be short. */
const MAX_BATCH_NS = 5e6;
/** What somebody waits for is not held back for a batch task that may take longer. */
const MAX_BRIEF_NS = 1e6;
/** What a circuit takes in a batch, at most. */
const NS_PER_AMPLITUDE = 1;
const NS_PER_OPERATION = 20;
const NS_PER_SHOT = 20;

/** The precision in which batches give the counts of compiled circuits. */
export const EXACT_PRECISION: Precision = 'f64';

/** A task whose circuit is in writing. */
export type ShapedTask = SentTask & { readonly circuit: WrittenCircuit };

/** Whether a task may be run in a batch, as far as can be told without reading its circuit. */
export function mayBeBatched(task: SentItem): task is ShapedTask {
  if ('shape' in task) return false;
  const { circuit, request } = task;
  return (
    task.precision === EXACT_PRECISION &&
    'shape' in circuit &&
    circuit.angles.length > 0 &&
    circuit.numQubits <= MAX_BATCH_QUBITS &&
    circuit.numOperations <= MAX_OPERATIONS &&
    request.shots > 0 &&
    request.shots <= MAX_SHOTS &&
    request.statevector !== true &&
    request.probabilities !== true &&
    request.observables === undefined
  );
}

/** Whether a batch gives the counts that a compiled circuit of the shape gives. */
export function hasExactBatches(circuit: DynamicCircuit): circuit is Circuit {
  if (!isStatic(circuit) || circuit.numBits > MAX_BITS || hasMidCircuitMeasurement(circuit))
    return false;
  const read = new Set(measuredQubits(circuit));
  read.delete(null);
  return read.size === circuit.numQubits;
}

/**
 * Takes those out of a list that are to be run with a task: of the same shape, with as many shots, and
 * together not too long. None where all are the same circuit, which is compiled once and kept.
 */
export function takeOfSameShape(task: ShapedTask, waiting: SentItem[]): readonly ShapedTask[] {
  const taken = new Set<ShapedTask>();
  let isSweep = false;
  let room = MAX_BATCH_NS - costNs(task);
  for (const other of waiting) {
    if (!mayBeBatched(other) || !isSameShape(task, other)) continue;
    room -= costNs(other);
    if (room < 0) break;
    taken.add(other);
    isSweep ||= !isSameCircuit(task.circuit, other.circuit);
  }
  if (!isSweep) return [];
  const left = waiting.filter((other) => !mayBeBatched(other) || !taken.has(other));
  waiting.splice(0, waiting.length, ...left);
  return [...taken];
}

/** Whether a batch task is over in no time. */
export function isBriefBatch({ shape, request }: SentBatch): boolean {
  const { numCircuits, shots = 0, observables = [] } = request;
  const numOperations = 'shape' in shape ? shape.numOperations : shape.operations.length;
  const numTrips = observables.reduce((sum, terms) => sum + terms.length, numOperations + 1);
  const ns = numTrips * nsOfTrip(shape.numQubits) + NS_PER_SHOT * shots;
  return numCircuits * ns <= MAX_BRIEF_NS;
}

function isSameShape(a: ShapedTask, b: ShapedTask): boolean {
  if (a.request.shots !== b.request.shots) return false;
  return a.circuit === b.circuit || a.circuit.shape === b.circuit.shape;
}

function costNs({ circuit, request }: ShapedTask): number {
  return nsOfTrip(circuit.numQubits) * circuit.numOperations + NS_PER_SHOT * request.shots;
}

function nsOfTrip(numQubits: number): number {
  return NS_PER_OPERATION + NS_PER_AMPLITUDE * 2 ** numQubits;
}
