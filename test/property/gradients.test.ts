/** Gradients by the adjoint method, parameter shift and finite differences agree. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withAngles } from '../../src/circuit/circuit.ts';
import { GATES } from '../../src/circuit/gates.ts';
import { type CpuEngine, openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import {
  type EngineExpectations,
  engineExpectations,
} from '../../src/workloads/algorithms/training/engine-expectations.ts';
import {
  adjointGradient,
  prepareAdjoint,
} from '../../src/workloads/algorithms/training/gradients/adjoint.ts';
import { parameterShift } from '../../src/workloads/algorithms/training/gradients/parameter-shift.ts';
import { anglesOf } from '../../src/workloads/algorithms/training/parametric-circuit.ts';
import { runCircuit } from '../support/engine-runs.ts';
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

const EXACT = 1e-10;
const DIFFERENCED = 1e-6;
const NUM_CIRCUITS = 60;

let engine: CpuEngine;
let source: EngineExpectations;
beforeAll(() => {
  engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12, tileQubits: 8 });
  source = engineExpectations(engine);
});
afterAll(async () => {
  await source[Symbol.asyncDispose]();
  await engine.close();
});

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
      const { value, angleGradient } = adjointGradient(bare.shape, angles, observable);
      const args = [bare, angles, [new Float64Array(0)], [observable]] as const;
      const shifted = await parameterShift(...args, oracleExpectations);
      expect(value).toBeCloseTo(shifted.values[0]!, 12);
      expect(largestDifference(angleGradient, shifted.gradients)).toBeLessThan(EXACT);
      const slopes = await centralDifferences(...args);
      expect(largestDifference(angleGradient, slopes)).toBeLessThan(DIFFERENCED);
    },
  );
});

describe('random circuits with shared parameters, inputs and unitaries', () => {
  test('have the gradient of parameter shift on the CPU engine', async () => {
    const stream = new RandomStream(91);
    for (let i = 0; i < NUM_CIRCUITS; i++) {
      const numQubits = 4 + stream.below(2);
      const circuit = randomParametricCircuit(stream, numQubits);
      const theta = randomRow(stream, circuit.numParameters);
      const rows = [0, 1, 2].map(() => randomRow(stream, circuit.numFeatures));
      const observables = [0, 1].map(() => randomObservable(stream, numQubits));
      const args = [circuit, theta, rows, observables] as const;
      const shifted = await parameterShift(...args, source.expectations);
      const found = prepareAdjoint(circuit)(theta, rows, observables);
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
      const { gradients } = prepareAdjoint(circuit)(theta, rows, observables);
      expect(largestDifference(gradients, slopes)).toBeLessThan(DIFFERENCED);
    }
  });

  test('have the values of the test oracle', async () => {
    const stream = new RandomStream(93);
    for (let i = 0; i < NUM_CIRCUITS / 4; i++) {
      const circuit = randomParametricCircuit(stream, 5);
      const theta = randomRow(stream, circuit.numParameters);
      const x = randomRow(stream, circuit.numFeatures);
      const observables = [randomObservable(stream, 5), randomObservable(stream, 5)];
      const angles = anglesOf(circuit, theta, x);
      const exact = await oracleExpectations(circuit.shape, angles, 1, observables);
      const { values } = prepareAdjoint(circuit)(theta, [x], observables);
      expect(largestDifference(values, exact)).toBeLessThan(EXACT);
    }
  });

  test('have the values of the reference engine', async () => {
    const reference = openReferenceEngine({ maxQubits: 5 });
    const stream = new RandomStream(94);
    for (let i = 0; i < NUM_CIRCUITS / 4; i++) {
      const circuit = randomParametricCircuit(stream, 5);
      const theta = randomRow(stream, circuit.numParameters);
      const x = randomRow(stream, circuit.numFeatures);
      const observables = [randomObservable(stream, 5), randomObservable(stream, 5)];
      const plain = withAngles(circuit.shape, anglesOf(circuit, theta, x));
      const { expectations } = await runCircuit(reference, plain, { observables });
      const { values } = prepareAdjoint(circuit)(theta, [x], observables);
      expect(largestDifference(values, expectations!)).toBeLessThan(EXACT);
    }
    await reference.close();
  });
});
