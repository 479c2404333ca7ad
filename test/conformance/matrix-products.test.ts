/** Matrix product states against the state vector and the density matrix of the reference engine. */
import { afterAll, describe, expect, test } from 'vitest';
import {
  type Circuit,
  type DynamicCircuit,
  type DynamicOperation,
  type Operation,
  savesOf,
} from '../../src/circuit/circuit.ts';
import type { Channel } from '../../src/circuit/noise/channel.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import {
  compileMatrixProduct,
  compileMatrixProductTrajectories,
  takesChannel,
} from '../../src/compiler/chain/compile-matrix-product.ts';
import { compileStabilizer } from '../../src/compiler/clifford/compile-stabilizer.ts';
import { compileDensity } from '../../src/compiler/noise/compile-density.ts';
import type { BondLimits } from '../../src/compiler/program.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import type { Engine, RunRequest, RunResult } from '../../src/engine/engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { chiSquared } from '../support/chi-squared.ts';
import {
  type Ask,
  countsByLabel,
  NEVER,
  runCircuit,
  worstAmplitude,
} from '../support/engine-runs.ts';
import { exactRun } from '../support/noise-oracle.ts';
import { runDensity, runTrajectories } from '../support/noise-runs.ts';
import { withRandomNoise } from '../support/noisy-circuits.ts';
import {
  gate,
  randomDynamicCircuit,
  randomGates,
  randomLoopCircuit,
  randomPair,
  randomUnitary,
} from '../support/random-circuits.ts';
import { densityOfPure, prefixesOf, withSaves, worstOfSave } from '../support/random-saves.ts';
import { RandomStream } from '../support/random-stream.ts';
import { redundantGates } from '../support/redundant-circuits.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { finalAmplitudes } from '../support/state-oracle.ts';
import { describeTrajectories } from './engine-noise.ts';
import { describeParts } from './engine-suite.ts';

const reference = openReferenceEngine({ maxQubits: 20 });
const cpu = openCpuEngine({ precision: 'f32', numThreads: 2, maxQubits: 20 });
const cpuDouble = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12 });
afterAll(() => Promise.all([cpu.close(), cpuDouble.close()]));

async function run(
  circuit: DynamicCircuit,
  ask: Ask,
  limits: Partial<BondLimits> = {},
): Promise<RunResult> {
  await using executable = await prepared(cpu, circuit, limits);
  const request: RunRequest = { shots: 0, seed: 1, ...ask };
  return await executable.run(request, NEVER);
}

function prepared(engine: Engine, circuit: DynamicCircuit, limits: Partial<BondLimits> = {}) {
  if (engine.prepare.matrix_product_state === undefined)
    throw new Error('no matrix product states');
  return engine.prepare.matrix_product_state(compileMatrixProduct(circuit, limits));
}

const qubitsOf = (count: number) => Array.from({ length: count }, (_, q) => q);

function measured(numQubits: number, operations: readonly Operation[]): Circuit {
  const all = qubitsOf(numQubits);
  const last: Operation = { kind: 'measure', qubits: all, bits: all };
  return { numQubits, numBits: numQubits, operations: [...operations, last] };
}

/** Layers of random unitaries on neighbours: after numQubits of them all bonds are as wide as they can be. */
function brickwork(stream: RandomStream, numQubits: number, numLayers: number): Operation[] {
  return qubitsOf(numLayers).flatMap((layer) =>
    qubitsOf(numQubits - 1)
      .filter((q) => q % 2 === layer % 2)
      .map((q): Operation => {
        const matrix = layer % 3 === 2 ? randomPair(stream) : randomUnitary(stream, 2);
        return { kind: 'unitary', controls: [], targets: [q, q + 1], matrix };
      }),
  );
}

const OBSERVABLES: readonly PauliSum[] = [
  [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }],
  [
    {
      coefficient: 0.5,
      factors: [
        { pauli: 'X', qubit: 0 },
        { pauli: 'Y', qubit: 3 },
      ],
    },
    {
      coefficient: -2,
      factors: [
        { pauli: 'Z', qubit: 3 },
        { pauli: 'Z', qubit: 1 },
      ],
    },
    { coefficient: 0.25, factors: [] },
    {
      coefficient: 1.5,
      factors: [
        { pauli: 'Y', qubit: 2 },
        { pauli: 'X', qubit: 0 },
      ],
    },
  ],
];

/** Every output against that of the reference engine. */
async function expectSame(circuit: Circuit): Promise<RunResult> {
  const ask = {
    shots: 0,
    statevector: true,
    probabilities: circuit.numBits <= 10,
    observables: OBSERVABLES,
    variances: true,
  };
  const amplitudes = [0n, 1n, 2n ** BigInt(circuit.numQubits) - 3n];
  // A cut of weight w changes amplitudes by √w.
  const limits = { truncationThreshold: 1e-20 };
  const result = await run(circuit, { ...ask, amplitudes }, limits);
  const exact = await runCircuit(reference, circuit, ask);
  expect(worstAmplitude(result.statevector!, exact.statevector!)).toBeLessThan(1e-9);
  for (const [i, basisState] of amplitudes.entries()) {
    const at = 2 * Number(basisState);
    const expected = exact.statevector!.slice(at, at + 2);
    expect(worstAmplitude(result.amplitudes!.slice(2 * i, 2 * i + 2), expected)).toBeLessThan(1e-9);
  }
  for (const output of ['expectations', 'variances', 'probabilities'] as const) {
    for (const [i, value] of (exact[output] ?? []).entries()) {
      expect(result[output]![i]).toBeCloseTo(value, 9);
    }
  }
  return result;
}

/** Label → probability. */
function labelled(probabilities: Float64Array, numBits: number): Map<string, number> {
  const labels = [...probabilities].map(
    (p, i) => [i.toString(2).padStart(numBits, '0'), p] as const,
  );
  return new Map(labels.filter(([, p]) => p > 1e-12));
}

describe('matrix product states', () => {
  testSeeds(
    'agree with the state vector on random gates of any kind and width',
    seeds(12),
    async (seed) => {
      const stream = new RandomStream(seed);
      const numQubits = 4 + (seed % 7);
      await expectSame(measured(numQubits, randomGates(stream, numQubits, 30, 3)));
    },
  );

  testSeeds(
    'agree with the state vector on gates that cancel and commute',
    seeds(6),
    async (seed) => {
      const stream = new RandomStream(seed);
      await expectSame(measured(6, redundantGates(stream, 6, 60)));
    },
  );

  test('agree with the state vector where every bond is as wide as it can be', async () => {
    const circuit = measured(14, brickwork(new RandomStream(3), 14, 16));
    const { largestBond, truncationError } = await expectSame(circuit);
    expect(largestBond).toBe(128);
    expect(truncationError).toBeLessThan(1e-12);
  });

  test('draw the same counts for a seed as the state vector, in the order of the qubits', async () => {
    const circuit = measured(10, brickwork(new RandomStream(4), 10, 12));
    const ask = { shots: 5000, seed: 77 };
    const { counts } = await run(circuit, ask);
    expect(counts).toEqual((await runCircuit(reference, circuit, ask)).counts);
  });

  test.each([{}, { maxBondDimension: 80 }, { maxBondDimension: 24 }])(
    'have the same bits on 1, 2 and 3 threads with limits %o',
    async (limits) => {
      const circuit = measured(14, brickwork(new RandomStream(6), 14, 12));
      const ask = {
        statevector: true,
        observables: OBSERVABLES,
        amplitudes: [5n],
        variances: true,
      };
      const results = [];
      for (const numThreads of [1, 2, 3]) {
        const engine = openCpuEngine({ precision: 'f64', numThreads, maxQubits: 20 });
        await using executable = await prepared(engine, circuit, limits);
        // The second run finds the helpers awake.
        for (const seed of [2, 3]) {
          const { timing, ...result } = await executable.run({ shots: 5000, seed, ...ask }, NEVER);
          if (seed === 3) results.push(result);
        }
        await engine.close();
      }
      expect(results[0]!.largestBond).toBe(limits.maxBondDimension ?? 128);
      expect(results[1]).toEqual(results[0]);
      expect(results[2]).toEqual(results[0]);
    },
  );

  testSeeds('measure, reset and act on conditions in mid-circuit', seeds(6), async (seed) => {
    const circuit = randomDynamicCircuit(new RandomStream(seed), 4, 4, 25);
    await expectDistribution(circuit);
  });

  testSeeds('run loops on measured bits', seeds(3), async (seed) => {
    await expectDistribution(randomLoopCircuit(new RandomStream(seed), 3));
  });

  async function expectDistribution(circuit: DynamicCircuit): Promise<void> {
    const { program } = compileDensity(circuit, reference.target);
    await using exact = await reference.prepare.density_matrix!(program);
    const { probabilities } = await exact.run({ shots: 0, seed: 1, probabilities: true }, NEVER);
    const { counts } = await run(circuit, { shots: 20_000, seed: 5 });
    const { statistic, bound } = chiSquared(
      countsByLabel(counts),
      labelled(probabilities!, circuit.numBits),
    );
    expect(statistic).toBeLessThan(bound);
  }

  test('state a truncation error that is about the loss of fidelity', async () => {
    const circuit = measured(12, brickwork(new RandomStream(8), 12, 7));
    const exact = (await runCircuit(reference, circuit, { statevector: true })).statevector!;
    for (const maxBondDimension of [20, 12]) {
      const result = await run(circuit, { statevector: true }, { maxBondDimension });
      let [re, im] = [0, 0];
      for (let i = 0; i < exact.length; i += 2) {
        re += exact[i]! * result.statevector![i]! + exact[i + 1]! * result.statevector![i + 1]!;
        im += exact[i]! * result.statevector![i + 1]! - exact[i + 1]! * result.statevector![i]!;
      }
      const loss = 1 - re ** 2 - im ** 2;
      expect(result.largestBond).toBe(maxBondDimension);
      expect(loss).toBeGreaterThan(1e-3);
      expect(result.truncationError! / loss).toBeGreaterThan(0.5);
      expect(result.truncationError! / loss).toBeLessThan(2);
    }
  });

  testSeeds('have the norm 1 where bonds are cut', seeds(12), async (seed) => {
    const stream = new RandomStream(seed);
    const operations = [...randomGates(stream, 9, 30, 2), ...brickwork(stream, 9, 4)];
    const limits =
      seed % 2 === 0
        ? { maxBondDimension: 1 + (seed % 8), truncationThreshold: 0 }
        : { maxBondDimension: 256, truncationThreshold: 10 ** -(1 + (seed % 3)) };
    const { statevector, truncationError } = await run(
      measured(9, operations),
      { statevector: true },
      limits,
    );
    const norm = statevector!.reduce((sum, part) => sum + part ** 2, 0);
    expect(norm).toBeCloseTo(1, 12);
    expect(truncationError).toBeGreaterThan(0);
    expect(truncationError).toBeLessThan(1);
  });

  test('hold a GHZ state of 1,000 qubits in bonds of dimension 2', async () => {
    const numQubits = 1000;
    const chain = qubitsOf(numQubits - 1).map((q) => gate('CX', [q + 1], [q]));
    const all = qubitsOf(numQubits);
    const parity: PauliSum = [
      { coefficient: 1, factors: all.map((qubit) => ({ pauli: 'X', qubit })) },
    ];
    const circuit = measured(numQubits, [gate('H', [0]), ...chain]);
    const { counts, expectations, amplitudes, largestBond } = await run(circuit, {
      shots: 1000,
      observables: [parity],
      amplitudes: [0n, 1n, 2n ** 1000n - 1n],
    });
    expect(largestBond).toBe(2);
    expect(expectations![0]).toBeCloseTo(1, 9);
    expect([...amplitudes!].map((x) => Math.abs(x))).toEqual(
      [Math.SQRT1_2, 0, 0, 0, Math.SQRT1_2, 0].map((x) => expect.closeTo(x, 9)),
    );
    const labels = [...countsByLabel(counts).keys()];
    expect(labels).toEqual(['0'.repeat(numQubits), '1'.repeat(numQubits)]);
    expect(counts.occurrences[0]).toBeGreaterThan(400);
    expect(counts.occurrences[1]).toBeGreaterThan(400);
  });

  testSeeds('give amplitudes as state vectors do, to ten digits', seeds(4), async (seed) => {
    const stream = new RandomStream(300 + seed);
    const numQubits = 6 + (seed % 6);
    const circuit = measured(numQubits, randomGates(stream, numQubits, 60, 3));
    const ask = {
      amplitudes: Array.from({ length: 50 }, () => BigInt(stream.below(2 ** numQubits))),
    };
    const own = (await run(circuit, ask, { truncationThreshold: 1e-24 })).amplitudes!;
    for (const engine of [reference, cpuDouble]) {
      const { amplitudes } = await runCircuit(engine, circuit, ask);
      expect(worstAmplitude(own, amplitudes!)).toBeLessThan(1e-10);
    }
  });

  test('end soon after they are cancelled', async () => {
    const circuit = measured(40, brickwork(new RandomStream(2), 40, 30));
    await using executable = await prepared(cpu, circuit);
    const controller = new AbortController();
    const running = executable.run(
      { shots: 10, seed: 1, onProgress: () => controller.abort(new Error('enough')) },
      controller.signal,
    );
    await expect(running).rejects.toThrow('enough');
  });
});

/** The engine with trajectories on matrix product states alone. */
function openChains(): Engine {
  const { statevector, matrix_product_trajectories: onChains } = cpuDouble.prepare;
  const prepare = { statevector, matrix_product_trajectories: onChains! };
  return { ...cpuDouble, prepare, close: async () => {} };
}

describe('matrix product states that begin in given amplitudes', () => {
  const begun = (numQubits: number, operations: readonly DynamicOperation[], seed: number) => {
    const stream = new RandomStream(seed);
    const parts = Float64Array.from({ length: 2 ** (numQubits + 1) }, () => stream.normal());
    const norm = Math.hypot(...parts);
    const state = { kind: 'pure', amplitudes: parts.map((part) => part / norm) } as const;
    const first: DynamicOperation = { kind: 'initialize', qubits: qubitsOf(numQubits), state };
    return { numQubits, numBits: numQubits, operations: [first, ...operations] };
  };

  test.each([1, 2, 3, 6, 9, 12])('have those of %i qubits, and then those of gates', async (n) => {
    // The order of the qubits on the chain is another one than that of their numbers.
    const far = n > 3 ? [gate('CX', [n - 1], [0]), gate('CX', [1], [n - 1])] : [];
    const gates = [...far, ...randomGates(new RandomStream(n), n, 15, 2)];
    for (const operations of [[], gates]) {
      const circuit = begun(n, operations, 500 + n);
      const { statevector, truncationError } = await run(
        circuit,
        { statevector: true },
        { truncationThreshold: 0 },
      );
      expect(worstAmplitude(statevector!, finalAmplitudes(circuit))).toBeLessThan(1e-10);
      expect(truncationError).toBeLessThan(1e-20);
    }
  });

  test('state what the limit of bonds leaves out of them', async () => {
    const circuit = begun(10, [], 520);
    const exact = finalAmplitudes(circuit);
    const ask = { statevector: true };
    const { statevector, ...facts } = await run(circuit, ask, { maxBondDimension: 16 });
    let overlap = 0;
    for (let i = 0; i < exact.length; i++) overlap += exact[i]! * statevector![i]!;
    expect(facts.largestBond).toBe(16);
    expect(1 - overlap ** 2).toBeGreaterThan(0.05);
    expect(facts.truncationError! / (1 - overlap ** 2)).toBeGreaterThan(0.8);
    expect(facts.truncationError! / (1 - overlap ** 2)).toBeLessThan(1.2);
  });

  testSeeds('draw the noise that follows', seeds(3), async (seed) => {
    const stream = new RandomStream(530 + seed);
    const noisy = withRandomNoise(randomGates(stream, 3, 6, 2), stream, 3).filter(
      (operation) => operation.kind !== 'noise' || takesChannel(operation.channel),
    );
    const last: Operation = { kind: 'measure', qubits: [0, 1, 2], bits: [0, 1, 2] };
    const circuit = begun(3, [...noisy, last], 540 + seed);
    const { counts } = await runTrajectories(openChains(), circuit, { shots: 2000, seed });
    const { statistic, bound } = chiSquared(countsByLabel(counts), exactRun(circuit).outcomes);
    expect(statistic).toBeLessThan(bound);
  });
});

testSeeds('draw noise as density matrices of 2 to 8 qubits have it', seeds(40), async (seed) => {
  const stream = new RandomStream(5000 + seed);
  const numQubits = 2 + (seed % 7);
  const noisy = withRandomNoise(randomGates(stream, numQubits, 16, 3), stream, numQubits).filter(
    (operation) => operation.kind !== 'noise' || takesChannel(operation.channel),
  );
  const plain = measured(numQubits, []);
  const circuit: DynamicCircuit = { ...plain, operations: [...noisy, ...plain.operations] };
  const exact = await runDensity(cpu, circuit, { probabilities: true });
  const { counts } = await runTrajectories(openChains(), circuit, { shots: 400, seed });
  const { statistic, bound } = chiSquared(
    countsByLabel(counts),
    labelled(exact.probabilities!, numQubits),
  );
  expect(statistic).toBeLessThan(bound);
});

/** Depolarizing noise: each of the 4^k − 1 Pauli errors is as likely. */
function depolarizing(probability: number, numQubits: number): Channel {
  const errors = qubitsOf(4 ** numQubits - 1).map((i) => ({
    flips: (i + 1) >> numQubits,
    signs: (i + 1) % 2 ** numQubits,
    probability: probability / (4 ** numQubits - 1),
  }));
  return { kind: 'pauli', numQubits, errors };
}

describe('wide circuits under noise, whose values are known', () => {
  test('a GHZ state of 100 qubits keeps the part of its parity that no error flips', async () => {
    const numQubits = 100;
    const probability = 0.002;
    const channel = depolarizing(probability, 2);
    const chain = qubitsOf(numQubits - 1).flatMap((q): DynamicOperation[] => [
      gate('CX', [q + 1], [q]),
      { kind: 'noise', qubits: [q, q + 1], channel },
    ]);
    const x: PauliSum = [
      { coefficient: 1, factors: qubitsOf(numQubits).map((qubit) => ({ pauli: 'X', qubit })) },
    ];
    const ends: PauliSum = [
      {
        coefficient: 1,
        factors: [
          { pauli: 'Z', qubit: 0 },
          { pauli: 'Z', qubit: numQubits - 1 },
        ],
      },
    ];
    const circuit = measured(numQubits, [gate('H', [0])]);
    const operations = [circuit.operations[0]!, ...chain, circuit.operations.at(-1)!];
    const { counts, expectations, standardErrors, largestBond } = await runTrajectories(
      openChains(),
      { ...circuit, operations },
      { shots: 2000, seed: 8, observables: [x, ends] },
    );
    // 8 of the 15 errors anticommute with XX, or with what Z at the ends is before the gates that follow.
    const kept = 1 - (16 / 15) * probability;
    for (const [i, value] of expectations!.entries()) {
      expect(Math.abs(value - kept ** (numQubits - 1))).toBeLessThan(5 * standardErrors![i]!);
      expect(standardErrors![i]!).toBeLessThan(0.015);
    }
    expect(largestBond).toBe(2);
    const agreeing = [...countsByLabel(counts)].reduce(
      (sum, [label, count]) => sum + (label[0] === label.at(-1) ? count : 0),
      0,
    );
    const expected = (1 + kept ** (numQubits - 1)) / 2;
    expect(Math.abs(agreeing / 2000 - expected)).toBeLessThan(5 * Math.sqrt(0.25 / 2000));
  });

  test('amplitude damping of 80 qubits in |+⟩ leaves each with what its formula says', async () => {
    const numQubits = 80;
    const damping = 0.1;
    const matrices = [
      Float64Array.of(1, 0, 0, 0, 0, 0, Math.sqrt(1 - damping), 0),
      Float64Array.of(0, 0, Math.sqrt(damping), 0, 0, 0, 0, 0),
    ];
    const channel: Channel = { kind: 'kraus', numQubits: 1, matrices };
    const operations = qubitsOf(numQubits).flatMap((q): DynamicOperation[] => [
      gate('H', [q]),
      { kind: 'noise', qubits: [q], channel },
    ]);
    const sumOf = (pauli: 'X' | 'Z'): PauliSum =>
      qubitsOf(numQubits).map((qubit) => ({
        coefficient: 1 / numQubits,
        factors: [{ pauli, qubit }],
      }));
    const { expectations, standardErrors } = await runTrajectories(
      openChains(),
      { numQubits, numBits: 0, operations },
      { shots: 200, seed: 4, observables: [sumOf('X'), sumOf('Z')] },
    );
    for (const [i, exact] of [Math.sqrt(1 - damping), damping].entries()) {
      expect(Math.abs(expectations![i]! - exact)).toBeLessThan(5 * standardErrors![i]!);
    }
  });

  testSeeds(
    'Clifford circuits of 40 qubits have the values of stabilizers',
    seeds(3),
    async (seed) => {
      const stream = new RandomStream(700 + seed);
      const numQubits = 40;
      const operations = qubitsOf(160).flatMap((i): DynamicOperation[] => {
        const q = stream.below(numQubits - 1);
        const noisy = {
          kind: 'noise',
          qubits: [q, q + 1],
          channel: depolarizing(0.01, 2),
        } as const;
        const single = gate(['H', 'S', 'X'][stream.below(3)]!, [stream.below(numQubits)]);
        return i % 2 === 0 ? [single] : [gate('CX', [q], [q + 1]), noisy];
      });
      const circuit: DynamicCircuit = { numQubits, numBits: 0, operations };
      const observables = qubitsOf(12).map((): PauliSum => {
        const q = stream.below(numQubits - 1);
        const pauli = (['X', 'Y', 'Z'] as const)[stream.below(3)]!;
        return [
          {
            coefficient: 1,
            factors: [
              { pauli, qubit: q },
              { pauli: 'Z', qubit: q + 1 },
            ],
          },
        ];
      });
      const program = compileStabilizer(circuit);
      if ('kind' in program) throw new Error('A Clifford circuit is none.');
      await using exact = await reference.prepare.stabilizer!(program);
      const { expectations } = await exact.run({ shots: 0, seed: 1, observables }, NEVER);
      const own = await runTrajectories(openChains(), circuit, { shots: 400, seed, observables });
      for (const [i, value] of expectations!.entries()) {
        const spread = 5 * own.standardErrors![i]! + 1e-9;
        expect(Math.abs(own.expectations![i]! - value)).toBeLessThan(spread);
      }
    },
  );

  test('bonds that are cut under damping leave its jumps as likely as they are', async () => {
    const numQubits = 10;
    const matrices = [
      Float64Array.of(1, 0, 0, 0, 0, 0, Math.sqrt(0.9), 0),
      Float64Array.of(0, 0, Math.sqrt(0.1), 0, 0, 0, 0, 0),
    ];
    const channel: Channel = { kind: 'kraus', numQubits: 1, matrices };
    const operations = brickwork(new RandomStream(12), numQubits, 6).flatMap(
      (operation, i): DynamicOperation[] => [
        operation,
        { kind: 'noise', qubits: [(3 * i) % numQubits], channel },
      ],
    );
    const circuit = { ...measured(numQubits, []), operations };
    const sum: PauliSum = qubitsOf(numQubits).map((qubit) => ({
      coefficient: 1,
      factors: [{ pauli: 'Z', qubit }],
    }));
    const ask = { shots: 200, seed: 6, observables: [sum] };
    const exact = await runTrajectories(cpuDouble, circuit, ask);
    const program = compileMatrixProductTrajectories(circuit, { maxBondDimension: 14 });
    await using executable = await cpuDouble.prepare.matrix_product_trajectories!(program);
    const own = await executable.run(ask, NEVER);
    expect(own.truncationError).toBeGreaterThan(1e-3);
    const spread = 4 * Math.hypot(own.standardErrors![0]!, exact.standardErrors![0]!);
    expect(Math.abs(own.expectations![0]! - exact.expectations![0]!)).toBeLessThan(spread);
    // As many jumps, so that about as many shots are alike.
    expect(Math.abs(own.trajectories! - exact.trajectories!)).toBeLessThan(20);
  });

  test('bonds that are cut keep the norm, and say what was left out at most', async () => {
    const numQubits = 12;
    const channel = depolarizing(0.05, 1);
    const stream = new RandomStream(10);
    const operations = brickwork(new RandomStream(9), numQubits, 7).flatMap(
      (operation): DynamicOperation[] => [
        operation,
        { kind: 'noise', qubits: [stream.below(numQubits)], channel },
      ],
    );
    const circuit = { ...measured(numQubits, []), operations };
    const ask = { shots: 60, seed: 3, observables: [[{ coefficient: 1, factors: [] }]] };
    const program = compileMatrixProductTrajectories(circuit, { maxBondDimension: 12 });
    await using executable = await cpuDouble.prepare.matrix_product_trajectories!(program);
    const { expectations, truncationError, largestBond } = await executable.run(ask, NEVER);
    expect(expectations![0]).toBeCloseTo(1, 10);
    expect(largestBond).toBe(12);
    expect(truncationError).toBeGreaterThan(0.01);
    expect(truncationError).toBeLessThan(1);
  });
});

describeParts(
  'trajectories of matrix product states',
  openChains,
  { tolerance: 1e-10, maxQubits: 12, mostStates: 1000, widestChannel: 2, hasOwnOrder: true },
  [describeTrajectories],
);

testSeeds('snapshots are of the state at their place', seeds(6), async (seed) => {
  const stream = new RandomStream(9600 + seed);
  const numQubits = 2 + stream.below(4);
  const gates = [...randomGates(stream, numQubits, 14, 3), gate('SWAP', [0, numQubits - 1])];
  const kinds = ['expectation', 'probabilities', 'statevector', 'amplitudes'] as const;
  const operations = withSaves(gates, stream, numQubits, kinds);
  const circuit = { numQubits, numBits: 0, operations };
  const { saved } = await run(circuit, {});
  for (const [i, save] of savesOf(circuit).entries()) {
    const amplitudes = finalAmplitudes(prefixesOf(circuit)[i]!);
    const worst = worstOfSave(save, saved![i]!, densityOfPure(amplitudes), amplitudes);
    expect(worst, `snapshot ${i} of ${save.output.what}`).toBeLessThan(1e-10);
  }
});
