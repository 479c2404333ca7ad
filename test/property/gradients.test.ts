/** Gradients by the adjoint method, in batches, by parameter shift and by finite differences agree. */

import { afterAll, describe, expect, test } from 'vitest';
import { withAngles } from '../../src/circuit/circuit.ts';
import { GATES } from '../../src/circuit/gates.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import {
  exactGradients,
  parameterShift,
} from '../../src/workloads/algorithms/training/gradients.ts';
import { engineCircuits } from '../../src/workloads/procedures/engine-circuits.ts';
import { gradientOf, NEVER } from '../support/engine-runs.ts';
import { gradientOracle } from '../support/gradient-oracle.ts';
import {
  centralDifferences,
  largestDifference,
  oracleExpectations,
  randomForms,
  randomObservable,
  randomParametricCircuit,
  randomRow,
} from '../support/parametric-circuits.ts';
import { gate } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { numCases } from '../support/seeds.ts';

const EXACT = 1e-10;
const DIFFERENCED = 1e-6;
const NUM_CIRCUITS = numCases(24);

/** The ancilla of a gradient is qubit 8. */
const reference = openReferenceEngine({ maxQubits: 9 });
const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12, tileQubits: 8 });
afterAll(() => engine.close());

const parametric = GATES.filter(({ parameters }) => parameters.length > 0).flatMap(
  ({ name, numControls, numTargets, parameters }, i) =>
    [0, 1, 2].map((further) => ({
      name,
      further,
      seed: 100 * i + further,
      numControls: numControls + further,
      numTargets,
      numAngles: parameters.length,
    })),
);

describe('a gate with angles', () => {
  test.each(parametric)(
    '$name under $further further controls has one gradient',
    async ({ name, seed, numControls, numTargets, numAngles }) => {
      const stream = new RandomStream(seed);
      const numQubits = Math.max(2, numControls + numTargets);
      const qubits = stream.distinct(numQubits, numQubits);
      const [targets, controls] = [qubits.slice(0, numTargets), qubits.slice(numTargets)];
      const used = gate(
        name,
        targets,
        controls.slice(0, numControls),
        new Array(numAngles).fill(0),
      );
      const mixing = Array.from({ length: numQubits }, (_, q) => gate('SX', [q]));
      const circuit = randomForms(stream, numQubits, [used, ...mixing]);
      const angles = Float64Array.from(circuit.angles, () => stream.angle());
      // Each angle is a parameter of its own: the derivatives by all of them are compared.
      const bare = {
        ...circuit,
        numParameters: angles.length,
        numFeatures: 0,
        angles: circuit.angles.map((_, i) => ({
          offset: 0,
          terms: [{ coefficient: 1, parameter: i }],
        })),
      };
      const observable = randomObservable(stream, numQubits);
      const shape = withAngles(bare.shape, angles);
      const { values, gradients } = await gradientOf(reference, shape, [observable]);
      const args = [bare, angles, [new Float64Array(0)], [observable]] as const;
      const shifted = await parameterShift(...args, oracleExpectations);
      expect(values[0]).toBeCloseTo(shifted.values[0]!, 12);
      expect(largestDifference(gradients, shifted.gradients)).toBeLessThan(EXACT);
      const slopes = await centralDifferences(...args);
      expect(largestDifference(gradients, slopes)).toBeLessThan(DIFFERENCED);
      const oracle = gradientOracle(bare.shape, angles, observable);
      expect(oracle.value).toBeCloseTo(values[0]!, 12);
      expect(largestDifference(oracle.angleGradient, gradients)).toBeLessThan(EXACT);
    },
  );
});

describe.each([
  ['the CPU engine', engine],
  ['the reference engine, which has no batches', reference],
])('random circuits with shared parameters, inputs and unitaries on %s', (_, on) => {
  const circuits = engineCircuits(on, NEVER);

  test('have the values and gradient of parameter shift', async () => {
    const stream = new RandomStream(91);
    for (let i = 0; i < NUM_CIRCUITS; i++) {
      const numQubits = 4 + stream.below(2);
      const circuit = randomParametricCircuit(stream, numQubits);
      const theta = randomRow(stream, circuit.numParameters);
      const rows = [0, 1, 2].map(() => randomRow(stream, circuit.numFeatures));
      const observables = [0, 1].map(() => randomObservable(stream, numQubits));
      const args = [circuit, theta, rows, observables] as const;
      const shifted = await parameterShift(...args, oracleExpectations);
      const found = await exactGradients(...args, circuits);
      expect(largestDifference(found.values, shifted.values)).toBeLessThan(EXACT);
      expect(largestDifference(found.gradients, shifted.gradients)).toBeLessThan(EXACT);
    }
  });

  test('have the gradient of central differences', async () => {
    const stream = new RandomStream(92);
    for (let i = 0; i < NUM_CIRCUITS / 4; i++) {
      const circuit = randomParametricCircuit(stream, 4);
      const theta = randomRow(stream, circuit.numParameters);
      const rows = [randomRow(stream, circuit.numFeatures)];
      const observables = [randomObservable(stream, 4)];
      const slopes = await centralDifferences(circuit, theta, rows, observables);
      const { gradients } = await exactGradients(circuit, theta, rows, observables, circuits);
      expect(largestDifference(gradients, slopes)).toBeLessThan(DIFFERENCED);
    }
  });
});
