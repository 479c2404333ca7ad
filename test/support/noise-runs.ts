/** Runs noisy circuits on an engine under test, by either method. */
import type { DynamicCircuit } from '../../src/circuit/circuit.ts';
import { readsState } from '../../src/circuit/outputs.ts';
import { compileMatrixProductTrajectories } from '../../src/compiler/chain/compile-matrix-product.ts';
import { compileDensity } from '../../src/compiler/noise/compile-density.ts';
import { compileTrajectories } from '../../src/compiler/noise/compile-trajectories.ts';
import type { Engine, Executable, RunResult } from '../../src/engine/engine.ts';
import { type Ask, NEVER } from './engine-runs.ts';

/** Prepares the trajectories of a circuit, on matrix product states if the engine has these alone. */
export async function preparedTrajectories(
  { target, prepare }: Engine,
  circuit: DynamicCircuit,
): Promise<Executable> {
  if (prepare.trajectories !== undefined) {
    return await prepare.trajectories(compileTrajectories(circuit, target).program);
  }
  if (prepare.matrix_product_trajectories === undefined)
    throw new Error('The engine has no trajectories.');
  // A cut of weight w changes amplitudes by √w.
  const limits = { truncationThreshold: 1e-24 };
  const program = compileMatrixProductTrajectories(circuit, limits);
  return await prepare.matrix_product_trajectories(program);
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
