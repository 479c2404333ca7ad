/** Parameter sweeps as tasks for a worker's engine. */
import { type Circuit, numAnglesOf, withAngles } from '../../src/circuit/circuit.ts';
import { GATES } from '../../src/circuit/gates.ts';
import { writeCircuit } from '../../src/fleet/workers/sent-circuit.ts';
import { mayBeBatched, type ShapedRun } from '../../src/fleet/workers/shape-batches.ts';
import { gate, randomUse } from './random-circuits.ts';
import type { RandomStream } from './random-stream.ts';

/** Gates of the table with any angles, a rotation among them, then every qubit read into some bit. */
export function randomShape(stream: RandomStream, numQubits: number, numGates: number): Circuit {
  const narrow = GATES.filter(
    ({ numControls, numTargets }) => numControls + numTargets <= numQubits,
  );
  const uses = Array.from({ length: numGates }, () =>
    randomUse(stream, stream.pick(narrow), numQubits),
  );
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  return {
    numQubits,
    numBits: numQubits,
    operations: [
      gate('RY', [0], [], [1]),
      ...uses,
      { kind: 'measure', qubits: all, bits: stream.distinct(numQubits, numQubits) },
    ],
  };
}

/** The shape with random angles, so many times. */
export function sweepOf(stream: RandomStream, shape: Circuit, length: number): readonly Circuit[] {
  const numAngles = numAnglesOf(shape);
  return Array.from({ length }, () =>
    withAngles(
      shape,
      Float64Array.from({ length: numAngles }, () => stream.angle()),
    ),
  );
}

/** Tasks that may be run in batches, each with a seed of its own. */
export function tasksOf(circuits: readonly Circuit[], shots = 200): readonly ShapedRun[] {
  return circuits.map((circuit, id) => {
    const written = writeCircuit(circuit);
    if (written === undefined) throw new Error('unreachable: it has a matrix');
    const request = { shots, seed: 1000 + id };
    const task = { id, precision: 'f64', circuit: written, request } as const;
    if (!mayBeBatched(task)) throw new Error('unreachable: it may not be batched');
    return task;
  });
}
