/** Action of `qcs jobs follow`. */
import type { CommandIo } from '../command-io.ts';
import { fieldsOf, printable, textOf } from './answer-fields.ts';
import { FollowedJobCancelledError, FollowedJobFailedError, WatchStoppedError } from './errors.ts';
import { FollowDisplay } from './follow-display.ts';
import { durationText, type JobRecord, resourceOf, runText } from './job-record.ts';
import { answerOf, type JobOptions, writeResult } from './one-job.ts';
import { serviceAddress } from './service-address.ts';
import { ServiceClient } from './service-client.ts';
import { watchJob } from './watch-job.ts';

/**
 * Watches the job to its end and prints its result. Ctrl-C ends the watching, not the job.
 *
 * @throws {FollowedJobFailedError | FollowedJobCancelledError | WatchStoppedError}
 */
export async function followJob(id: string, options: JobOptions, io: CommandIo): Promise<void> {
  const resource = resourceOf(id);
  const client = new ServiceClient(await serviceAddress(options, io), io);
  const interrupt = new AbortController();
  using _listener = io.onInterrupt(() => interrupt.abort(new WatchStoppedError(id)));
  const { signal } = interrupt;
  const record = await answerOf(client, id, async () => {
    await watch(client, id, `${resource.path}/${id}`, signal, io);
    return await client.ask(`${resource.path}/${id}`, { signal });
  });
  finish(record, options, io);
}

async function watch(
  client: ServiceClient,
  id: string,
  path: string,
  signal: AbortSignal,
  io: CommandIo,
): Promise<void> {
  using display = new FollowDisplay(id, io);
  const onWait = (why: string, ms: number) =>
    display.say(`${why}. Coming back in ${durationText(ms)}.`);
  for await (const event of watchJob(client, { path, io, signal, onWait })) display.show(event);
}

function finish(record: JobRecord, options: JobOptions, io: CommandIo): void {
  const { id, status, error } = record;
  if (status === 'completed') {
    io.err.write(`${id} completed in ${runText(record, io.now())}\n`);
    for (const warning of warningsOf(record)) io.err.write(`${warning}\n`);
  }
  if (status === 'completed' || options.json === true) writeResult(record, options, io);
  if (status === 'failed') throw new FollowedJobFailedError(id, error);
  if (status === 'cancelled') throw new FollowedJobCancelledError(id);
}

/** Warnings about ignored parts of the job's program. */
function warningsOf({ fields: { warnings } }: JobRecord): readonly string[] {
  return (Array.isArray(warnings) ? warnings : []).map((warning) =>
    printable(textOf(fieldsOf(warning)?.['message']) ?? ''),
  );
}
