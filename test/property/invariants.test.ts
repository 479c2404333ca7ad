/** Results of the engines keep all invariants: by every method, in both precisions, and where bonds are cut hard. */
import { afterAll, describe, expect } from 'vitest';
import type { DynamicCircuit } from '../../src/circuit/circuit.ts';
import { compile } from '../../src/compiler/compile.ts';
import { compileGradient } from '../../src/compiler/gradient/compile-gradient.ts';
import { anglesOf, compileShape } from '../../src/compiler/shape.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { faultOfRun } from '../../src/fleet/invariants.ts';
import type { Backend } from '../../src/fleet/processor.ts';
import type { CircuitRequest } from '../../src/fleet/schedule/scheduled-run.ts';
import { KEPT_ON_CPU } from '../../src/fleet/workers/prepared-circuits.ts';
import { factsOfShape } from '../../src/fleet/workers/sent-batch.ts';
import { ServedEngine } from '../../src/fleet/workers/served-engine.ts';
import { randomCliffordCircuit } from '../support/clifford-circuits.ts';
import { NEVER } from '../support/engine-runs.ts';
import { CHANNELS, noise } from '../support/noisy-circuits.ts';
import {
  gate,
  randomDynamicCircuit,
  randomGates,
  randomLoopCircuit,
} from '../support/random-circuits.ts';
import { randomSum } from '../support/random-observables.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';

const NUM_QUBITS = 5;

/** Gates with a measurement of all qubits at the end, and channels between them where it is noisy. */
function measured(stream: RandomStream, numGates: number, isNoisy = false): DynamicCircuit {
  const all = Array.from({ length: NUM_QUBITS }, (_, q) => q);
  const gates = randomGates(stream, NUM_QUBITS, numGates, 3);
  const noisy = gates.flatMap((each) => {
    const channel = stream.pick(CHANNELS);
    const qubits = stream.distinct(channel.numQubits, NUM_QUBITS);
    return stream.below(3) === 0 ? [each, noise(channel, ...qubits)] : [each];
  });
  return {
    numQubits: NUM_QUBITS,
    numBits: NUM_QUBITS,
    operations: [
      ...all.map((q) => gate('H', [q])),
      ...(isNoisy ? noisy : gates),
      { kind: 'measure', qubits: all, bits: all },
      ...(isNoisy
        ? [{ kind: 'misread', bits: [0, 2], p1Given0: 0.1, p0Given1: 0.3 } as const]
        : []),
    ],
  };
}

type Asked = Omit<CircuitRequest, 'shots' | 'seed'>;

const EXACT = { probabilities: true, variances: true } as const;
const CUT = { maxBondDimension: 2, truncationThreshold: 0.05 } as const;

const KINDS: readonly {
  readonly name: string;
  readonly circuit: (stream: RandomStream) => DynamicCircuit;
  readonly asked: Asked;
  readonly hasObservables: boolean;
}[] = [
  {
    name: 'a state vector',
    circuit: (stream) => measured(stream, 40),
    asked: { ...EXACT, statevector: true, amplitudes: [0n, 3n, 31n] },
    hasObservables: true,
  },
  {
    name: 'a long circuit',
    circuit: (stream) => measured(stream, 800),
    asked: { ...EXACT, statevector: true },
    hasObservables: true,
  },
  {
    name: 'shots that branch',
    circuit: (stream) => randomDynamicCircuit(stream, NUM_QUBITS, 4, 30),
    asked: {},
    hasObservables: false,
  },
  {
    name: 'loops',
    circuit: (stream) => randomLoopCircuit(stream, NUM_QUBITS),
    asked: { method: 'density_matrix', ...EXACT, densityMatrix: true, purity: true },
    hasObservables: true,
  },
  {
    name: 'a density matrix',
    circuit: (stream) => measured(stream, 30, true),
    asked: { method: 'density_matrix', ...EXACT, densityMatrix: true, purity: true },
    hasObservables: true,
  },
  {
    name: 'trajectories',
    circuit: (stream) => measured(stream, 30, true),
    asked: { method: 'trajectories', ...EXACT },
    hasObservables: true,
  },
  {
    name: 'stabilizers',
    circuit: (stream) => randomCliffordCircuit(stream, NUM_QUBITS, 30),
    asked: { method: 'stabilizer' },
    hasObservables: false,
  },
  {
    name: 'a product of matrices',
    circuit: (stream) => measured(stream, 15),
    asked: { method: 'matrix_product_state', ...EXACT, statevector: true, amplitudes: [0n, 9n] },
    hasObservables: true,
  },
  {
    name: 'a product of matrices whose bonds are cut',
    circuit: (stream) => measured(stream, 25),
    asked: {
      method: 'matrix_product_state',
      bonds: CUT,
      ...EXACT,
      statevector: true,
      amplitudes: [0n, 9n],
    },
    hasObservables: true,
  },
];

describe.each(['f64', 'f32'] as const)('in %s', (precision) => {
  const engine = openCpuEngine({ precision, numThreads: 1, maxQubits: 12 });
  const served = new ServedEngine(engine, { compile, compileShape, compileGradient }, KEPT_ON_CPU);
  afterAll(() => engine.close());
  const backend: Backend = { engine: 'cpu', execution: 'cpu', precision, hardware: 'a test' };

  for (const { name, circuit: circuitOf, asked, hasObservables } of KINDS) {
    testSeeds(`the results of ${name} keep all invariants`, seeds(3), async (seed) => {
      const stream = new RandomStream(seed);
      const circuit = circuitOf(stream);
      const observables = [randomSum(stream, NUM_QUBITS, 6), [], randomSum(stream, NUM_QUBITS, 1)];
      const request = {
        shots: seed === 0 ? 1 : 100,
        seed,
        ...asked,
        ...(hasObservables && { observables }),
      };
      const sent = { id: 0, precision, circuit, request };
      const { outputs } = await served.run(sent, () => {}, NEVER);
      expect(faultOfRun({ circuit, request }, { outputs, backend })).toBeUndefined();
      const {
        statevector = false,
        amplitudes: _,
        densityMatrix: __,
        purity: ___,
        ...forBoth
      } = request;
      const angles = anglesOf(circuit);
      // Other angles would not be those of Clifford gates.
      const others = asked.method === 'stabilizer' ? angles : angles.map((angle) => angle / 3);
      const forBatch = {
        ...forBoth,
        numCircuits: 3,
        angles: Float64Array.from([...angles, ...others, ...angles]),
        statevectors: statevector,
      };
      const { sent: shape } = factsOfShape(circuit);
      const sentBatch = { id: 0, precision, circuit: shape, request: forBatch };
      const batch = await served.run(sentBatch, () => {}, NEVER);
      const task = { circuit, request: forBatch };
      expect(faultOfRun(task, { outputs: batch.outputs, backend })).toBeUndefined();
    });
  }
});
