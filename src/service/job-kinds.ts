/** List of all kinds of jobs. */
import type { JobKind } from '../jobs/job.ts';
import { BATCH_KIND } from './batches/batch-jobs.ts';
import { CIRCUIT_KIND } from './circuits/circuit-jobs.ts';
import { BODY_KIND_READING } from './estimates/body-kind.ts';
import { EXPERIMENT_KIND } from './experiments/experiment-jobs.ts';
import type { Reading } from './http/reading/reading.ts';
import { IONQ_READING } from './ionq/read-ionq-job.ts';
import type { JobKindDefinition, JobKindDeps, ServedJobKind } from './jobs/job-kind.ts';
import { TASK_KIND } from './work/task-jobs.ts';
import { TPU_JOB_KIND } from './work/tpu-jobs.ts';

const KINDS = {
  circuit: CIRCUIT_KIND,
  batch: BATCH_KIND,
  experiment: EXPERIMENT_KIND,
  task: TASK_KIND,
  tpu_job: TPU_JOB_KIND,
} satisfies Readonly<Record<JobKind, JobKindDefinition<unknown>>>;

/** Kinds in service, which are also the handlers of their jobs. */
export type ServedJobKinds = ReturnType<typeof serveJobKinds>;

/** Binds all kinds to processors and agents. */
export function serveJobKinds(deps: JobKindDeps) {
  return {
    circuit: KINDS.circuit.serve(deps),
    batch: KINDS.batch.serve(deps),
    experiment: KINDS.experiment.serve(deps),
    task: KINDS.task.serve(deps),
    tpu_job: KINDS.tpu_job.serve(deps),
  };
}

/** Ends the threads that the kinds started. */
export async function closeJobKinds(served: ServedJobKinds): Promise<void> {
  const kinds: readonly ServedJobKind[] = Object.values(served);
  await Promise.all(kinds.map((kind) => kind.close?.()));
}

const readings: ReadonlyMap<string, Reading<never, unknown>> = new Map(
  [...Object.values(KINDS).flatMap((kind) => kind.readings), IONQ_READING, BODY_KIND_READING].map(
    (each) => [each.name, each] as const,
  ),
);

/** Finds a reading by name. */
export function findReading(name: string): Reading<unknown, unknown> {
  const reading = readings.get(name);
  if (reading === undefined) throw new Error(`unreachable: there is no reading ${name}`);
  // The cast is safe: the service sends the name of a reading with that reading's context.
  return reading as Reading<unknown, unknown>;
}
