import { describe, expect, test } from 'vitest';
import {
  commonCircuit,
  FAMILIES,
  mirrored,
  qftWitness,
  wrongOutcome,
} from '../../../bench/webgpu-circuits.ts';
import { runOn, strayShots, verifyWide, worstDifference } from '../../../bench/webgpu-facts.ts';
import { type Circuit, withFinalMeasurement } from '../../../src/circuit/circuit.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { openReferenceEngine } from '../../../src/engine/reference/reference-engine.ts';

const NUM_QUBITS = 10;
const engine = openReferenceEngine({ maxQubits: NUM_QUBITS });

/** An engine that leaves out the last gate before the measurements. */
const forgetful: Engine = {
  ...engine,
  name: 'reference',
  target: engine.target,
  prepare: {
    statevector: (program) => {
      const last = program.steps.findLastIndex((step) => step.kind === 'sweep');
      const steps = program.steps.map((step, i) =>
        i === last && step.kind === 'sweep'
          ? { ...step, kernels: step.kernels.slice(0, -1) }
          : step,
      );
      return engine.prepare.statevector({ ...program, hash: `${program.hash} less`, steps });
    },
  },
  close: () => engine.close(),
};

describe('what is known of a common circuit at any width', () => {
  test.each(FAMILIES)('%s passes', async (family) => {
    await expect(
      verifyWide(engine, family, commonCircuit(family, NUM_QUBITS)),
    ).resolves.toBeUndefined();
  });

  test.each(FAMILIES)('%s does not pass with its last gate missing', async (family) => {
    await expect(verifyWide(forgetful, family, commonCircuit(family, NUM_QUBITS))).rejects.toThrow(
      family,
    );
  });

  test('the QFT of another basis state falls short of the witness', async () => {
    const circuit = commonCircuit('qft', NUM_QUBITS);
    const other: Circuit = { ...circuit, operations: circuit.operations.slice(1) };
    const { expectations } = await runOn(engine, other, { observables: [qftWitness(circuit)] });
    expect(expectations?.[0]).toBeLessThan(NUM_QUBITS - 1);
  });

  test('a GHZ state that always gives 0 is noticed', async () => {
    const still = withFinalMeasurement({ numQubits: 3, numBits: 0, operations: [] });
    const { counts } = await runOn(engine, still, { shots: 1000 });
    expect(wrongOutcome('ghz', still, counts)).toContain('1000 of 1000');
  });

  test('a circuit and its inverse are not cancelled before they run', async () => {
    const { statePasses } = await runOn(engine, mirrored(commonCircuit('rqc', 5)), { shots: 1 });
    expect(statePasses).toBeGreaterThan(0);
  });
});

describe('comparing', () => {
  test('shots that went elsewhere are counted once each', async () => {
    const circuit = withFinalMeasurement(commonCircuit('rqc', 3));
    const one = await runOn(engine, circuit, { shots: 500 });
    const other = await runOn(engine, circuit, { shots: 500, seed: 2 });
    expect(strayShots(one.counts, one.counts)).toBe(0);
    expect(strayShots(one.counts, other.counts)).toBeGreaterThan(0);
  });

  test('a list that is not a number, or too short, never passes for equal', () => {
    expect(worstDifference([1, Number.NaN, 1], [1, 1, 1])).toBeNaN();
    expect(worstDifference([1], [1, 1])).toBeNaN();
    expect(worstDifference([1, 2], [1, 2.5])).toBe(0.5);
  });
});
