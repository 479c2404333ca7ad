/**
 * Action of `qcs experiment`: each circuit with each decoder is a task of one experiment, on this machine or at a service.
 * Counts are appended to a table of Sinter's as they come.
 */
import {
  BadRequestError,
  type ExperimentSubmissionInput,
  type TaskCounts,
} from '../client/client.ts';
import { drawSeed } from '../math/philox.ts';
import { targetsOf } from '../service/circuits/targets.ts';
import { errorRate } from '../service/experiments/error-rate.ts';
import { checkedTasks } from '../service/experiments/read-experiment.ts';
import { ExperimentRun } from '../service/experiments/run-experiment-job.ts';
import { CSV_HEADER, viewTask } from '../service/experiments/stored-task.ts';
import { RequestInvalidError } from '../service/http/errors.ts';
import { type CommandIo, printable, table } from './command-io.ts';
import { CircuitRefusedError, OptionsConflictError } from './errors.ts';
import { type ExperimentOptions, type NamedTask, tasksOf } from './experiment-tasks.ts';
import { throwUnlessCompleted, waitedFor } from './jobs/follow-job.ts';
import { serviceClient } from './jobs/service-client.ts';
import { showEstimate } from './jobs/show-estimate.ts';
import { localJob, onFleet } from './local-run.ts';
import { withProgress } from './progress-bar.ts';
import { type Counts, NewCounts, NONE, readCounts, rowOf } from './sinter-table.ts';

/**
 * Runs the tasks that a table does not have the shots or errors of, and prints the counts of all. With `--estimate` it
 * prints an estimate and runs nothing.
 *
 * @throws {CircuitRefusedError} with every fault, by the file that has it.
 * @throws {FileNotFoundError | FileUnreadableError | FileUnwritableError | OptionsConflictError}
 * @throws {JobFailedError | JobCancelledError | InterruptedError}
 */
export async function runExperiment(
  files: readonly string[],
  options: ExperimentOptions,
  io: CommandIo,
): Promise<void> {
  const tasks = await tasksOf(files, options);
  const { saveResume, seed } = options;
  const counted =
    saveResume === undefined ? new Map<string, Counts>() : await readCounts(saveResume);
  const open = tasks.flatMap((task) => restOf(task, counted.get(task.strongId), options));
  if (seed !== undefined && tasks.some(({ strongId }) => counted.has(strongId))) {
    throw new OptionsConflictError(
      `${saveResume} has shots of these tasks already, and --seed would draw the same again.`,
    );
  }
  if (open.length > 0) {
    const bodies = open.map(({ body }) => body);
    const request = {
      target_processor: options.target,
      tasks: bodies,
      ...(seed !== undefined && { seed }),
    };
    const collect = options.submit === true ? collectAtService : collectHere;
    try {
      if (options.estimate === true) {
        const client = await serviceClient(options, io);
        showEstimate(await client.estimate(request as ExperimentSubmissionInput), {}, io);
        return;
      }
      const added = new NewCounts(open, counted, saveResume);
      await collect(request, options, io, (counts) => added.add(counts));
    } catch (error) {
      throw refusalOf(error, open);
    }
  }
  writeCounts(tasks, counted, options, io);
}

/** The task with what is left of its limits; none if it has reached one. */
function restOf(
  task: NamedTask,
  { shots, errors }: Counts = NONE,
  { maxShots, maxErrors, relativeError }: ExperimentOptions,
): readonly NamedTask[] {
  const limits = {
    max_shots: maxShots - shots,
    ...(maxErrors !== undefined && { max_errors: maxErrors - errors }),
  };
  if (Object.values(limits).some((left) => left <= 0)) return [];
  const relative = relativeError !== undefined && { relative_error: relativeError };
  return [{ ...task, body: { ...task.body, ...limits, ...relative } }];
}

/** The experiment as it is submitted. */
interface ExperimentRequest {
  readonly target_processor: string;
  readonly tasks: readonly NamedTask['body'][];
  readonly seed?: number;
}

/** Runs an experiment on this machine. */
async function collectHere(
  request: ExperimentRequest,
  _options: ExperimentOptions,
  io: CommandIo,
  add: (counts: readonly TaskCounts[]) => void,
): Promise<void> {
  const { target_processor: target } = request;
  await onFleet(target, io, async (fleet) => {
    const tasks = checkedTasks(request, targetsOf(fleet));
    const processor = fleet.get(target);
    if (processor === undefined) throw new Error('unreachable: an experiment without its target');
    const seed = request.seed ?? drawSeed(io.random);
    const job = localJob('experiment', target, { tasks: tasks.length, seed }, io.now());
    await withProgress(io, (progress, signal) => {
      const hooks = {
        started: () => {},
        progress,
        saveParts: () => add(run.tasks.map(viewTask)),
      };
      const run = new ExperimentRun(job, tasks, [], { processor, hooks, signal, now: io.now });
      return run.run();
    });
  });
}

/** Runs an experiment at a service. */
async function collectAtService(
  request: ExperimentRequest,
  options: ExperimentOptions,
  io: CommandIo,
  add: (counts: readonly TaskCounts[]) => void,
): Promise<void> {
  const { experiments } = await serviceClient(options, io);
  // The service checks the fields of files.
  const submit = () => experiments.submit(request as ExperimentSubmissionInput);
  const job = await waitedFor(experiments, submit, io, ({ tasks = [] }) => add(tasks));
  add(job.tasks ?? []);
  throwUnlessCompleted(printable(job.experiment_id), job);
}

/** An error of the request, with the file of each fault in place of the number of its task. */
function refusalOf(error: unknown, tasks: readonly NamedTask[]): unknown {
  const isRefused = error instanceof BadRequestError || error instanceof RequestInvalidError;
  if (!isRefused) return error;
  const named = (text: string) =>
    text.replace(/\btasks\[(\d+)\]\.?/g, (_, task: string) => `${tasks[Number(task)]!.file} `);
  const faults = error instanceof BadRequestError ? error.details : error.faults;
  return new CircuitRefusedError(
    'The experiment',
    printable(named(error.message)),
    faults.map((fault) => ({ ...fault, path: named(fault.path).trim() })),
    { cause: error },
  );
}

/** Prints the counts of all tasks that have any. */
function writeCounts(
  tasks: readonly NamedTask[],
  counted: ReadonlyMap<string, Counts>,
  { csv }: ExperimentOptions,
  { out }: Pick<CommandIo, 'out'>,
): void {
  const known = tasks.flatMap((task) => {
    const counts = counted.get(task.strongId);
    return counts === undefined ? [] : [{ task, counts }];
  });
  if (csv === true) {
    const rows = known.map(({ task, counts }) => rowOf(task, counts));
    out.write([CSV_HEADER, ...rows, ''].join('\n'));
  } else {
    const rows = known.map(({ task: { file, body }, counts }) => {
      const found = counts.rate ?? errorRate(counts);
      const rate =
        found === undefined
          ? ['', '']
          : [found.rate, `${shown(found.low)} to ${shown(found.high)}`];
      const numbers = [counts.shots, counts.errors, counts.discards, ...rate];
      const cells = numbers.map((cell) => (typeof cell === 'number' ? shown(cell) : cell));
      return [file, body.decoder, ...cells];
    });
    const heading = ['circuit', 'decoder', 'shots', 'errors', 'discards', 'error rate', '95 %'];
    out.write(`${table(heading, rows)}\n`);
  }
}

/** A count as it is, a rate to three digits. */
const shown = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toPrecision(3);
