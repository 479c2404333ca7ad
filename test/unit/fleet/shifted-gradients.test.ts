/** Gradients of batch runs: by shifts and by the adjoint method they are the same. */
import { afterAll, describe, expect, test } from 'vitest';
import { inputColumns } from '../../../src/circuit/input-columns.ts';
import type { PauliSum } from '../../../src/circuit/observable.ts';
import { readSweep } from '../../../src/circuit/read-sweep.ts';
import { openCpuEngine } from '../../../src/engine/cpu/cpu-engine.ts';
import type { BatchRunRequest } from '../../../src/fleet/schedule/scheduled-run.ts';
import type { Batch } from '../../../src/fleet/workers/sent-batch.ts';
import { localRuns } from '../../../src/fleet/workers/served-engine.ts';
import { gate } from '../../support/random-circuits.ts';

const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 14 });
afterAll(() => engine.close());
const { gradient: _, ...withoutGradient } = engine.prepare;
const withoutAdjoint = { ...engine, prepare: withoutGradient };
let numGradients = 0;
const counted = {
  ...engine,
  prepare: {
    ...engine.prepare,
    gradient: (program: Parameters<NonNullable<typeof engine.prepare.gradient>>[0]) => {
      numGradients++;
      return engine.prepare.gradient!(program);
    },
  },
};
const { signal } = new AbortController();

async function batch(
  on: Parameters<typeof localRuns>[0],
  circuit: Batch['circuit'],
  request: BatchRunRequest,
) {
  return (await localRuns(on)({ circuit, request }, () => {}, signal)).outputs;
}

const OBSERVABLES: readonly PauliSum[] = [
  [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }],
  [
    { coefficient: 0.5, factors: [{ pauli: 'X', qubit: 1 }] },
    {
      coefficient: -2,
      factors: [
        { pauli: 'Y', qubit: 0 },
        { pauli: 'Z', qubit: 1 },
      ],
    },
  ],
];

function layers(numQubits: number, numLayers: number) {
  const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const layer = qubits.flatMap((qubit) => [
    gate('U', [qubit], [], [0, 0, 0]),
    gate('RX', [qubit], [(qubit + 1) % numQubits], [0]),
  ]);
  return {
    numQubits,
    numBits: 0,
    operations: Array.from({ length: numLayers }, () => layer).flat(),
  };
}

const anglesFor = (numCircuits: number, numAngles: number) =>
  Float64Array.from({ length: numCircuits * numAngles }, (_, i) => 3 * Math.sin(i + 1));

describe('gradients of a batch run', () => {
  test.each([
    ['few angles, which the CPU engine shifts', 2, 1, 5],
    ['many angles, which it does not', 7, 4, 3],
    ['more qubits than an engine takes together', 13, 1, 2],
  ])('are the same by shifts as by the adjoint method: %s', async (_, numQubits, numLayers, n) => {
    const shape = layers(numQubits, numLayers);
    const angles = anglesFor(n, 4 * numQubits * numLayers);
    const request = { numCircuits: n, angles, observables: OBSERVABLES, gradients: true };
    numGradients = 0;
    const chosen = await batch(counted, shape, request);
    expect(numGradients).toBe(numQubits === 2 ? 0 : n);
    const shifted = await batch(withoutAdjoint, shape, request);
    expect(shifted.gradients).toHaveLength(n * 2 * 4 * numQubits * numLayers);
    for (const name of ['expectations', 'gradients'] as const) {
      for (const [i, value] of shifted[name]!.entries()) {
        expect(chosen[name]![i]).toBeCloseTo(value, 11);
      }
    }
  });

  test('are by the inputs of the formulas, beside everything else that is asked for', async () => {
    const inputs = inputColumns({ a: [0.3, 1.2, -0.7], b: 0.4 });
    const qasm = `OPENQASM 3.0; include "stdgates.inc"; input float a; input float b; qubit[2] q;
      ry(sin(a) * b) q[0]; cx q[0], q[1]; rx(a / 2) q[1]; rz(0.3) q[1];`;
    const [group] = readSweep({ qasm }, inputs, { maxQubits: 2, maxGates: 100 }).groups;
    const { circuit, formulas } = group!;
    const rowsAt = (da: number, db: number) =>
      Float64Array.from([0.3, 1.2, -0.7].flatMap((a) => [a + da, 0.4 + db]));
    const asked = { numCircuits: 3, formulas, observables: OBSERVABLES, variances: true };
    numGradients = 0;
    const result = await batch(counted, circuit, {
      ...asked,
      angles: rowsAt(0, 0),
      gradients: true,
    });
    expect(numGradients).toBe(0);
    const plain = await batch(counted, circuit, { ...asked, angles: rowsAt(0, 0) });
    expect(result.expectations).toEqual(plain.expectations);
    expect(result.variances).toEqual(plain.variances);
    for (const [input, step] of [rowsAt(1e-5, 0), rowsAt(0, 1e-5)].entries()) {
      const more = await batch(counted, circuit, { ...asked, angles: step });
      for (let i = 0; i < 6; i++) {
        const slope = (more.expectations![i]! - plain.expectations![i]!) / 1e-5;
        expect(result.gradients![2 * i + input]).toBeCloseTo(slope, 4);
      }
    }
  });

  test('of a circuit without angles are empty', async () => {
    const shape = { numQubits: 2, numBits: 0, operations: [gate('H', [0])] };
    const angles = new Float64Array();
    const request = { numCircuits: 2, angles, observables: OBSERVABLES, gradients: true };
    const { expectations, gradients } = await batch(engine, shape, request);
    expect([expectations?.length, gradients?.length]).toEqual([4, 0]);
  });
});
