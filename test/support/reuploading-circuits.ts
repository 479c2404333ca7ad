/**
 * The two families of qnn-hybrid's circuits written out gate by gate, from their description on the
 * model card, and their expectation values by slow simulation. Shares no code with src/workloads.
 */
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import { circuitAmplitudes } from './kronecker-oracle.ts';
import { gate } from './random-circuits.ts';
import { finalAmplitudes } from './state-oracle.ts';

/** A circuit of given width and depth for one row of scaled features. */
export type WrittenOut = (
  numQubits: number,
  numLayers: number,
  theta: ArrayLike<number>,
  x: readonly number[],
) => Circuit;

/** `ghz-reuploading`; three parameters a qubit and layer: RX angle, weight, bias. */
export const writtenGhz: WrittenOut = (numQubits, numLayers, theta, x) => {
  const operations: Operation[] = [gate('H', [0])];
  for (let q = 1; q < numQubits; q++) operations.push(gate('CX', [q], [q - 1]));
  for (let use = 0; use < numLayers * numQubits; use++) {
    const q = use % numQubits;
    const [mixing, weight, bias] = [0, 1, 2].map((i) => theta[3 * use + i]!);
    operations.push(gate('RX', [q], [], [mixing!]));
    operations.push(gate('RZ', [q], [], [weight! * x[use % 4]! + bias!]));
  }
  for (let q = numQubits - 1; q > 0; q--) operations.push(gate('CX', [q], [q - 1]));
  return measured(numQubits, [...operations, gate('H', [0])]);
};

/** `ring-reuploading`; two parameters a qubit and layer: RY offset, RZ angle. */
export const writtenRing: WrittenOut = (numQubits, numLayers, theta, x) => {
  const operations: Operation[] = [];
  for (let use = 0; use < numLayers * numQubits; use++) {
    const q = use % numQubits;
    operations.push(gate('RY', [q], [], [(Math.PI / 2) * x[use % 4]! + theta[2 * use]!]));
    operations.push(gate('RZ', [q], [], [theta[2 * use + 1]!]));
    if (q < numQubits - 1 || numQubits === 1) continue;
    for (let from = 0; from < q; from++) operations.push(gate('CX', [from + 1], [from]));
    operations.push(gate('CX', [0], [q]));
  }
  return measured(numQubits, operations);
};

function measured(numQubits: number, operations: readonly Operation[]): Circuit {
  const qubits = Array.from({ length: numQubits }, (_, q) => q);
  return {
    numQubits,
    numBits: numQubits,
    operations: [...operations, { kind: 'measure', qubits, bits: qubits }],
  };
}

/** ⟨Z₀⟩ before the measurements, by a state vector moved operation by operation. */
export function exactZ0(circuit: Circuit): number {
  return z0Of(finalAmplitudes(circuit));
}

/** The same by products of full matrices. */
export function exactZ0ByKronecker(circuit: Circuit): number {
  return z0Of(circuitAmplitudes(circuit));
}

function z0Of(state: Float64Array): number {
  let value = 0;
  for (let i = 0; i < state.length / 2; i++) {
    const sign = i % 2 === 0 ? 1 : -1;
    value += sign * (state[2 * i]! ** 2 + state[2 * i + 1]! ** 2);
  }
  return value;
}

/** Minimum and maximum of each feature, as a scaler to [−1, 1] that draws in what is outside. */
export function rangeScaler(rows: readonly (readonly number[])[]) {
  const ends = [0, 1, 2, 3].map((f) => {
    const sorted = rows.map((row) => row[f]!).sort((a, b) => a - b);
    return [sorted[0]!, sorted.at(-1)!] as const;
  });
  return (row: readonly number[]): readonly number[] =>
    row.map((value, f) => {
      const [least, most] = ends[f]!;
      return Math.max(-1, Math.min(1, (value - (least + most) / 2) / ((most - least) / 2)));
    });
}
