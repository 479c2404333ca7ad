/** Runs of trajectories, and circuits with a channel after each gate. */
import type { DynamicCircuit, DynamicOperation } from '../../src/circuit/circuit.ts';
import type { Channel } from '../../src/circuit/noise/channel.ts';
import { compileTrajectories } from '../../src/compiler/noise/compile-trajectories.ts';
import type { Engine, Executable, RunResult } from '../../src/engine/engine.ts';
import { type Ask, NEVER } from './engine-runs.ts';
import { gate } from './random-circuits.ts';
import { RandomStream } from './random-stream.ts';

/** Prepares the trajectories of a circuit. */
export async function preparedTrajectories(
  engine: Engine,
  circuit: DynamicCircuit,
): Promise<Executable> {
  const { program } = compileTrajectories(circuit, engine.target);
  if (engine.prepareTrajectories === undefined) throw new Error('The engine has no trajectories.');
  return await engine.prepareTrajectories(program);
}

/** Runs the trajectories of a circuit once. */
export async function runTrajectories(
  engine: Engine,
  circuit: DynamicCircuit,
  ask: Ask,
): Promise<RunResult> {
  await using executable = await preparedTrajectories(engine, circuit);
  return await executable.run({ shots: 0, seed: 1, ...ask }, NEVER);
}

/** Gates with a channel after each, on the operands in one order or the other. */
export function noisyCircuit(
  channel: Channel,
  numQubits: number,
  depth: number,
  seed: number,
): DynamicCircuit {
  const random = new RandomStream(seed);
  const operations: DynamicOperation[] = [];
  for (let layer = 0; layer < depth; layer++) {
    const qubits = random.distinct(Math.max(2, channel.numQubits), numQubits);
    operations.push(gate('U', [qubits[0]!], [], [random.angle(), random.angle(), random.angle()]));
    operations.push(gate('CX', [qubits[1]!], [qubits[0]!]));
    operations.push({
      kind: 'noise',
      qubits: random.shuffled(qubits).slice(0, channel.numQubits),
      channel,
    });
    if (layer % 3 === 0) operations.push(gate('RXX', qubits.slice(0, 2), [], [random.angle()]));
  }
  const all = Array.from({ length: numQubits }, (_, q) => q);
  operations.push({ kind: 'measure', qubits: all, bits: random.shuffled(all) });
  return { numQubits, numBits: numQubits, operations };
}
