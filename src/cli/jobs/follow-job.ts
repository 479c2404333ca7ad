/** Action of `qcs jobs follow`, and the watching of jobs that commands submit. */
import {
  type AnyJobs,
  JobCancelledError,
  JobFailedError,
  type JobState,
  type QcsClient,
} from '../../client/client.ts';
import type { CommandIo } from '../command-io.ts';
import { printable } from '../printable.ts';
import { WatchStoppedError } from './errors.ts';
import { FollowDisplay } from './follow-display.ts';
import { durationText, readRecord, runText, warningsOf } from './job-record.ts';
import { type JobOptions, writeResult } from './one-job.ts';

/**
 * Watches the job to its end and prints its result. Ctrl-C ends the watching, not the job.
 *
 * @throws {JobFailedError | JobCancelledError | WatchStoppedError}
 */
export async function followJob(
  client: QcsClient,
  id: string,
  options: JobOptions,
  io: CommandIo,
): Promise<void> {
  const jobs = client.jobsOf(id);
  const interrupt = new AbortController();
  using _listener = io.onInterrupt(() => interrupt.abort(new WatchStoppedError(id)));
  const job = await finalRecord(jobs, id, interrupt.signal, io);
  if (job.status === 'completed' || options.json === true) {
    writeResult(readRecord(job, jobs), options, io);
  }
  throwUnlessCompleted(id, job);
}

/** Watches the job to its end, reports that on stderr, and returns its record. */
export async function finalRecord<Jobs extends AnyJobs>(
  jobs: Jobs,
  id: string,
  signal: AbortSignal,
  io: CommandIo,
): Promise<Awaited<ReturnType<Jobs['get']>>> {
  await watch(jobs, id, signal, io);
  const job = await jobs.get(id, { signal });
  if (job.status === 'completed') {
    const record = readRecord(job, jobs);
    io.err.write(`${id} completed in ${runText(record, io.now())}\n`);
    for (const warning of warningsOf(record)) io.err.write(`${warning}\n`);
  }
  // The cast is safe: it is the answer of `get`.
  return job as Awaited<ReturnType<Jobs['get']>>;
}

/** @throws {JobFailedError | JobCancelledError} for a job that ended without a result. */
export function throwUnlessCompleted(id: string, job: JobState): void {
  if (job.status === 'failed') throw new JobFailedError(id, job);
  if (job.status === 'cancelled') throw new JobCancelledError(id, job);
}

async function watch(jobs: AnyJobs, id: string, signal: AbortSignal, io: CommandIo): Promise<void> {
  using display = new FollowDisplay(id, io);
  const onReconnect = (reason: string, delayMs: number) =>
    display.say(`${printable(reason)}. Coming back in ${durationText(delayMs)}.`);
  for await (const event of jobs.events(id, { signal, onReconnect })) display.show(event);
}
