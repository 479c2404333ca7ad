/** Ranges of shots of a run with noise, joined: the answer of the whole run, whatever the ranges are. */
import { afterAll, describe, expect, test } from 'vitest';
import type { DynamicCircuit } from '../../src/circuit/circuit.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import type { Engine, RunResult } from '../../src/engine/engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { joinedShots } from '../../src/engine/run-trajectories.ts';
import { type Ask, NEVER } from '../support/engine-runs.ts';
import { preparedTrajectories } from '../support/noise-runs.ts';
import {
  CHANNELS,
  NOISY_CIRCUITS,
  noisyCircuit,
  randomNoisyCircuit,
  randomNoisyLoops,
} from '../support/noisy-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { channelOf } from '../support/textbook-channels.ts';

const engines: readonly [string, Engine][] = [
  ['reference', openReferenceEngine({ maxQubits: 12 })],
  ['cpu f64', openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 20 })],
];
afterAll(async () => {
  for (const [, engine] of engines) await engine.close();
});

const SEED = 5;

/** Ends of the ranges: at random places, some of them next to each other. */
function endsOf(stream: RandomStream, shots: number): readonly number[] {
  const inner = Array.from({ length: 1 + stream.below(5) }, () => 1 + stream.below(shots - 1));
  return [...new Set([...inner, ...inner.map((end) => Math.min(end + 1, shots)), shots])].sort(
    (a, b) => a - b,
  );
}

async function wholeAndJoined(engine: Engine, circuit: DynamicCircuit, shots: number, ask: Ask) {
  await using executable = await preparedTrajectories(engine, circuit);
  const request = { ...ask, shots, seed: SEED };
  const whole = await executable.run(request, NEVER);
  const ranges: { numShots: number; result: RunResult }[] = [];
  let from = 0;
  for (const to of endsOf(new RandomStream(shots), shots)) {
    const result = await executable.run({ ...request, shotRange: { from, to } }, NEVER);
    ranges.push({ numShots: to - from, result });
    from = to;
  }
  return { whole, joined: await joinedShots(ranges, SEED, NEVER) };
}

describe.each(engines)('ranges of shots on %s', (_, engine) => {
  test.each(CHANNELS)('have the counts of one run with $written', async (channel) => {
    const circuit = noisyCircuit(channelOf(channel), 4, 10, 7);
    const { whole, joined } = await wholeAndJoined(engine, circuit, 301, {});
    expect(joined.counts).toEqual(whole.counts);
    expect(joined.trajectories).toBeGreaterThanOrEqual(whole.trajectories!);
  });

  test.each(Array.from({ length: 20 }, (_, i) => i))(
    'have the counts of one run with measurements, misread bits and loops, number %i',
    async (number) => {
      const stream = new RandomStream(number);
      const circuit =
        number % 2 === 0 ? randomNoisyCircuit(stream, 4) : randomNoisyLoops(stream, 4);
      const { whole, joined } = await wholeAndJoined(engine, circuit, 200 + number, {});
      expect(joined.counts).toEqual(whole.counts);
      expect(joined.countsFinish).toBeUndefined();
    },
  );

  test.each(NOISY_CIRCUITS)('have the counts of one run with %s', async (_name, circuit) => {
    const { whole, joined } = await wholeAndJoined(engine, circuit, 900, {});
    expect(joined.counts).toEqual(whole.counts);
  });

  test('have the means, errors, variances and probabilities of one run', async () => {
    const observables: PauliSum[] = [
      [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }],
      [
        { coefficient: 0.5, factors: [{ pauli: 'X', qubit: 1 }] },
        { coefficient: -1, factors: [{ pauli: 'Z', qubit: 2 }] },
      ],
    ];
    const ask = { observables, variances: true, probabilities: true };
    for (const channel of CHANNELS) {
      const circuit = noisyCircuit(channelOf(channel), 3, 8, 5);
      const { whole, joined } = await wholeAndJoined(engine, circuit, 64, ask);
      for (const values of [
        'expectations',
        'standardErrors',
        'variances',
        'probabilities',
      ] as const) {
        for (const [i, value] of joined[values]!.entries()) {
          expect(value).toBeCloseTo(whole[values]![i]!, 7);
        }
      }
    }
  });
});
