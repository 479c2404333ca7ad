/**
 * Noise on the CPU engine beside Qiskit Aer and Cirq, where AER_PYTHON names an interpreter that has both.
 *
 * Density matrices after every channel are compared with those of both peers, entry by entry. Then trajectories of engine
 * and Aer take turns, in double precision on two threads, each from a circuit with its noise to counts, which are
 * compared, too.
 */
import { loadavg } from 'node:os';
import {
  type Circuit,
  type DynamicCircuit,
  type GateOperation,
  withFinalMeasurement,
} from '../src/circuit/circuit.ts';
import { FaultList } from '../src/circuit/errors.ts';
import { applyNoise } from '../src/circuit/noise/apply-noise.ts';
import { noiseModelSchema } from '../src/circuit/noise/noise-model-schema.ts';
import { readNoiseModel } from '../src/circuit/noise/read-noise-model.ts';
import { compileDensity } from '../src/compiler/noise/compile-density.ts';
import { compileTrajectories } from '../src/compiler/noise/compile-trajectories.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { Engine } from '../src/engine/engine.ts';
import { chiSquaredBound } from '../test/support/chi-squared.ts';
import { countsByLabel, worstAmplitude } from '../test/support/engine-runs.ts';
import { CHANNELS } from '../test/support/noisy-circuits.ts';
import { gate } from '../test/support/random-circuits.ts';
import { RandomStream } from '../test/support/random-stream.ts';
import { type Measurement, median, store } from './harness.ts';
import { NOISE_PEERS, type NoisePeer, noisePeer } from './peers/noise.ts';

const NUM_THREADS = 2;
/** Largest difference of an entry of a density matrix from a peer's. */
const TOLERANCE = 1e-9;
/** Rounds of a case: at least the first number, then until the time is over or there are so many. */
const ROUNDS = { least: 1, most: 9, ms: 15_000 };
const { signal } = new AbortController();

/** A circuit with noise whose counts are timed. */
interface Case {
  readonly name: string;
  readonly numQubits: number;
  /** Layers of gates on neighbours, unless given. */
  readonly gates?: readonly GateOperation[];
  readonly shots: number;
  /** Shots of Aer, whose time is in proportion to them, where all would take minutes. Its time is given for all. */
  readonly peerShots?: number;
  readonly noise: object;
  /** Least factor of Aer's time. */
  readonly goal: number;
}

const pairs = (probability: number) => ({
  gates: [{ gates: ['*2'], channel: { type: 'depolarizing', probability } }],
});
const DAMPING = { gates: [{ gates: ['*'], channel: { type: 'amplitude_damping', gamma: 0.005 } }] };
/** Shots by width, and those of Aer. Its time is in proportion to them, the engine's grows more slowly, so fewer favour Aer. */
const SHOTS: ReadonlyMap<number, readonly (readonly [shots: number, peerShots?: number])[]> =
  new Map([
    [12, [[1_000], [10_000], [100_000, 2_000]]],
    [16, [[200], [1_000, 200]]],
    [20, [[30], [1_000, 10]]],
  ]);
const CASES: readonly Case[] = [
  ...[...SHOTS].flatMap(([numQubits, shots]) =>
    shots.flatMap(([count, peerShots = count]) =>
      [0.001, 0.01].map(
        (probability): Case => ({
          name: `${numQubits} qubits, depolarizing ${100 * probability} % on pairs, ${count} shots`,
          numQubits,
          shots: count,
          peerShots,
          noise: pairs(probability),
          goal: 5,
        }),
      ),
    ),
  ),
  {
    // At 16 qubits Aer 0.18 fails in this case, with an error of its own.
    name: '12 qubits, amplitude damping 0.5 % on every gate, 1000 shots',
    numQubits: 12,
    shots: 1_000,
    noise: DAMPING,
    goal: 3,
  },
];
const NUM_LAYERS = 20;
const MORE_QUBITS = 12;

/** Layers of RY on every qubit and CX on neighbours. */
function layers(numQubits: number): readonly GateOperation[] {
  const stream = new RandomStream(numQubits);
  const qubits = [...Array(numQubits).keys()];
  return [...Array(NUM_LAYERS).keys()].flatMap((layer) => [
    ...qubits.map((qubit) => gate('RY', [qubit], [], [stream.angle()])),
    ...qubits.slice(1).flatMap((qubit) => {
      return qubit % 2 === layer % 2 ? [gate('CX', [qubit], [qubit - 1])] : [];
    }),
  ]);
}

/** The quantum Fourier transform of a product state, its controlled phases as CX and RZ. */
function fourier(numQubits: number): readonly GateOperation[] {
  const stream = new RandomStream(numQubits);
  const qubits = [...Array(numQubits).keys()];
  return [
    ...qubits.map((qubit) => gate('RY', [qubit], [], [stream.angle()])),
    ...qubits.toReversed().flatMap((target) => [
      gate('H', [target]),
      ...qubits.slice(0, target).flatMap((control) => {
        const half = Math.PI / 2 ** (target - control + 1);
        return [
          gate('RZ', [control], [], [half]),
          gate('CX', [target], [control]),
          gate('RZ', [target], [], [-half]),
          gate('CX', [target], [control]),
          gate('RZ', [target], [], [half]),
        ];
      }),
    ]),
  ];
}

/** Three rounds of QAOA on a graph in which each qubit has four neighbours. */
function qaoa(numQubits: number): readonly GateOperation[] {
  const stream = new RandomStream(numQubits);
  const qubits = [...Array(numQubits).keys()];
  const edges = qubits.flatMap((qubit) => [1, 3].map((d) => [qubit, (qubit + d) % numQubits]));
  const round = () => {
    const [phase, mixing] = [stream.angle(), stream.angle()];
    return [
      ...edges.flatMap(([a = 0, b = 0]) => [
        gate('CX', [b], [a]),
        gate('RZ', [b], [], [phase]),
        gate('CX', [b], [a]),
      ]),
      ...qubits.map((qubit) => gate('RX', [qubit], [], [mixing])),
    ];
  };
  return [...qubits.map((qubit) => gate('H', [qubit])), ...round(), ...round(), ...round()];
}

/** Layers of RY on every qubit and CX on random pairs. */
function randomPairs(numQubits: number): readonly GateOperation[] {
  const stream = new RandomStream(numQubits);
  return [...Array(NUM_LAYERS).keys()].flatMap(() => {
    const order = stream.distinct(numQubits, numQubits);
    return [
      ...order.map((qubit) => gate('RY', [qubit], [], [stream.angle()])),
      ...order.flatMap((qubit, i) => (i % 2 === 0 ? [] : [gate('CX', [qubit], [order[i - 1]!])])),
    ];
  });
}

/** Circuits of other forms, with misread bits. */
const MORE_CASES: readonly Case[] = (
  [
    ['Fourier transform', fourier],
    ['QAOA', qaoa],
    ['random pairs', randomPairs],
  ] as const
).map(([form, gatesOf]) => ({
  name: `${MORE_QUBITS} qubits, ${form}, depolarizing 1 % on pairs, misread bits, 1000 shots`,
  numQubits: MORE_QUBITS,
  gates: gatesOf(MORE_QUBITS),
  shots: 1_000,
  noise: { ...pairs(0.01), readout: [{ p1_given_0: 0.01, p0_given_1: 0.02 }] },
  goal: 5,
}));

/** Random gates on four qubits that both peers have. */
function randomLayers(stream: RandomStream): readonly GateOperation[] {
  return Array.from({ length: 30 }, () => {
    const [a = 0, b = 0, c = 0] = stream.distinct(3, 4);
    const angle = [stream.angle()];
    return stream.pick([
      gate('H', [a]),
      gate('T', [a]),
      ...['RX', 'RY', 'RZ'].map((name) => gate(name, [a], [], angle)),
      gate('CX', [a], [b]),
      gate('CZ', [a], [b]),
      gate('SWAP', [a, b]),
      gate('CCX', [a], [b, c]),
    ]);
  });
}

/** The circuit with the noise of a model in the service's form. */
function noisy(circuit: Circuit, noise: object): DynamicCircuit {
  const faults = new FaultList();
  const model = readNoiseModel(noiseModelSchema.parse(noise), faults, new Map());
  const written = model && applyNoise(circuit, model, faults);
  if (written === undefined || faults.count > 0) throw new Error(faults.kept[0]?.message);
  return written;
}

/** Compares the density matrices of every channel with a peer's. */
async function compareDensities(engine: Engine, peer: NoisePeer): Promise<Measurement> {
  const { worst, numEntries } = await worstOf(engine, peer);
  if (!(worst < TOLERANCE)) throw new Error(`${peer.name} differs by ${worst}`);
  return {
    name: `largest difference from ${peer.name} in ${numEntries} entries of density matrices`,
    value: worst,
    unit: '',
    goal: TOLERANCE,
  };
}

async function worstOf(engine: Engine, peer: NoisePeer) {
  if (engine.prepare.density_matrix === undefined) throw new Error('no density matrices');
  let [worst, numEntries] = [0, 0];
  for (const [i, { numQubits, written }] of CHANNELS.entries()) {
    const gates = randomLayers(new RandomStream(i));
    const noise = { gates: [{ gates: [`*${numQubits}`], channel: written }] };
    const circuit = noisy({ numQubits: 4, numBits: 0, operations: gates }, noise);
    const { program } = compileDensity(circuit, engine.target);
    await using executable = await engine.prepare.density_matrix(program);
    const request = { shots: 0, seed: 1, densityMatrix: true };
    const { densityMatrix = new Float64Array() } = await executable.run(request, signal);
    await peer.prepare(4, gates, noise);
    worst = Math.max(worst, worstAmplitude(densityMatrix, await peer.density()));
    numEntries += densityMatrix.length / 2;
  }
  return { worst, numEntries };
}

/** Counts of the engine, with the milliseconds from the circuit to them. */
async function timed(engine: Engine, circuit: DynamicCircuit, shots: number, seed: number) {
  if (engine.prepare.trajectories === undefined) throw new Error('no trajectories');
  const started = performance.now();
  const { program } = compileTrajectories(circuit, engine.target);
  await using executable = await engine.prepare.trajectories(program);
  const { counts, trajectories } = await executable.run({ shots, seed }, signal);
  return { ms: performance.now() - started, counts: countsByLabel(counts), trajectories };
}

async function measureCase(
  engine: Engine,
  one: Case,
  aer: NoisePeer | undefined,
): Promise<readonly Measurement[]> {
  const { gates = layers(one.numQubits), peerShots = one.shots } = one;
  const circuit = noisy(
    withFinalMeasurement({ numQubits: one.numQubits, numBits: 0, operations: gates }),
    one.noise,
  );
  await aer?.prepare(one.numQubits, gates, one.noise);
  const [own, others]: [number[], number[]] = [[], []];
  const totals = [new Map<string, number>(), new Map<string, number>()];
  let trajectories: number | undefined;
  const began = performance.now();
  for (let round = 0; round < ROUNDS.most; round++) {
    if (round >= ROUNDS.least && performance.now() - began > ROUNDS.ms) break;
    const run = await timed(engine, circuit, one.shots, round);
    own.push(run.ms);
    trajectories = run.trajectories;
    add(totals[0]!, run.counts);
    if (aer === undefined) continue;
    // Aer's shot k draws with seed + k, so rounds with seeds next to each other would have the same shots.
    const { ms, counts } = await aer.counts(peerShots, 1 + round * peerShots);
    others.push((ms * one.shots) / peerShots);
    add(totals[1]!, new Map(Object.entries(counts)));
  }
  const measurements: Measurement[] = [
    { name: `${one.name}: engine`, value: median(own), unit: 'ms', spread: spreadOf(own) },
  ];
  if (trajectories !== undefined) {
    measurements.push({ name: `${one.name}: trajectories`, value: trajectories, unit: '' });
  }
  if (aer === undefined) return measurements;
  expectAlike(one.name, totals[0]!, totals[1]!);
  const ratio = median(others) / median(own);
  return [
    ...measurements,
    {
      name: `${one.name}: ${aer.name}`,
      value: median(others),
      unit: 'ms',
      spread: spreadOf(others),
    },
    { name: `${one.name}: factor`, value: ratio, unit: '×', goal: one.goal },
  ];
}

const spreadOf = (values: readonly number[]) => [Math.min(...values), Math.max(...values)] as const;

function add(total: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [label, count] of counts) total.set(label, (total.get(label) ?? 0) + count);
}

/**
 * Expects two samples of one distribution, by how often each number of ones occurs.
 *
 * @throws {Error} if they differ by more than once in a million seeds.
 */
function expectAlike(name: string, a: Map<string, number>, b: Map<string, number>): void {
  const weights = [a, b].map((counts) => {
    const byOnes = new Map<number, number>();
    for (const [label, count] of counts) {
      const ones = label.replaceAll('0', '').length;
      byOnes.set(ones, (byOnes.get(ones) ?? 0) + count);
    }
    return byOnes;
  });
  const [sizeA, sizeB] = [a, b].map((counts) => [...counts.values()].reduce((x, y) => x + y, 0));
  let [statistic, cells] = [0, 0];
  for (const ones of new Set(weights.flatMap((each) => [...each.keys()]))) {
    const [x, y] = weights.map((each) => each.get(ones) ?? 0);
    if (x! + y! < 20) continue;
    statistic +=
      (x! * Math.sqrt(sizeB! / sizeA!) - y! * Math.sqrt(sizeA! / sizeB!)) ** 2 / (x! + y!);
    cells++;
  }
  if (statistic < chiSquaredBound(Math.max(1, cells - 1))) return;
  throw new Error(`${name}: the counts of the engine and of Aer differ`);
}

/** Prints and stores differences from the peers, and milliseconds of each case. */
export async function benchNoise(): Promise<void> {
  const engine = openCpuEngine({ precision: 'f64', numThreads: NUM_THREADS, maxQubits: 26 });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => engine.close());
  const { AER_PYTHON } = process.env;
  const peers: NoisePeer[] = [];
  for (const library of AER_PYTHON === undefined ? [] : NOISE_PEERS) {
    peers.push(stack.use(await noisePeer(library, AER_PYTHON!)));
  }
  const measurements: Measurement[] = [];
  for (const peer of peers) measurements.push(await compareDensities(engine, peer));
  const aer = peers.find(({ library }) => library === 'aer');
  for (const one of [...CASES, ...MORE_CASES]) {
    const found = await measureCase(engine, one, aer);
    measurements.push(...found);
    // A run that is cut short leaves the cases that it measured. On a busy machine a peer's threads wait for each other.
    const [busy] = loadavg();
    store('noise', measurements, { peers: peers.map(({ name }) => name), load_average: busy });
    for (const { name, value, unit, spread } of found) {
      const range =
        spread === undefined ? '' : `  (${spread.map((x) => x.toPrecision(3)).join(' to ')})`;
      process.stdout.write(`${name}: ${value.toPrecision(4)} ${unit}${range}\n`);
    }
  }
}
