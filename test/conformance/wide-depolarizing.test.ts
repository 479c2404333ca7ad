/** Depolarizing channels on four qubits, beyond the maps of density matrices, against sums over all Pauli errors. */
import { afterAll, describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../src/circuit/circuit.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { worstAmplitude } from '../support/engine-runs.ts';
import { densityBeforeReadout } from '../support/noise-oracle.ts';
import { runDensity } from '../support/noise-runs.ts';
import { noise } from '../support/noisy-circuits.ts';
import { gate } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { amplitudeDamping, depolarizing, pauli } from '../support/textbook-channels.ts';

const NUM_QUBITS = 5;

const engines: readonly [string, Engine, number][] = [
  ['reference', openReferenceEngine({ maxQubits: 12 }), 1e-12],
  ['cpu f64', openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 20 }), 1e-12],
  [
    'cpu f32',
    openCpuEngine({ precision: 'f32', numThreads: 2, maxQubits: 20, tileQubits: 8 }),
    1e-5,
  ],
];
afterAll(async () => {
  for (const [, engine] of engines) await engine.close();
});

/** Gates that entangle all qubits, with the noise among them and other noise next to it. */
function circuitWith(noises: readonly DynamicOperation[], stream: RandomStream): DynamicCircuit {
  const layer = (): readonly DynamicOperation[] => [
    ...Array.from({ length: NUM_QUBITS }, (_, q) =>
      gate('U', [q], [], [stream.angle(), stream.angle(), stream.angle()]),
    ),
    ...stream
      .distinct(NUM_QUBITS, NUM_QUBITS)
      .slice(1)
      .map((q) => gate('CX', [q], [(q + 1) % 5])),
  ];
  const damping = noise(amplitudeDamping(0.2), stream.below(NUM_QUBITS));
  return {
    numQubits: NUM_QUBITS,
    numBits: 1,
    operations: [...layer(), damping, ...noises, damping, ...layer()],
  };
}

// The engines have their circuits in common, so that the oracle runs each of them once.
// In the second nothing is left of the state, and in the third an entry changes its sign.
const CERTAIN = [0.2, 255 / 256, 1, 1e-6].map((probability) => {
  const stream = new RandomStream(probability);
  const channel = noise(depolarizing(probability, 4), ...stream.distinct(4, NUM_QUBITS));
  return [probability, circuitWith([channel], stream)] as const;
});
const CONDITIONAL = conditional();

function conditional(): DynamicCircuit {
  const stream = new RandomStream(9);
  const channel = noise(depolarizing(0.5, 4), ...stream.distinct(4, NUM_QUBITS));
  const measured: readonly DynamicOperation[] = [
    { kind: 'measure', qubits: [0], bits: [0] },
    { ...channel, condition: { bits: [0], value: 1 } },
  ];
  return circuitWith(measured, stream);
}

describe.each(engines)('depolarizing four qubits on %s', (_, engine, tolerance) => {
  const expectExact = async (circuit: DynamicCircuit) => {
    const { densityMatrix } = await runDensity(engine, circuit, { densityMatrix: true });
    const exact = densityBeforeReadout(circuit);
    expect(worstAmplitude(densityMatrix!, exact)).toBeLessThan(tolerance);
  };

  test.each(CERTAIN)('with probability %d', async (_, circuit) => {
    await expectExact(circuit);
  });

  test('under a condition', async () => {
    await expectExact(CONDITIONAL);
  });
});

test('another channel on four qubits is refused', async () => {
  const channel = noise(pauli({ XXXX: 0.1 }), 0, 1, 2, 3);
  const [, cpu] = engines[1]!;
  await expect(
    runDensity(cpu, circuitWith([channel], new RandomStream(1)), { densityMatrix: true }),
  ).rejects.toMatchObject({ code: 'COMPILER_CHANNEL_TOO_WIDE' });
});
