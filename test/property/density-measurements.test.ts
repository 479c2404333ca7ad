/** Measurements on density matrices, of one tile and of many, against the oracle of noise: in mid-circuit, and misread. */
import { afterAll, describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../src/circuit/circuit.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { countsByLabel } from '../support/engine-runs.ts';
import { densityBeforeReadout, exactRun } from '../support/noise-oracle.ts';
import { runDensity } from '../support/noise-runs.ts';
import { noise } from '../support/noisy-circuits.ts';
import { gate } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { amplitudeDamping, depolarizing } from '../support/textbook-channels.ts';

const NUM_QUBITS = 5;

const engines: readonly [string, Engine][] = [
  ['reference', openReferenceEngine({ maxQubits: 12 })],
  ['cpu', openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 20 })],
  [
    'cpu in small tiles',
    openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 20, tileQubits: 8 }),
  ],
];
afterAll(async () => {
  for (const [, engine] of engines) await engine.close();
});

/** Gates on all qubits before, between and after two measurements, so that some could be moved across. */
function measuredTwice(stream: RandomStream): DynamicCircuit {
  const layer = (): readonly DynamicOperation[] => [
    ...Array.from({ length: NUM_QUBITS }, (_, q) =>
      gate('U', [q], [], [stream.angle(), stream.angle(), stream.angle()]),
    ),
    gate('CX', [stream.below(2)], [2 + stream.below(3)]),
  ];
  const between = noise(depolarizing(0.3, 2), ...stream.distinct(2, NUM_QUBITS));
  return {
    numQubits: NUM_QUBITS,
    numBits: 2,
    operations: [
      ...layer(),
      { kind: 'measure', qubits: [stream.below(NUM_QUBITS)], bits: [0] },
      { ...between, condition: { bits: [0], value: 1 } },
      ...layer(),
      noise(amplitudeDamping(0.2), stream.below(NUM_QUBITS)),
      { kind: 'measure', qubits: [stream.below(NUM_QUBITS)], bits: [1] },
      ...layer(),
    ],
  };
}

/** One qubit is read into two bits, of which one is misread; another qubit is misread, too. */
const READ_TWICE: DynamicCircuit = {
  numQubits: 2,
  numBits: 3,
  control: { numScratchBits: 1, maxRounds: 0 },
  operations: [
    gate('RY', [0], [], [0.9]),
    gate('CX', [1], [0]),
    gate('RY', [1], [], [0.4]),
    { kind: 'measure', qubits: [0], bits: [3] },
    { kind: 'misread', bits: [3], p1Given0: 0.2, p0Given1: 0.1 },
    { kind: 'measure', qubits: [0, 1], bits: [0, 2] },
    { kind: 'misread', bits: [2, 0], p1Given0: 0.15, p0Given1: 0.3 },
    {
      kind: 'assign',
      bits: [1],
      value: { kind: 'read', bits: [3], encoding: 'uint', type: 'uint' },
    },
  ],
};

describe.each(engines)('misread bits that share a qubit on %s', (_, engine) => {
  test('are misread one by one, and the others as well', async () => {
    const { outcomes } = exactRun(READ_TWICE);
    const ask = { shots: 4000, probabilities: true };
    const { probabilities, counts } = await runDensity(engine, READ_TWICE, ask);
    for (const [label, probability] of outcomes) {
      expect(probabilities![Number.parseInt(label, 2)]).toBeCloseTo(probability, 12);
    }
    const { statistic, bound } = chiSquared(countsByLabel(counts), outcomes);
    expect(statistic).toBeLessThan(bound);
  });

  test('leave the state before their measurements', async () => {
    const before = exactRun({ ...READ_TWICE, operations: READ_TWICE.operations.slice(0, 3) });
    const { densityMatrix } = await runDensity(engine, READ_TWICE, { densityMatrix: true });
    for (const [i, entry] of before.density.entries()) {
      expect(densityMatrix![i]).toBeCloseTo(entry, 12);
    }
  });
});

describe.each(engines)('measurements in mid-circuit on %s', (_, engine) => {
  test.each([1, 2, 3, 4, 5, 6])('leave the exact mixture, circuit %i', async (seed) => {
    const circuit = measuredTwice(new RandomStream(seed));
    const ask = { densityMatrix: true, probabilities: true };
    const { densityMatrix, probabilities } = await runDensity(engine, circuit, ask);
    for (const [i, entry] of densityBeforeReadout(circuit).entries()) {
      expect(densityMatrix![i]).toBeCloseTo(entry, 12);
    }
    for (const [label, probability] of exactRun(circuit).outcomes) {
      expect(probabilities![Number.parseInt(label, 2)]).toBeCloseTo(probability, 12);
    }
  });
});
