/** Density matrices on the CPU engine, against Kraus sums with full matrices. */
import { afterAll, describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation, Qubit } from '../../src/circuit/circuit.ts';
import type { Channel } from '../../src/circuit/noise/channel.ts';
import {
  amplitudeDamping,
  depolarizing,
  flip,
  pauliChannel,
  phaseDamping,
  thermalRelaxation,
} from '../../src/circuit/noise/named-channels.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import { compileDensity } from '../../src/compiler/noise/compile-density.ts';
import { lastReadings } from '../../src/compiler/noise/last-readings.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import type { Engine, RunResult } from '../../src/engine/engine.ts';
import { basisLabel } from '../../src/math/basis-index.ts';
import { uniformDraw } from '../../src/math/philox.ts';
import { randomCliffordCircuit } from '../support/clifford-circuits.ts';
import {
  densityExpectation,
  densityVariance,
  purityOf,
  traceOf,
} from '../support/density-matrix.ts';
import type { Ask } from '../support/engine-runs.ts';
import { densityBeforeReadout, exactRun } from '../support/noise-oracle.ts';
import { runDensity } from '../support/noise-runs.ts';
import {
  gate,
  randomDynamicCircuit,
  randomGates,
  randomLoopCircuit,
} from '../support/random-circuits.ts';
import { randomSum } from '../support/random-observables.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { krausChannel, randomKraus, resetTo } from '../support/textbook-channels.ts';

const ENGINES = [
  { precision: 'f64', numThreads: 1, tileQubits: 14, tolerance: 1e-12 },
  { precision: 'f64', numThreads: 2, tileQubits: 8, tolerance: 1e-12 },
  { precision: 'f32', numThreads: 2, tileQubits: 14, tolerance: 1e-5 },
  { precision: 'f32', numThreads: 1, tileQubits: 8, tolerance: 1e-5 },
] as const;

/** One of each kind, the numbers of qubits that they act on, and the extremes. */
const CHANNELS: readonly Channel[] = [
  flip('X', 0.1),
  flip('Y', 0.2),
  flip('Z', 0.3),
  flip('Z', 0.5),
  flip('X', 1),
  depolarizing(1, 0.01),
  depolarizing(1, 0.75),
  depolarizing(1, 1),
  depolarizing(2, 0.02),
  depolarizing(2, 15 / 16),
  depolarizing(3, 0.1),
  pauliChannel(1, [
    { flips: 1, signs: 0, probability: 0.1 },
    { flips: 1, signs: 1, probability: 0.05 },
    { flips: 0, signs: 1, probability: 0.2 },
  ]),
  pauliChannel(2, [
    { flips: 1, signs: 2, probability: 0.1 },
    { flips: 3, signs: 1, probability: 0.2 },
  ]),
  pauliChannel(2, [{ flips: 0, signs: 3, probability: 0.15 }]),
  pauliChannel(3, [
    { flips: 5, signs: 3, probability: 0.25 },
    { flips: 0, signs: 6, probability: 0.05 },
  ]),
  amplitudeDamping(0.05, 0),
  amplitudeDamping(0.3, 0.2),
  amplitudeDamping(1, 0),
  phaseDamping(0.4),
  phaseDamping(1),
  thermalRelaxation(50, 70, 0.3, 0.1),
  thermalRelaxation(50, 100, 40, 0),
  krausChannel(resetTo(0.2, 1)),
  krausChannel(resetTo(1, 0)),
  krausChannel(randomKraus(new RandomStream(1), 1, 4)),
  krausChannel(randomKraus(new RandomStream(2), 2, 2)),
  krausChannel(randomKraus(new RandomStream(3), 3, 2)),
].flatMap((channel) => channel ?? []);

// The engines have their circuits in common, so that the oracle runs each of them once.
const THROUGH_CHANNELS = CHANNELS.map((channel, i) =>
  circuitsThrough(channel, new RandomStream(100 + i)),
);
const NOISY = [0, 1, 2, 3, 4, 5].map((seed) => {
  const stream = new RandomStream(1000 + seed);
  const circuit = noisyCircuit(stream, 4, 30);
  const observables: readonly PauliSum[] = [
    randomSum(stream, 4, 1),
    randomSum(stream, 4, 6),
    [
      { coefficient: 0.5, factors: [] },
      { coefficient: 2, factors: [{ pauli: 'Y', qubit: 2 }] },
    ],
  ];
  return [seed, circuit, observables] as const;
});
const DYNAMIC = [0, 1, 2, 3, 4, 5, 6, 7].map((seed) => {
  const stream = new RandomStream(2000 + seed);
  return [seed, withNoise(stream, randomDynamicCircuit(stream, 3, 4, 14))] as const;
});
const MEASURED = seeds(25).map((seed) => {
  const stream = new RandomStream(4000 + seed);
  const circuit = randomCliffordCircuit(stream, 1 + stream.below(3), 30, { readings: true });
  // Measurements that nothing follows on their qubits count as those at the end.
  const { operations, measures } = lastReadings(circuit.operations);
  return { circuit, ordered: { ...circuit, operations: [...operations, ...measures] } };
});
const HUNDREDS = hundredsOfChannels();

const engines = new Map<string, Engine>();
afterAll(async () => {
  for (const engine of engines.values()) await engine.close();
});

describe.each(ENGINES)('$precision on $numThreads threads with tiles of $tileQubits', (options) => {
  const { tolerance, ...engineOptions } = options;
  const engine = openCpuEngine({ ...engineOptions, maxQubits: 26 });
  engines.set(JSON.stringify(options), engine);
  const run = (circuit: DynamicCircuit, ask: Ask) => runDensity(engine, circuit, ask);

  test.each(THROUGH_CHANNELS.map((circuits, i) => [i, circuits] as const))(
    'channel %i acts on any qubits in any order as its Kraus matrices do',
    async (_, circuits) => {
      for (const circuit of circuits) {
        const { densityMatrix } = await run(circuit, { densityMatrix: true });
        expectClose(densityMatrix!, exactRun(circuit).density, tolerance);
      }
    },
  );

  test.each(NOISY)(
    'random noisy circuit %i has the exact outputs',
    async (_, circuit, observables) => {
      const exact = densityBeforeReadout(circuit);
      const found = await run(circuit, {
        densityMatrix: true,
        purity: true,
        probabilities: true,
        observables,
        variances: true,
      });
      expectClose(found.densityMatrix!, exact, tolerance);
      expect(traceOf(found.densityMatrix!)).toBeCloseTo(1, tolerance < 1e-9 ? 12 : 5);
      expect(Math.abs(found.purity! - purityOf(exact))).toBeLessThan(tolerance);
      expectOutcomes(found, circuit, tolerance);
      for (const [i, observable] of observables.entries()) {
        const scale = observable.reduce((sum, { coefficient }) => sum + Math.abs(coefficient), 1);
        const mean = densityExpectation(exact, observable);
        expect(Math.abs(found.expectations![i]! - mean)).toBeLessThan(4 * tolerance * scale);
        const variance = densityVariance(exact, observable);
        expect(Math.abs(found.variances![i]! - variance)).toBeLessThan(8 * tolerance * scale ** 2);
      }
    },
  );

  test.each(DYNAMIC)(
    'circuit %i with measurements, resets and conditions in mid-circuit has the exact distribution',
    async (_, circuit) => {
      expectOutcomes(await run(circuit, { probabilities: true }), circuit, tolerance);
    },
  );

  test('a loop on measured bits has the exact distribution', async () => {
    const stream = new RandomStream(3000);
    const circuit = withNoise(stream, randomLoopCircuit(stream, 2));
    expectOutcomes(
      await run(circuit, { probabilities: true }),
      circuit,
      Math.max(tolerance, 1e-10),
    );
  });

  test('outputs after mid-circuit measurements are averages over their outcomes', async () => {
    const channel = depolarizing(1, 0.1)!;
    const operations: readonly DynamicOperation[] = [
      gate('RY', [0], [], [0.7]),
      gate('CX', [1], [0]),
      { kind: 'measure', qubits: [0], bits: [0] },
      { kind: 'misread', bits: [0], p1Given0: 0.1, p0Given1: 0.2 },
      { kind: 'noise', qubits: [1], channel },
      { ...gate('H', [0]), condition: { bits: [0], value: 1 } },
    ];
    const circuit = { numQubits: 2, numBits: 1, operations };
    const { density } = exactRun(circuit);
    const observable: PauliSum = [
      { coefficient: 1, factors: [{ pauli: 'X', qubit: 0 }] },
      { coefficient: 0.3, factors: [{ pauli: 'Z', qubit: 1 }] },
    ];
    const found = await run(circuit, {
      densityMatrix: true,
      purity: true,
      observables: [observable],
      variances: true,
    });
    expectClose(found.densityMatrix!, density, tolerance);
    expect(Math.abs(found.purity! - purityOf(density))).toBeLessThan(tolerance);
    const mean = densityExpectation(density, observable);
    expect(Math.abs(found.expectations![0]! - mean)).toBeLessThan(4 * tolerance);
    const variance = densityVariance(density, observable);
    expect(Math.abs(found.variances![0]! - variance)).toBeLessThan(16 * tolerance);
  });

  test('the state has the collapse of measurements across which gates would move', async () => {
    const after = ['Z', 'S', 'T'].map((name): readonly DynamicOperation[] => [gate(name, [0])]);
    const between = [gate('CZ', [0], [1]), gate('H', [1]), gate('RZ', [0], [], [0.3])];
    const then: DynamicOperation = { kind: 'measure', qubits: [0, 1], bits: [0, 1] };
    for (const rest of [...after, between, [...between, then], [gate('Z', [0]), then]]) {
      const measured: DynamicOperation = { kind: 'measure', qubits: [0], bits: [0] };
      const operations = [gate('H', [0]), gate('RY', [1], [], [0.7]), measured, ...rest];
      const circuit = { numQubits: 2, numBits: 2, operations };
      const { densityMatrix } = await run(circuit, { densityMatrix: true });
      expectClose(densityMatrix!, densityBeforeReadout(circuit), tolerance);
    }
  });

  testSeeds('random measurements leave the state that theory has', seeds(25), async (seed) => {
    const { circuit, ordered } = MEASURED[seed]!;
    const { densityMatrix } = await run(circuit, { densityMatrix: true });
    expectClose(densityMatrix!, densityBeforeReadout(ordered), tolerance);
  });

  test('hundreds of strong channels in one sweep neither overflow nor vanish', async () => {
    const { densityMatrix } = await run(HUNDREDS, { densityMatrix: true });
    expectClose(densityMatrix!, exactRun(HUNDREDS).density, tolerance);
  });

  test('draws the counts of the distribution by the definition of draws', async () => {
    const stream = new RandomStream(4000);
    const all = [0, 1, 2];
    const operations: readonly DynamicOperation[] = [
      ...noisyCircuit(stream, 3, 20).operations.slice(0, 40),
      { kind: 'measure', qubits: all, bits: all },
      { kind: 'misread', bits: all, p1Given0: 0.1, p0Given1: 0.2 },
    ];
    const circuit = { numQubits: 3, numBits: 3, operations };
    const shots = 500;
    const { counts, probabilities } = await run(circuit, { shots, seed: 7, probabilities: true });
    const expected = new Map<number, number>();
    for (let shot = 0; shot < shots; shot++) {
      const draw = uniformDraw(7, shot, 0, 0);
      let [x, sum] = [0, probabilities![0]!];
      while (sum <= draw) sum += probabilities![++x]!;
      expected.set(x, (expected.get(x) ?? 0) + 1);
    }
    const found = new Map([...counts.outcomes].map((x, i) => [x, counts.occurrences[i]!]));
    expect(found).toEqual(new Map([...expected].sort(([a], [b]) => a - b)));
  });
});

describe('a density matrix', () => {
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12 });
  afterAll(() => engine.close());
  const noise: DynamicOperation = { kind: 'noise', qubits: [0], channel: depolarizing(1, 0.1)! };
  const bell = [gate('H', [0]), gate('CX', [1], [0]), noise];

  test('draws counts after mid-circuit measurements and misreadings from the exact distribution', async () => {
    const measured = [0, 1].flatMap((bit): readonly DynamicOperation[] => [
      { kind: 'measure', qubits: [0], bits: [bit] },
      { kind: 'misread', bits: [bit], p1Given0: 0.1, p0Given1: 0.3 },
      { ...gate('H', [0]), condition: { bits: [bit], value: 1 } },
    ]);
    const operations = [...bell, ...measured, { kind: 'measure', qubits: [1], bits: [2] } as const];
    const circuit = { numQubits: 2, numBits: 3, operations };
    const shots = 20_000;
    const { counts, probabilities } = await runDensity(engine, circuit, {
      shots,
      probabilities: true,
    });
    let chiSquared = 0;
    for (const [x, probability] of probabilities!.entries()) {
      const at = counts.outcomes.indexOf(x);
      const count = at < 0 ? 0 : counts.occurrences[at]!;
      chiSquared += (count - shots * probability) ** 2 / (shots * probability);
    }
    // 7 degrees of freedom; a larger value has probability 1e-3. The seed is fixed.
    expect(chiSquared).toBeLessThan(24.3);
  });

  test('misreads each of several bits that one qubit is read into by itself', async () => {
    const read = (bit: number): readonly DynamicOperation[] => [
      { kind: 'measure', qubits: [0], bits: [bit] },
      { kind: 'misread', bits: [bit], p1Given0: 0.1, p0Given1: 0.3 },
    ];
    const circuit = { numQubits: 2, numBits: 2, operations: [...bell, ...read(0), ...read(1)] };
    const { probabilities } = await runDensity(engine, circuit, { probabilities: true });
    expectOutcomes({ probabilities } as RunResult, circuit, 1e-12);
    expect(probabilities![1]).toBeCloseTo(0.5 * (0.1 * 0.9 + 0.7 * 0.3), 12);
  });

  test('misreads a qubit that is measured after the last gate, whatever passes make of the order', async () => {
    const operations: readonly DynamicOperation[] = [
      { kind: 'measure', qubits: [1], bits: [0] },
      gate('X', [1]),
      { kind: 'measure', qubits: [0], bits: [1] },
      { kind: 'misread', bits: [1], p1Given0: 0.3, p0Given1: 0 },
      { kind: 'measure', qubits: [1], bits: [2] },
    ];
    const circuit = { numQubits: 2, numBits: 3, operations };
    const { probabilities } = await runDensity(engine, circuit, { probabilities: true });
    expectClose(probabilities!, Float64Array.of(0, 0, 0, 0, 0.7, 0, 0.3, 0), 1e-12);
  });

  testSeeds(
    'of measurements between few gates, some misread, has the exact distribution',
    seeds(200),
    async (seed) => {
      const stream = new RandomStream(5000 + seed);
      const operations = Array.from({ length: 5 }, (_, bit): readonly DynamicOperation[] => {
        const qubit = stream.below(3);
        const misread = { kind: 'misread', bits: [bit], p1Given0: 0.3, p0Given1: 0.1 } as const;
        return [
          { kind: 'measure', qubits: [qubit], bits: [bit] },
          ...(stream.below(2) === 0 ? [misread] : []),
          ...(stream.below(2) === 0 ? [gate(stream.pick(['X', 'Y', 'H', 'Z']), [qubit])] : []),
        ];
      });
      const circuit = { numQubits: 3, numBits: 5, operations: operations.flat() };
      const asked = await runDensity(engine, circuit, { probabilities: true });
      expectOutcomes(asked, circuit, 1e-12);
    },
  );

  test('resets draw nothing, so that one state serves all shots', async () => {
    const reset: DynamicOperation = { kind: 'reset', qubits: [0] };
    const last: DynamicOperation = { kind: 'measure', qubits: [0, 1], bits: [0, 1] };
    const circuit = { numQubits: 2, numBits: 2, operations: [...bell, reset, last] };
    const { counts, statePasses } = await runDensity(engine, circuit, { shots: 1000 });
    expect(statePasses).toBe(1);
    expect([...counts.outcomes]).toEqual([0, 2]);
  });

  test('of too many qubits is refused', async () => {
    const { program } = compileDensity(
      { numQubits: 7, numBits: 0, operations: bell },
      engine.target,
    );
    await expect(engine.prepare.density_matrix!(program)).rejects.toMatchObject({
      code: 'ENGINE_DENSITY_TOO_WIDE',
      message:
        'The circuit has 7 qubits; the cpu engine on this machine holds density matrices of at most 6.',
    });
  });

  test('has no state vector', async () => {
    const circuit = { numQubits: 2, numBits: 0, operations: bell };
    for (const ask of [{ statevector: true }, { amplitudes: [0n] }]) {
      await expect(runDensity(engine, circuit, ask)).rejects.toMatchObject({
        code: 'ENGINE_OUTPUT_NEEDS_STATE_VECTOR',
      });
    }
  });

  test('of more than 7 qubits is not returned', async () => {
    await using wide = Object.assign(
      openCpuEngine({ precision: 'f32', numThreads: 1, maxQubits: 16 }),
      {
        [Symbol.asyncDispose]: () => wide.close(),
      },
    );
    const circuit = { numQubits: 8, numBits: 0, operations: bell };
    await expect(runDensity(wide, circuit, { densityMatrix: true })).rejects.toMatchObject({
      code: 'ENGINE_DENSITY_MATRIX_TOO_LARGE',
    });
  });

  test('splits into no more states than memory allows', async () => {
    const memoryBytes = 2 * 16 * 4 ** 2;
    const small = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12, memoryBytes });
    const operations = [0, 1, 2].flatMap((bit): readonly DynamicOperation[] => [
      gate('H', [0]),
      { kind: 'measure', qubits: [0], bits: [bit] },
    ]);
    const circuit = { numQubits: 2, numBits: 3, operations: [...operations, gate('H', [0])] };
    await expect(runDensity(small, circuit, { probabilities: true })).rejects.toMatchObject({
      code: 'ENGINE_TOO_MANY_BRANCHES',
    });
    await small.close();
  });

  test('names the operation whose noise is too wide', () => {
    const wide: DynamicOperation = {
      kind: 'noise',
      qubits: [0, 1, 2, 3],
      channel: { kind: 'pauli', numQubits: 4, errors: [{ flips: 15, signs: 0, probability: 0.1 }] },
    };
    const circuit = { numQubits: 4, numBits: 0, operations: [...bell, wide] };
    expect(() => compileDensity(circuit, engine.target)).toThrow(
      'Operation 3 is noise on 4 qubits together; density matrices take other than depolarizing noise on at most 3.',
    );
  });

  test('stops soon after its run is cancelled', async () => {
    const large = openCpuEngine({ precision: 'f64', numThreads: 2, maxQubits: 20 });
    const controller = new AbortController();
    const stream = new RandomStream(5);
    const { program } = compileDensity(noisyCircuit(stream, 10, 200), large.target);
    await using executable = await large.prepare.density_matrix!(program);
    const running = executable.run({ shots: 0, seed: 1, purity: true }, controller.signal);
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await large.close();
  });

  test('stops soon in a loop without gates', async () => {
    const one: DynamicOperation = {
      kind: 'assign',
      bits: [1],
      value: { kind: 'read', bits: [0], encoding: 'uint', type: 'uint' },
    };
    const loop: DynamicOperation = {
      kind: 'while',
      condition: { bits: [0], value: 0 },
      body: [one],
    };
    const circuit = {
      numQubits: 2,
      numBits: 2,
      control: { numScratchBits: 0, maxRounds: 1_000_000 },
      operations: [...bell, loop],
    };
    const { program } = compileDensity(circuit, engine.target);
    await using executable = await engine.prepare.density_matrix!(program);
    const request = { shots: 0, seed: 1, probabilities: true };
    const running = executable.run(request, AbortSignal.timeout(20));
    await expect(running).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

/** A channel twice among random gates, on any of its operands in any order. */
function circuitsThrough(channel: Channel, stream: RandomStream): readonly DynamicCircuit[] {
  const widths = channel.numQubits === 3 ? [3, 4] : [channel.numQubits, 3, 5];
  return widths.flatMap((numQubits) =>
    operandsOf(channel.numQubits, numQubits, numQubits === 5 ? 3 : 99, stream).map((qubits) => ({
      numQubits,
      numBits: 0,
      operations: [
        ...randomGates(stream, numQubits, 8, 2),
        { kind: 'noise', qubits, channel },
        ...randomGates(stream, numQubits, 4, 2),
        { kind: 'noise', qubits, channel },
      ],
    })),
  );
}

/** Channels that together multiply by 0.57^300, which is applied late. */
function hundredsOfChannels(): DynamicCircuit {
  const [strong, damping] = [depolarizing(2, 0.4)!, amplitudeDamping(0.5, 0.25)!];
  const rounds = Array.from({ length: 300 }, (_, i): readonly DynamicOperation[] => [
    gate('RX', [i % 2], [], [0.3]),
    { kind: 'noise', qubits: [0, 1], channel: strong },
    gate('RZ', [0], [], [0.7]),
  ]);
  const last: DynamicOperation = { kind: 'noise', qubits: [1], channel: damping };
  return { numQubits: 2, numBits: 0, operations: [...rounds.flat(), last] };
}

/** Ordered choices of qubits; all of them, or some at random. */
function operandsOf(
  count: number,
  numQubits: number,
  most: number,
  stream: RandomStream,
): readonly (readonly Qubit[])[] {
  let all: (readonly Qubit[])[] = [[]];
  for (let i = 0; i < count; i++) {
    all = all.flatMap((chosen) =>
      Array.from({ length: numQubits }, (_, qubit) => qubit)
        .filter((qubit) => !chosen.includes(qubit))
        .map((qubit) => [...chosen, qubit]),
    );
  }
  if (all.length <= most) return all;
  return stream.distinct(most, all.length).map((i) => all[i]!);
}

/** Random gates with noise between them, then measurements that are misread. */
function noisyCircuit(stream: RandomStream, numQubits: number, numGates: number): DynamicCircuit {
  const operations: DynamicOperation[] = [];
  for (const each of randomGates(stream, numQubits, numGates, 3)) {
    operations.push(each, randomNoise(stream, numQubits));
  }
  const all = Array.from({ length: numQubits }, (_, i) => i);
  for (const i of all) {
    operations.push(
      { kind: 'measure', qubits: [i], bits: [(i + 1) % numQubits] },
      { kind: 'misread', bits: [(i + 1) % numQubits], p1Given0: 0.05 * (i + 1), p0Given1: 0.1 },
    );
  }
  return { numQubits, numBits: numQubits, operations };
}

function randomNoise(stream: RandomStream, numQubits: number): DynamicOperation {
  const fitting = CHANNELS.filter((channel) => channel.numQubits <= numQubits);
  const channel = fitting[stream.below(fitting.length)]!;
  return { kind: 'noise', qubits: stream.distinct(channel.numQubits, numQubits), channel };
}

/** The circuit with noise after some operations, and misreadings after measurements; in loops, too. */
function withNoise(stream: RandomStream, circuit: DynamicCircuit): DynamicCircuit {
  const noisy = (operation: DynamicOperation): readonly DynamicOperation[] => {
    if (operation.kind === 'while') return [{ ...operation, body: operation.body.flatMap(noisy) }];
    if (operation.kind === 'measure' && stream.below(2) === 0) {
      const { bits, condition } = operation;
      const held = condition === undefined ? {} : { condition };
      return [operation, { kind: 'misread', bits, p1Given0: 0.1, p0Given1: 0.2, ...held }];
    }
    if (stream.below(3) > 0) return [operation];
    return [operation, randomNoise(stream, circuit.numQubits)];
  };
  return { ...circuit, operations: circuit.operations.flatMap(noisy) };
}

function expectClose(found: Float64Array, exact: Float64Array, tolerance: number): void {
  let worst = 0;
  for (const [i, x] of exact.entries()) worst = Math.max(worst, Math.abs(x - found[i]!));
  expect(found.length).toBe(exact.length);
  expect(worst).toBeLessThan(tolerance);
}

function expectOutcomes(
  { probabilities }: RunResult,
  circuit: DynamicCircuit,
  tolerance: number,
): void {
  const { outcomes } = exactRun(circuit);
  const exact = probabilities!.map((_, x) => outcomes.get(basisLabel(x, circuit.numBits)) ?? 0);
  expectClose(probabilities!, exact, tolerance);
}
