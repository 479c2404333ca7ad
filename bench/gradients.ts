/**
 * Gradients of expectation values by all angles of a circuit, beside a forward run of the same circuit on the same
 * engine and beside the adjoint method of PennyLane's Lightning (PENNYLANE_PYTHON; see bench/peers/lightning.ts). All
 * take turns. Times are processor time, of all threads together, which other load on the machine affects less.
 *
 * Before anything is timed, each gradient is held to a difference of expectation values along a random direction, and to
 * Lightning's gradient.
 */
import type { Circuit, Operation, Qubit } from '../src/circuit/circuit.ts';
import type { PauliSum } from '../src/circuit/observable.ts';
import { compileGradient } from '../src/compiler/gradient/compile-gradient.ts';
import { anglesOf, compileShape } from '../src/compiler/shape.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { Engine } from '../src/engine/engine.ts';
import { uniformDraw } from '../src/math/philox.ts';
import { median, store } from './harness.ts';
import { type LightningPeer, lightningPeer } from './peers/lightning.ts';

const NUM_QUBITS = 20;
const NUM_THREADS = 2;
const ROUNDS = 7;
/** Largest differences from Lightning, and from a central difference along a direction. */
const TOLERANCE = { f64: 1e-9, f32: 1e-3 };
const STEP = { f64: 1e-4, f32: 3e-2 };
const DIFFERENCED = { f64: 1e-5, f32: 2e-1 };

const { signal } = new AbortController();
const QUBITS = Array.from({ length: NUM_QUBITS }, (_, qubit) => qubit);
const SUM_OF_Z: PauliSum = QUBITS.map((qubit) => ({
  coefficient: 1,
  factors: [{ pauli: 'Z', qubit }],
}));

/** Angles in (−π, π), the same in every run. */
function anglesFrom(seed: number): () => number {
  let next = 0;
  return () => Math.PI * (2 * uniformDraw(seed, next++, 0, 0) - 1);
}

const gate = (
  name: string,
  targets: readonly Qubit[],
  controls: readonly Qubit[] = [],
  ...angles: number[]
): Operation => ({ kind: 'gate', gate: name, controls, targets, angles });

const circuit = (operations: readonly Operation[]): Circuit => ({
  numQubits: NUM_QUBITS,
  numBits: 0,
  operations,
});

/** RY and RZ on each qubit, a chain of CX; four times, then rotations again: 200 angles. */
function efficientSu2(): Circuit {
  const angle = anglesFrom(1);
  const rotations = () =>
    QUBITS.flatMap((q) => [gate('RY', [q], [], angle()), gate('RZ', [q], [], angle())]);
  const chain = QUBITS.slice(1).map((q) => gate('CX', [q], [q - 1]));
  const layers = Array.from({ length: 4 }, () => [...rotations(), ...chain]);
  return circuit([...layers.flat(), ...rotations()]);
}

/** Five layers of RZZ on the edges and RX on the qubits, each gate with an angle of its own. */
function qaoa(edges: readonly (readonly [Qubit, Qubit])[]): Circuit {
  const angle = anglesFrom(2);
  const layers = Array.from({ length: 5 }, () => [
    ...edges.map((edge) => gate('RZZ', edge, [], angle())),
    ...QUBITS.map((q) => gate('RX', [q], [], angle())),
  ]);
  return circuit([...QUBITS.map((q) => gate('H', [q])), ...layers.flat()]);
}

/** A ring with its diagonals: every qubit has three neighbours. */
const CUBIC = [
  ...QUBITS.map((q) => [q, (q + 1) % NUM_QUBITS] as const),
  ...QUBITS.slice(NUM_QUBITS / 2).map((q) => [q - NUM_QUBITS / 2, q] as const),
];
const COMPLETE = QUBITS.flatMap((a) => QUBITS.slice(0, a).map((b) => [b, a] as const));

/** Five Trotter steps of a Heisenberg chain, each gate with an angle of its own. */
function heisenberg(): Circuit {
  const angle = anglesFrom(3);
  const step = () =>
    [0, 1].flatMap((parity) =>
      QUBITS.slice(0, -1)
        .filter((q) => q % 2 === parity)
        .flatMap((q) => ['RXX', 'RYY', 'RZZ'].map((name) => gate(name, [q, q + 1], [], angle()))),
    );
  return circuit(Array.from({ length: 5 }, step).flat());
}

/** Gates of many kinds on random qubits until there are 200 angles. */
function randomGates(): Circuit {
  const angle = anglesFrom(4);
  let next = 0;
  const below = (bound: number) => Math.floor(bound * uniformDraw(5, next++, 0, 0));
  const operations = QUBITS.map((q) => gate('H', [q]));
  const names = ['RX', 'RY', 'RZ', 'CX', 'CRX', 'RZZ', 'RXX', 'CP'];
  for (let count = 0; count < 200; ) {
    const name = names[below(names.length)]!;
    const a = below(NUM_QUBITS);
    const b = (a + 1 + below(NUM_QUBITS - 1)) % NUM_QUBITS;
    if (name === 'CX') {
      operations.push(gate('CX', [a], [b]));
      continue;
    }
    count++;
    if (name.startsWith('C')) operations.push(gate(name, [a], [b], angle()));
    else operations.push(gate(name, name.length === 3 ? [a, b] : [a], [], angle()));
  }
  return circuit(operations);
}

const CIRCUITS: Readonly<Record<string, Circuit>> = {
  'EfficientSU2, 4 reps': efficientSu2(),
  'QAOA, p = 5, 3-regular': qaoa(CUBIC),
  'QAOA, p = 5, complete': qaoa(COMPLETE),
  'Heisenberg, 5 steps': heisenberg(),
  'random, 200 angles': randomGates(),
};

/** One circuit made ready on one engine. */
interface Prepared extends AsyncDisposable {
  readonly numAngles: number;
  readonly forward: () => Promise<number>;
  readonly gradient: () => Promise<{ readonly value: number; readonly gradient: Float64Array }>;
  /** The expectation value at other angles. */
  readonly valueAt: (angles: readonly number[]) => Promise<number>;
}

async function prepared(engine: Engine, shape: Circuit): Promise<Prepared> {
  const angles = anglesOf(shape);
  const slots = Int32Array.from(angles, (_, i) => i);
  const compiled = compileShape(shape, { slots }, engine.target);
  const runAt = async (values: readonly number[]) => {
    const program = compiled.bind(values);
    if (program === undefined) throw new Error('The program has another form at these angles.');
    return await engine.prepare.statevector(program);
  };
  const executable = await runAt(angles);
  const program = compileGradient(shape, { slots }, engine.target).bind(angles);
  const differentiated = await engine.prepare.gradient?.(program);
  if (differentiated === undefined) throw new Error(`The ${engine.name} engine has no gradients.`);
  const ask = { shots: 0, seed: 1, observables: [SUM_OF_Z] };
  return {
    numAngles: angles.length,
    forward: async () => (await executable.run(ask, signal)).expectations![0]!,
    async gradient() {
      const { values, gradients } = await differentiated.run({ observables: [SUM_OF_Z] }, signal);
      return { value: values[0]!, gradient: gradients };
    },
    async valueAt(values) {
      await using moved = await runAt(values);
      return (await moved.run(ask, signal)).expectations![0]!;
    },
    async [Symbol.asyncDispose]() {
      await executable[Symbol.asyncDispose]();
      await differentiated[Symbol.asyncDispose]();
    },
  };
}

/** Throws where a gradient is not that of the expectation value. */
async function verify(name: string, shape: Circuit, of: Prepared, precision: 'f32' | 'f64') {
  const angles = anglesOf(shape);
  const { gradient } = await of.gradient();
  const direction = angles.map((_, i) => uniformDraw(6, i, 0, 0) - 0.5);
  const step = STEP[precision];
  const at = (by: number) => of.valueAt(angles.map((angle, i) => angle + by * direction[i]!));
  const difference = ((await at(step)) - (await at(-step))) / (2 * step);
  const slope = gradient.reduce((sum, each, i) => sum + each * direction[i]!, 0);
  if (Math.abs(slope - difference) < DIFFERENCED[precision]) return;
  throw new Error(`${name}: a slope of ${slope} where differences give ${difference}.`);
}

async function verifyPeer(name: string, of: Prepared, peer: LightningPeer, tolerance: number) {
  const [own, theirs] = [await of.gradient(), await peer.run(name)];
  const worst = Math.max(
    Math.abs(own.value - theirs.value),
    ...theirs.gradient.map((slope, i) => Math.abs(slope - own.gradient[i]!)),
  );
  if (worst < tolerance) return;
  throw new Error(`${name}: Lightning's gradient differs by ${worst}.`);
}

/** One circuit in one precision; milliseconds of processor time, medians. */
interface GradientRun {
  readonly circuit: string;
  readonly numQubits: number;
  readonly angles: number;
  readonly precision: 'f32' | 'f64';
  readonly forwardMs: number;
  readonly gradientMs: number;
  /** Smallest and largest. */
  readonly gradientSpread: readonly [number, number];
  /** Gradient over forward run; the goal is at most 6. */
  readonly ratio: number;
  /** In double precision. */
  readonly lightningMs?: number;
  readonly timesFasterThanLightning?: number;
}

/** Prints and stores the table. */
export async function benchGradients(): Promise<void> {
  const python = process.env['PENNYLANE_PYTHON'];
  if (python === undefined) print('Lightning: PENNYLANE_PYTHON names no Python; left out');
  await using stack = new AsyncDisposableStack();
  const peer =
    python === undefined
      ? undefined
      : stack.use(await lightningPeer({ python, numThreads: NUM_THREADS }));
  const runs: GradientRun[] = [];
  for (const [name, shape] of Object.entries(CIRCUITS)) {
    await peer?.keep(name, shape);
    const own = await runsOf(name, shape, peer);
    for (const run of own) {
      const { precision, forwardMs, gradientMs, ratio, lightningMs } = run;
      const peers = lightningMs === undefined ? '' : `, Lightning ${lightningMs.toFixed(0)} ms`;
      const times = `forward ${forwardMs.toFixed(1)}, gradient ${gradientMs.toFixed(1)} ms`;
      print(`  ${name}, ${precision}: ${times}, ratio ${ratio.toFixed(1)}${peers}`);
    }
    runs.push(...own);
  }
  store('gradients', runs, { threads: NUM_THREADS, ...(peer && { peer: peer.name }) });
}

async function runsOf(
  name: string,
  shape: Circuit,
  peer: LightningPeer | undefined,
): Promise<readonly GradientRun[]> {
  await using engines = new AsyncDisposableStack();
  const made: { readonly precision: 'f32' | 'f64'; readonly of: Prepared }[] = [];
  for (const precision of ['f64', 'f32'] as const) {
    const options = { precision, numThreads: NUM_THREADS, maxQubits: NUM_QUBITS + 1 };
    const engine = openCpuEngine(options);
    engines.defer(() => engine.close());
    const of = engines.use(await prepared(engine, shape));
    await verify(name, shape, of, precision);
    if (peer !== undefined) await verifyPeer(name, of, peer, TOLERANCE[precision]);
    made.push({ precision, of });
  }
  const variants = made.flatMap(({ of }) => [() => timed(of.forward), () => timed(of.gradient)]);
  if (peer !== undefined) variants.push(async () => (await peer.run(name)).ms);
  const times = await inTurns(variants);
  const peers = peer && median(times.at(-1)!);
  return made.map(({ precision, of }, i): GradientRun => {
    const [forwardMs, gradientMs] = [median(times[2 * i]!), median(times[2 * i + 1]!)];
    const gradientSpread = [
      Math.min(...times[2 * i + 1]!),
      Math.max(...times[2 * i + 1]!),
    ] as const;
    return {
      circuit: name,
      numQubits: NUM_QUBITS,
      angles: of.numAngles,
      precision,
      forwardMs,
      gradientMs,
      gradientSpread,
      ratio: gradientMs / forwardMs,
      ...(peers !== undefined && {
        lightningMs: peers,
        timesFasterThanLightning: peers / gradientMs,
      }),
    };
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Runs the variants in turns, and returns the ms of each variant, a number a round; a round before them is not counted. */
async function inTurns(
  variants: readonly (() => Promise<number>)[],
): Promise<readonly (readonly number[])[]> {
  const times = variants.map((): number[] => []);
  for (let round = -1; round < ROUNDS; round++) {
    for (const [i, run] of variants.entries()) {
      const ms = await run();
      if (round >= 0) times[i]!.push(ms);
    }
  }
  return times;
}
