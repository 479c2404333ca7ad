/** Runs on an engine in this process, run as a worker of the fleet runs them. */
import { compile } from '../../compiler/compile.ts';
import { compileGradient } from '../../compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../compiler/shape.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CircuitRun } from '../processor.ts';
import { PostedCircuits } from './posted-run.ts';
import { KEPT_ON_CPU } from './prepared-circuits.ts';
import { ServedEngine } from './served-engine.ts';
import type { RunOutcome } from './worker-messages.ts';

/** Runs circuits; throws what the compiler and the engine throw, the signal's reason among it. */
export type RunLocally = (
  run: Pick<CircuitRun, 'circuit' | 'request'>,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
) => Promise<RunOutcome>;

/** Runs on an engine, which its opener closes. Shapes are kept for when they come again. */
export function localRuns(engine: Engine): RunLocally {
  const served = new ServedEngine(engine, { compile, compileShape, compileGradient }, KEPT_ON_CPU);
  const { precision } = engine.target;
  return (run, onProgress, signal) => {
    const circuit = new PostedCircuits().of(run);
    return served.run({ id: 0, precision, circuit, request: run.request }, onProgress, signal);
  };
}
