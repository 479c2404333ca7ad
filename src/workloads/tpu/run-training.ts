/** Runs the TPU job `training`: a classifier or a VQE, with gradients from batches of circuits. */
import { vqeView } from '../agents/research/vqe.ts';
import { vqeOptions, vqeProblem } from '../agents/research/vqe-problem.ts';
import { runVqe } from '../algorithms/vqe/run-vqe.ts';
import type { JsonObject } from '../procedures/json.ts';
import type { RunProcedure } from '../procedures/procedure.ts';
import type { ProcedureContext } from '../procedures/procedure-context.ts';
import { FLOPS_BASIS, MeteredCircuits } from './metered-circuits.ts';
import { trainClassifier } from './train-classifier.ts';
import { type TrainingInput, vqeInputOf } from './training.ts';

/** Runs a training job. */
export const runTraining: RunProcedure<TrainingInput> = async (input, context) => {
  const meter = new MeteredCircuits(context.circuits);
  const metered = { ...context, circuits: meter.runner };
  const result =
    input.problem === 'vqe'
      ? await trainVqe(input, metered)
      : await trainClassifier(input, metered);
  return {
    problem: input.problem,
    ...result,
    circuits: meter.numCircuits,
    flops: meter.flops,
    flops_basis: FLOPS_BASIS,
  };
};

async function trainVqe(given: TrainingInput, context: ProcedureContext): Promise<JsonObject> {
  const input = vqeInputOf(given);
  const problem = vqeProblem(input);
  const options = vqeOptions(input, input.seed ?? context.seed);
  const { steps, restarts } = options;
  const outcome = await runVqe(problem, options, context, ({ step, restart, energy, fraction }) =>
    context.progress(
      fraction,
      `search ${restart + 1} of ${restarts}, step ${step} of ${steps}: energy ${energy.toFixed(6)}`,
    ),
  );
  return { vqe_problem: input.problem, ...vqeView(problem, options, outcome) };
}
