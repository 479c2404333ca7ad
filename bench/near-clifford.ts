/**
 * Circuits that are Clifford but for a few gates, by sums over stabilizer states beside a state vector: random Clifford
 * gates on 8 to 24 qubits with 1 to 30 T gates or rotations. Both methods compile and run a circuit as a worker does. The
 * least time of several runs counts, because the machine may be shared.
 *
 * First both have to give the same expectation values. Then the bench says how often the method that the model of times
 * prefers is the faster one, and how long the chosen methods take together, relative to the faster one each.
 */
import { availableParallelism } from 'node:os';
import { type Circuit, type Operation, withFinalMeasurement } from '../src/circuit/circuit.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { Engine, RunRequest, RunResult } from '../src/engine/engine.ts';
import { chooseMethod } from '../src/fleet/choose-method.ts';
import type { ProcessorSpec } from '../src/fleet/processor.ts';
import { circuitWork, type RunMethod } from '../src/fleet/schedule/scheduled-run.ts';
import { compiledByMethod } from '../src/fleet/workers/prepared-circuits.ts';
import { randomClifford } from '../test/support/clifford-circuits.ts';
import { gate } from '../test/support/random-circuits.ts';
import { randomSum } from '../test/support/random-observables.ts';
import { RandomStream } from '../test/support/random-stream.ts';
import { type Measurement, report } from './harness.ts';

const NUM_CIRCUITS = 60;
const ROUNDS = 5;
const TOLERANCE = 1e-9;
const SPEC: ProcessorSpec = {
  id: 'qvm',
  name: 'qvm',
  family: 'qvm',
  maxQubits: 26,
  maxShots: 1_000_000,
  maxGates: 1_000_000,
  precision: 'f64',
  execution: 'cpu',
  target: null,
};
const { signal } = new AbortController();

/** Random Clifford gates, with others at random places. */
function randomCircuit(stream: RandomStream, numQubits: number, sizes: readonly number[]): Circuit {
  const [numGates = 0, numOthers = 0] = sizes;
  const operations: Operation[] = Array.from({ length: numGates }, () =>
    randomClifford(stream, numQubits),
  );
  for (let i = 0; i < numOthers; i++) {
    const target = [stream.below(numQubits)];
    const other =
      stream.below(2) === 0 ? gate('T', target) : gate('RZ', target, [], [stream.angle()]);
    operations.splice(stream.below(operations.length), 0, other);
  }
  return withFinalMeasurement({ numQubits, numBits: 0, operations });
}

/** Layers of a random one-qubit Clifford gate on each qubit and CZ on random pairs, with T gates at random places. */
function layered(numQubits: number, depth: number, numTs: number): Circuit {
  const stream = new RandomStream(numQubits);
  const operations: Operation[] = [];
  for (let layer = 0; layer < depth; layer++) {
    for (let qubit = 0; qubit < numQubits; qubit++) {
      operations.push(gate(stream.pick(['H', 'S', 'SX']), [qubit]));
    }
    const order = stream.distinct(numQubits, numQubits);
    for (let i = 0; i + 1 < numQubits; i += 2)
      operations.push(gate('Z', [order[i]!], [order[i + 1]!]));
  }
  for (let i = 0; i < numTs; i++) {
    operations.splice(stream.below(operations.length), 0, gate('T', [stream.below(numQubits)]));
  }
  return withFinalMeasurement({ numQubits, numBits: 0, operations });
}

async function run(
  engine: Engine,
  circuit: Circuit,
  method: RunMethod,
  request: RunRequest,
): Promise<{ readonly ms: number; readonly result: RunResult }> {
  const started = performance.now();
  const { prepare } = compiledByMethod(
    engine,
    circuit,
    { method },
    request.observables !== undefined,
  );
  await using executable = await prepare();
  const result = await executable.run(request, signal);
  return { ms: performance.now() - started, result };
}

async function leastMs(engine: Engine, circuit: Circuit, method: RunMethod, shots: number) {
  let least = Number.POSITIVE_INFINITY;
  for (let seed = 0; seed < ROUNDS; seed++) {
    least = Math.min(least, (await run(engine, circuit, method, { shots, seed })).ms);
  }
  return least;
}

function chosenMethod(circuit: Circuit, shots: number): RunMethod {
  const choice = chooseMethod(
    {
      circuit,
      work: circuitWork(circuit),
      shots,
      asked: 'automatic',
      outputs: ['counts'],
    },
    SPEC,
  );
  if ('problem' in choice) throw new Error(choice.problem);
  return choice.method;
}

async function compare(engine: Engine, circuit: Circuit, stream: RandomStream): Promise<void> {
  const observables = [randomSum(stream, circuit.numQubits, 3)];
  const request = { shots: 0, seed: 0, observables };
  const values = [];
  for (const method of ['stabilizer', 'statevector'] as const) {
    values.push((await run(engine, circuit, method, request)).result.expectations![0]!);
  }
  if (Math.abs(values[0]! - values[1]!) < TOLERANCE) return;
  throw new Error(`sums give ${values[0]}, and the state vector ${values[1]}`);
}

/** Runs the benchmark. */
export async function benchNearClifford(): Promise<void> {
  // As in the service: narrow circuits on one thread, wider ones on all.
  const narrow = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 17 });
  const numThreads = availableParallelism();
  const wide = openCpuEngine({ precision: 'f64', numThreads, maxQubits: 24 });
  let [numFaster, numNear, chosenMs, fasterMs, stateMs] = [0, 0, 0, 0, 0];
  const measurements: Measurement[] = [];
  try {
    for (let i = 0; i < NUM_CIRCUITS; i++) {
      const stream = new RandomStream(i);
      const numQubits = 8 + stream.below(17);
      const sizes = [numQubits * (2 + stream.below(20)), 1 + stream.below(30)];
      const circuit = randomCircuit(stream, numQubits, sizes);
      const shots = stream.pick([1, 100, 1000, 10_000]);
      const engine = numQubits <= 17 ? narrow : wide;
      if (numQubits <= 17) await compare(engine, circuit, stream);
      const bySums = await leastMs(engine, circuit, 'stabilizer', shots);
      const byState = await leastMs(engine, circuit, 'statevector', shots);
      const ms = chosenMethod(circuit, shots) === 'stabilizer' ? bySums : byState;
      const faster = Math.min(bySums, byState);
      if (ms === faster) numFaster++;
      if (ms <= faster + 1 || ms <= 1.25 * faster) numNear++;
      chosenMs += ms;
      fasterMs += faster;
      stateMs += byState;
    }
    for (const [numQubits, numTs] of [
      [60, 20],
      [1000, 10],
    ] as const) {
      const name = `${numQubits} qubits, depth 20, ${numTs} T gates, 1000 shots`;
      const circuit = layered(numQubits, 20, numTs);
      const value = await leastMs(narrow, circuit, 'stabilizer', 1000);
      measurements.push({ name, value, unit: 'ms' });
    }
  } finally {
    await narrow.close();
    await wide.close();
  }
  report('near-clifford', [
    { name: 'the faster method is chosen', value: numFaster, unit: `of ${NUM_CIRCUITS}` },
    { name: 'within 1 ms or 25 % of it', value: numNear, unit: `of ${NUM_CIRCUITS}` },
    {
      name: 'time of the chosen methods',
      value: chosenMs / fasterMs,
      unit: 'of the faster',
      goal: 1.1,
    },
    { name: 'time of state vectors', value: stateMs / fasterMs, unit: 'of the faster' },
    ...measurements,
  ]);
}
