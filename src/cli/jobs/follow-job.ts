/** Action of `qcs jobs follow`, and the watching of jobs that commands submit. */
import {
  type AnyJobs,
  JobCancelledError,
  type JobEvent,
  JobFailedError,
  type JobState,
  type ProgressEvent,
  type QcsClient,
  type StatusEvent,
} from '../../client/client.ts';
import { type CommandIo, Interrupt, printable } from '../command-io.ts';
import { WatchStoppedError } from '../errors.ts';
import { ProgressBar } from '../progress-bar.ts';
import { durationText, readRecord, runText, warningsOf } from './job-record.ts';
import { type JobOptions, writeResult } from './one-job.ts';

/**
 * Watches the job to its end and prints its result. Ctrl-C ends the watching, not the job.
 *
 * @param take - Uses the record of a job that is completed, and returns what is to be printed of it.
 * @throws {JobFailedError | JobCancelledError | WatchStoppedError}
 */
export async function followJob(
  client: QcsClient,
  id: string,
  options: JobOptions,
  io: CommandIo,
  take: (record: object) => Promise<object> = async (record) => record,
): Promise<void> {
  const jobs = client.jobsOf(id);
  using interrupt = new Interrupt(io, () => new WatchStoppedError(id));
  const job = await finalRecord(jobs, id, interrupt.signal, io);
  if (job.status === 'completed' || options.json === true) {
    const record = job.status === 'completed' ? await take(job) : job;
    writeResult(readRecord(record, jobs), options, io);
  }
  throwUnlessCompleted(id, job);
}

/** Watches the job to its end, reports that on stderr, and returns its record. */
async function finalRecord<Jobs extends AnyJobs>(
  jobs: Jobs,
  id: string,
  signal: AbortSignal,
  io: CommandIo,
  onProgress: (event: ProgressEvent) => void = () => {},
): Promise<Awaited<ReturnType<Jobs['get']>>> {
  await watch(jobs, id, signal, io, onProgress);
  const job = await jobs.get(id, { signal });
  if (job.status === 'completed') {
    const record = readRecord(job, jobs);
    io.err.write(`${id} completed in ${runText(record, io.now())}\n`);
    for (const warning of warningsOf(record)) io.err.write(`${warning}\n`);
  }
  // The cast is safe: it is the answer of `get`.
  return job as Awaited<ReturnType<Jobs['get']>>;
}

/**
 * The final record of a job whose result only this command would use: Ctrl-C cancels it. That does not interrupt the
 * submission: the id of a job that is to be cancelled must be known.
 *
 * @param submit - Submits the job.
 */
export async function waitedFor<Jobs extends AnyJobs>(
  jobs: Jobs,
  submit: () => Promise<unknown>,
  io: CommandIo,
  onProgress?: (event: ProgressEvent) => void,
): Promise<Awaited<ReturnType<Jobs['get']>>> {
  using interrupt = new Interrupt(io);
  const { signal } = interrupt;
  const id = printable(jobs.idOf(await submit()));
  try {
    return await finalRecord(jobs, id, signal, io, onProgress);
  } catch (error) {
    if (!signal.aborted) throw error;
    const { status } = await jobs.cancel(id);
    io.err.write(`${id} is ${printable(status)}.\n`);
    throw error;
  }
}

/** @throws {JobFailedError | JobCancelledError} for a job that ended without a result. */
export function throwUnlessCompleted(id: string, job: JobState): void {
  if (job.status === 'failed') throw new JobFailedError(id, job);
  if (job.status === 'cancelled') throw new JobCancelledError(id, job);
}

async function watch(
  jobs: AnyJobs,
  id: string,
  signal: AbortSignal,
  io: CommandIo,
  onProgress: (event: ProgressEvent) => void,
): Promise<void> {
  using display = new FollowDisplay(id, io);
  const onReconnect = (reason: string, delayMs: number) =>
    display.say(`${printable(reason)}. Coming back in ${durationText(delayMs)}.`);
  for await (const event of jobs.events(id, { signal, onReconnect })) {
    display.show(event);
    if (event.event === 'progress') onProgress(event.data);
  }
}

/** Final statuses. They are reported by the caller, who has the record with its duration or error. */
const ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/**
 * Progress of a followed job on stderr: a line per status, and in between a bar on a terminal, or a line per
 * tenth of the work elsewhere. Dispose of it to erase the bar.
 */
class FollowDisplay implements Disposable {
  readonly #id: string;
  readonly #io: Pick<CommandIo, 'err' | 'now'>;
  #bar: ProgressBar | undefined;
  #status = '';
  /** Event id of the last status line. A status is repeated when its place in the queue changes. */
  #toldId: string | undefined;
  #toldTenth = 0;

  constructor(id: string, io: Pick<CommandIo, 'err' | 'now'>) {
    this.#id = id;
    this.#io = io;
  }

  /** Shows one event. */
  show(event: JobEvent): void {
    if (event.event === 'status') this.#showStatus(event.id, event.data);
    if (event.event === 'progress') this.#showProgress(event.data);
  }

  /** Writes a line and erases the bar. */
  say(text: string): void {
    this.#bar?.[Symbol.dispose]();
    this.#io.err.write(`${text}\n`);
  }

  [Symbol.dispose](): void {
    this.#bar?.[Symbol.dispose]();
    this.#bar = undefined;
  }

  #showStatus(eventId: string, data: StatusEvent): void {
    const status = printable(data.status);
    const before = data.queue_position;
    const place = before === undefined ? '' : `${before} before it`;
    const waiting = data.waiting_for === undefined ? place : printable(data.waiting_for);
    if (eventId !== this.#toldId || status !== this.#status) {
      this[Symbol.dispose]();
      if (ENDS.has(status)) return;
      const notes = [waiting, data.attempt > 1 ? `attempt ${data.attempt}` : ''].filter(
        (note) => note !== '',
      );
      this.say(`${this.#id} ${[status, ...notes].join(', ')}`);
      this.#toldTenth = 0;
    }
    [this.#toldId, this.#status] = [eventId, status];
    if (status === 'queued') this.#draw(0, waiting);
  }

  #showProgress({ progress, message: text }: ProgressEvent): void {
    const fraction = Math.min(1, Math.max(0, progress));
    const message = printable(text ?? '');
    this.#draw(fraction, message);
    if (this.#io.err.isTTY === true) return;
    const tenth = Math.floor(fraction * 10);
    if (tenth <= this.#toldTenth) return;
    this.#toldTenth = tenth;
    this.say(`${this.#id} ${tenth * 10}%${message === '' ? '' : `  ${message}`}`);
  }

  /** A new bar starts at the first fraction known for its status. */
  #draw(fraction: number, message: string): void {
    this.#bar ??= new ProgressBar(this.#io.err, this.#status, this.#io.now, fraction);
    this.#bar.update(fraction, message);
  }
}
