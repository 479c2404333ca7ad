/**
 * Density matrices on the CPU engine, beside Qiskit Aer's in one run (AER_PYTHON names a Python that has it).
 *
 * Circuits of u and cx, in brickwork and on random pairs, with amplitude damping after every u and depolarizing noise
 * after every cx. Both take turns, each with all threads, and compute the exact distribution. Ours is timed from the circuit
 * to the distribution, compiling included; Aer from the call with a circuit object to its result. Distributions are
 * compared before anything is timed.
 */
import { availableParallelism } from 'node:os';
import type { DynamicCircuit, DynamicOperation } from '../src/circuit/circuit.ts';
import { amplitudeDamping, depolarizing } from '../src/circuit/noise/named-channels.ts';
import { compileDensity } from '../src/compiler/noise/compile-density.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import { RandomStream } from '../test/support/random-stream.ts';
import { type Measurement, median, report } from './harness.ts';
import { pythonPeer } from './peers/python-peer.ts';

const NEVER = new AbortController().signal;
const GAMMA = 0.001;
const DEPOLARIZING = 0.01;
const WIDTHS = [10, 11, 12] as const;
const NUM_LAYERS = 4;
const ROUNDS = 3;
/** Aer's ratio that the project aims for. */
const GOAL = 3;
const TOLERANCE = { f64: 1e-11, f32: 1e-5 } as const;

type Gate = readonly [name: 'u' | 'cx', qubits: readonly number[], angles: readonly number[]];

/** Answer of bench/peers/density-peer.py. */
interface AerRun {
  readonly ms: number;
  readonly simulationMs: number;
  readonly probabilities: readonly number[];
}

interface AerRequest {
  readonly numQubits: number;
  readonly gates: readonly Gate[];
  readonly precision: 'single' | 'double';
}

/** Layers of a u on each qubit, then cx on pairs: neighbours in turn, or any. */
function gatesOf(family: 'brickwork' | 'random pairs', numQubits: number): readonly Gate[] {
  const stream = new RandomStream(numQubits);
  const gates: Gate[] = [];
  for (let layer = 0; layer < NUM_LAYERS; layer++) {
    for (let q = 0; q < numQubits; q++) {
      gates.push(['u', [q], [stream.angle(), stream.angle(), stream.angle()]]);
    }
    const order =
      family === 'random pairs'
        ? stream.distinct(numQubits, numQubits)
        : Array.from({ length: numQubits }, (_, q) => (q + (layer % 2)) % numQubits);
    for (let i = 0; i + 1 < numQubits; i += 2) gates.push(['cx', [order[i]!, order[i + 1]!], []]);
  }
  return gates;
}

function circuitOf(numQubits: number, gates: readonly Gate[]): DynamicCircuit {
  const damping = amplitudeDamping(GAMMA, 0)!;
  const errors = depolarizing(2, DEPOLARIZING)!;
  const operations = gates.flatMap(([name, qubits, angles]): readonly DynamicOperation[] => {
    const [controls, targets] = name === 'u' ? [[], qubits] : [qubits.slice(0, 1), qubits.slice(1)];
    return [
      { kind: 'gate', gate: name === 'u' ? 'U' : 'CX', controls, targets, angles },
      { kind: 'noise', qubits, channel: name === 'u' ? damping : errors },
    ];
  });
  const all = Array.from({ length: numQubits }, (_, q) => q);
  return {
    numQubits,
    numBits: numQubits,
    operations: [...operations, { kind: 'measure', qubits: all, bits: all }],
  };
}

/** Brickwork with noise after every gate, all qubits measured. */
export const noisyBrickwork = (numQubits: number): DynamicCircuit =>
  circuitOf(numQubits, gatesOf('brickwork', numQubits));

/** Runs the benchmark and stores bench/results/density.json. */
export async function benchDensity(): Promise<void> {
  const { AER_PYTHON } = process.env;
  await using aer = AER_PYTHON === undefined ? undefined : await aerDensity(AER_PYTHON);
  if (aer === undefined) process.stdout.write('Aer: AER_PYTHON names no Python; left out\n');
  const measurements: Measurement[] = [];
  for (const precision of ['f64', 'f32'] as const) {
    const engine = openCpuEngine({ precision, numThreads: availableParallelism(), maxQubits: 26 });
    for (const family of ['brickwork', 'random pairs'] as const) {
      for (const numQubits of WIDTHS) {
        const gates = gatesOf(family, numQubits);
        const circuit = circuitOf(numQubits, gates);
        const ours = async () => {
          const started = performance.now();
          const { program } = compileDensity(circuit, engine.target, { keepState: false });
          await using executable = await engine.prepare.density_matrix!(program);
          const { probabilities } = await executable.run(
            { shots: 0, seed: 1, probabilities: true },
            NEVER,
          );
          return { ms: performance.now() - started, probabilities: probabilities! };
        };
        const request = {
          numQubits,
          gates,
          precision: precision === 'f64' ? 'double' : 'single',
        } as const;
        const [own, peer] = [await ours(), await aer?.run(request)];
        if (peer !== undefined) {
          const error = own.probabilities.reduce(
            (worst, p, x) => Math.max(worst, Math.abs(p - peer.probabilities[x]!)),
            0,
          );
          if (!(error < TOLERANCE[precision])) throw new Error(`${family}: off by ${error}`);
        }
        const times = { ours: [] as number[], aer: [] as number[] };
        for (let round = 0; round < ROUNDS; round++) {
          times.ours.push((await ours()).ms);
          if (aer !== undefined) times.aer.push((await aer.run(request)).ms);
        }
        const name = `${family} ${numQubits} qubits, ${precision}`;
        measurements.push(measurement(`${name}`, times.ours));
        if (aer === undefined) continue;
        measurements.push(measurement(`${name}, ${aer.name}`, times.aer));
        const ratio = median(times.aer) / median(times.ours);
        measurements.push({ name: `${name}, Aer / ours`, value: ratio, unit: '×', goal: GOAL });
      }
    }
    await engine.close();
  }
  report('density', measurements);
}

function measurement(name: string, ms: readonly number[]): Measurement {
  return { name, value: median(ms), unit: 'ms', spread: [Math.min(...ms), Math.max(...ms)] };
}

/** Aer's density matrices. */
async function aerDensity(python: string) {
  const peer = await pythonPeer(python, 'density-peer.py');
  const noise = { gamma: GAMMA, depolarizing: DEPOLARIZING };
  return {
    name: peer.name,
    run: (request: AerRequest): Promise<AerRun> => peer.ask({ ...request, ...noise }),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
