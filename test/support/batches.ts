/** Shapes of batches, and the single circuits that a batch replaces. */
import { expect } from 'vitest';
import {
  type Circuit,
  type DynamicCircuit,
  isStatic,
  type Operation,
  withAngles,
} from '../../src/circuit/circuit.ts';
import type { BatchExecutable, BatchRequest, BatchResult } from '../../src/engine/batch-request.ts';
import { worstAmplitude } from './engine-runs.ts';
import { gate } from './random-circuits.ts';
import type { RandomStream } from './random-stream.ts';
import { finalAmplitudes } from './state-oracle.ts';

/** The part of an engine that tests of batches use. */
export interface BatchEngine {
  readonly prepare: { readonly batch: (shape: Circuit) => Promise<BatchExecutable> };
  close(): Promise<void>;
}

/** A circuit without loops and assignments, as engines take for their batches. */
export function staticCircuit(circuit: DynamicCircuit): Circuit {
  if (!isStatic(circuit)) throw new Error('The circuit computes while it runs.');
  return circuit;
}

/** Angles for that many circuits. */
export function randomAngles(stream: RandomStream, batch: BatchExecutable, numCircuits: number) {
  return Float64Array.from({ length: numCircuits * batch.numAngles }, () => stream.angle());
}

/** The circuits of a batch as single circuits. */
export function circuitsOf(
  shape: Circuit,
  { angles, numCircuits }: BatchRequest,
): readonly Circuit[] {
  const each = angles.length / numCircuits;
  return Array.from({ length: numCircuits }, (_, k) =>
    withAngles(shape, angles.subarray(k * each, (k + 1) * each)),
  );
}

/** A circuit that first rotates all qubits, so that every amplitude matters. */
export function tilted(numQubits: number, operations: readonly Operation[]): Circuit {
  const tilts = Array.from({ length: numQubits }, (_, q) => gate('U', [q], [], [1, 2, 3]));
  return { numQubits, numBits: 0, operations: [...tilts, ...operations] };
}

/** Largest error of any amplitude of a batch. */
export function worstOf(
  shape: Circuit,
  request: BatchRequest,
  { statevectors }: BatchResult,
): number {
  const circuits = circuitsOf(shape, request);
  const length = 2 * 2 ** shape.numQubits;
  expect(statevectors).toHaveLength(length * circuits.length);
  return Math.max(
    ...circuits.map((circuit, k) => {
      const found = statevectors!.subarray(k * length, (k + 1) * length);
      return worstAmplitude(found, finalAmplitudes(circuit));
    }),
  );
}
