/** Runs noisy circuits on an engine under test, by either method. */
import type { DynamicCircuit } from '../../src/circuit/circuit.ts';
import { readsState } from '../../src/circuit/outputs.ts';
import { compileDensity } from '../../src/compiler/noise/compile-density.ts';
import { compileTrajectories } from '../../src/compiler/noise/compile-trajectories.ts';
import type { Engine, Executable, RunResult } from '../../src/engine/engine.ts';
import { type Ask, NEVER } from './engine-runs.ts';

/** Prepares the trajectories of a circuit. */
export async function preparedTrajectories(
  engine: Engine,
  circuit: DynamicCircuit,
): Promise<Executable> {
  if (engine.prepare.trajectories === undefined) throw new Error('The engine has no trajectories.');
  const { program } = compileTrajectories(circuit, engine.target);
  return await engine.prepare.trajectories(program);
}

/** Draws trajectories of a circuit. */
export async function runTrajectories(
  engine: Engine,
  circuit: DynamicCircuit,
  ask: Ask,
): Promise<RunResult> {
  await using executable = await preparedTrajectories(engine, circuit);
  return await executable.run({ shots: 0, seed: 1, ...ask }, NEVER);
}

/** Evolves the density matrix of a circuit, compiled for what is asked as the service compiles it. */
export async function runDensity(
  engine: Engine,
  circuit: DynamicCircuit,
  ask: Ask,
): Promise<RunResult> {
  if (engine.prepare.density_matrix === undefined)
    throw new Error('The engine has no density matrices.');
  const request = { shots: 0, seed: 1, ...ask };
  const { program } = compileDensity(circuit, engine.target, { keepState: readsState(request) });
  await using executable = await engine.prepare.density_matrix(program);
  return await executable.run(request, NEVER);
}
