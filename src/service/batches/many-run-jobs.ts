/** Base of jobs whose programs are run in many short runs: batches and experiments. */
import type { WaitingJob } from '../../cluster/shared-job.ts';
import type { ComingRun, Processor } from '../../fleet/processor.ts';
import { type RunWork, runWork } from '../../fleet/schedule/scheduled-run.ts';
import { placeOnScale, type RunState } from '../../fleet/schedule/width-scale.ts';
import { factsOfShape } from '../../fleet/workers/sent-batch.ts';
import type { JobId } from '../../jobs/job.ts';
import { methodRequestOf } from '../circuits/check-method.ts';
import { ProgramJobs, unlessSpent } from '../circuits/program-jobs.ts';
import type { JobSubmission } from '../jobs/job-kind.ts';
import type { CheckedProgram } from './batch-program.ts';

/** Greatest length of a request that is read in the main thread, and the steps of each of its programs. */
const SMALL_BATCH = { length: 16_384, steps: 2_000 };

/** Milliseconds that keys are charged for a job. Its runs take turns with others' in the node's own queue. */
const JOB_COST_MS = 100;

/** The facts that the work of a program's runs follows from. */
type RunnableProgram = Pick<
  CheckedProgram,
  'groups' | 'shots' | 'observables' | 'method' | 'methodReason' | 'figures' | 'bonds'
>;

/** Programs of a job. */
export interface Programs<Program> {
  readonly programs: readonly Program[];
}

/** A submission of several programs. */
interface ManyPrograms<Program> extends JobSubmission, Programs<Program> {
  /** Body that is stored and shown, JSON text. */
  readonly bodyJson: string;
}

/** Jobs of many runs on the fleet's processors. */
export abstract class ManyRunJobs<
  Program extends RunnableProgram,
  Submission extends ManyPrograms<Program>,
> extends ProgramJobs<Submission, Programs<Program>> {
  protected readonly hardwareCostMs = JOB_COST_MS;

  protected checkedOf({ programs }: Submission): Programs<Program> {
    return { programs };
  }

  protected comingRun({ programs }: Submission) {
    return { ...heaviestPoint(programs), together: programs.map(workOf) };
  }

  /** A job whose programs are not known counts as one run of the processor's full width. */
  protected queueingOnEngines(
    _: WaitingJob,
    processor: Processor | undefined,
    submitted: Programs<Program> | undefined,
  ) {
    const { device, maxQubits = 0 } = processor?.spec ?? {};
    const numQubits = device?.emulation?.maxUsedQubits ?? maxQubits;
    const runs: readonly RunState[] = submitted?.programs.map(workOf) ?? [{ numQubits }];
    return { line: 'batch', costMs: JOB_COST_MS, width: placeOnScale(runs) };
  }

  protected firstRunOf(id: JobId): string {
    return `${id}/0`;
  }

  expectedWaitMs({ target }: Submission): number | undefined {
    return this.deps.fleet.get(target)?.load().expectedWaitMs;
  }
}

/** Work of a point of a program. */
function workOf(program: RunnableProgram): RunWork {
  const { groups, shots = 0, observables } = program;
  const request = { shots, seed: 0, observables, ...methodRequestOf(program) };
  return runWork(factsOfShape(groups[0]!.circuit).work, request);
}

/** Work of the point that takes longest. A job may take long, but not one of its points. */
function heaviestPoint(
  programs: readonly RunnableProgram[],
): Pick<ComingRun, 'work' | 'methodReason'> {
  const sizeOf = (program: RunnableProgram) => {
    const { numQubits, gateCost, trajectories } = workOf(program);
    return 2 ** numQubits * (trajectories?.numEvolutions ?? 1) * (1 + gateCost);
  };
  const heaviest = programs.reduce((most, each) => (sizeOf(each) > sizeOf(most) ? each : most));
  return { work: workOf(heaviest), methodReason: heaviest.methodReason };
}

/** Reads a body in this thread; undefined if that would take too long. */
export function unlessLong<T>(length: number, read: (maxSteps: number) => T): T | undefined {
  return length > SMALL_BATCH.length ? undefined : unlessSpent(() => read(SMALL_BATCH.steps));
}
