/**
 * Events of a job for its watchers, derived from the job's present state instead of a log.
 *
 * A record contains every event of its present run: queued at its creation, running since its start, and its
 * end. The events that a watcher has missed are therefore a function of its position and the record. They are
 * the same on any connection, after a restart, and for a job that ended long ago, and nothing is stored for
 * them. An interrupted run leaves no record: a watcher that returns after the next run began gets the event
 * `queued` again and continues from there.
 *
 * A position contains the attempt and also the time at which the run began or ended, because an attempt that
 * a shutdown interrupted is not counted and the next one has the same number.
 */
import { JobDamagedError } from './errors.ts';
import { isFinal, type JobError, type JobStatus } from './job.ts';
import type { JobState, WatchedRecord } from './job-watch.ts';

/** Position of a watcher in a job's events. Times are milliseconds since 1970 UTC. */
export type EventPosition =
  | { readonly phase: 'queued'; readonly attempt: number }
  | {
      readonly phase: 'running';
      readonly attempt: number;
      readonly at: number;
      /** Last progress sent, in thousandths; undefined before the first. */
      readonly permille?: number;
      /** Last message sent; it is not part of an event's id. */
      readonly message?: string;
    }
  | { readonly phase: 'final' | 'done'; readonly attempt: number; readonly at: number };

/** Event: the job reached a status. */
interface StatusEvent {
  readonly kind: 'status';
  readonly position: EventPosition;
  readonly status: JobStatus;
  /** Time of creation, start or end, milliseconds since 1970 UTC. */
  readonly at: number;
  readonly error?: JobError;
}

/** Event: the progress or its message changed. */
interface ProgressEvent {
  readonly kind: 'progress';
  readonly position: EventPosition;
  /** Progress in thousandths, rounded down; it never decreases within an attempt. */
  readonly permille: number;
  readonly message?: string;
}

/** Event: the job is final and all other events were sent. */
interface DoneEvent {
  readonly kind: 'done';
  readonly position: EventPosition;
  readonly status: JobStatus;
  readonly at: number;
  readonly error?: JobError;
}

/** Event of a job. */
export type JobEvent = StatusEvent | ProgressEvent | DoneEvent;

/**
 * Events that a watcher at `since` has not seen, in order. The last event of a final job is `done`; after it
 * there are none.
 *
 * @param since - If undefined or of a run that the record does not know, events start with that of the
 *   present run.
 */
export function eventsSince(since: EventPosition | undefined, state: JobState): JobEvent[] {
  const statuses = statusEvents(state.record);
  const untold = statuses.slice(numTold(since, statuses));
  const progress = progressEvents(since, state);
  if (!isFinal(state.record.status)) return [...untold, ...progress];
  if (since?.phase === 'done' && untold.length === 0) return [];
  // The last progress was made before the end.
  const end = untold.splice(-1);
  return [...untold, ...(end.length === 0 ? [] : progress), ...end, doneEvent(state.record)];
}

/** True if a watcher at this position has seen the event `done` of the present run. */
export function isDone(since: EventPosition | undefined, record: WatchedRecord): boolean {
  return since?.phase === 'done' && numTold(since, statusEvents(record)) > 0;
}

/** Event of a queued job; repeated when its place in the queue changes. */
export function queuedEvent(record: WatchedRecord): StatusEvent {
  const position = { phase: 'queued', attempt: attemptOf(record) } as const;
  return { kind: 'status', position, status: 'queued', at: record.createdAt };
}

/** Formats a position as an event id: `1.queued`, `1.running.T`, `1.progress.T.250`, `1.done.T`. */
export function formatPosition(position: EventPosition): string {
  const { attempt, phase } = position;
  if (phase === 'queued') return `${attempt}.queued`;
  if (phase !== 'running' || position.permille === undefined) {
    return `${attempt}.${phase}.${position.at}`;
  }
  return `${attempt}.progress.${position.at}.${position.permille}`;
}

const QUEUED = /^(\d{1,9})\.queued$/;
const PROGRESS = /^(\d{1,9})\.progress\.(\d{1,15})\.(\d{1,3}|1000)$/;
const OTHER = /^(\d{1,9})\.(running|final|done)\.(\d{1,15})$/;

/** Parses an event id; undefined if it is malformed. */
export function parsePosition(text: string): EventPosition | undefined {
  const queued = QUEUED.exec(text);
  if (queued !== null) return { phase: 'queued', attempt: Number(queued[1]) };
  const progress = PROGRESS.exec(text);
  if (progress !== null) {
    const [, attempt, at, permille] = progress.map(Number);
    if (attempt === undefined || at === undefined || permille === undefined) return undefined;
    return { phase: 'running', attempt, at, permille };
  }
  const other = OTHER.exec(text);
  const phase = (['running', 'final', 'done'] as const).find((name) => name === other?.[2]);
  if (other === null || phase === undefined) return undefined;
  return { phase, attempt: Number(other[1]), at: Number(other[3]) };
}

/** Status events of the present run: queued, running if it began, and its end. */
function statusEvents(record: WatchedRecord): StatusEvent[] {
  const { status, startedAt, error } = record;
  const attempt = attemptOf(record);
  const events = [queuedEvent(record)];
  if (startedAt !== undefined) {
    const position = { phase: 'running', attempt, at: startedAt } as const;
    events.push({ kind: 'status', position, status: 'running', at: startedAt });
  }
  if (isFinal(status)) {
    const at = endOf(record);
    const position = { phase: 'final', attempt, at } as const;
    events.push({ kind: 'status', position, status, at, ...(error && { error }) });
  }
  return events;
}

/** Number of status events at or before the position; 0 for a position in another run. */
function numTold(since: EventPosition | undefined, statuses: readonly StatusEvent[]): number {
  if (since === undefined) return 0;
  const last = since.phase === 'done' ? { ...since, phase: 'final' as const } : since;
  return 1 + statuses.findIndex(({ position }) => isSameStatus(position, last));
}

/** True if both positions are in the same status of the same run, whatever the progress. */
function isSameStatus(one: EventPosition, other: EventPosition): boolean {
  const timeOf = (position: EventPosition) => ('at' in position ? position.at : undefined);
  return (
    one.phase === other.phase && one.attempt === other.attempt && timeOf(one) === timeOf(other)
  );
}

/** Progress event, if there is unseen progress. */
function progressEvents(
  since: EventPosition | undefined,
  { record, progress, message }: JobState,
): ProgressEvent[] {
  if (record.startedAt === undefined || progress === undefined) return [];
  const run = { phase: 'running', attempt: attemptOf(record), at: record.startedAt } as const;
  const told = since?.phase === 'running' && isSameStatus(since, run) ? since : undefined;
  // After a restart of the work, progress is reported only once it exceeds the earlier value.
  const permille = Math.max(Math.floor(progress * 1000), told?.permille ?? 0);
  const saysMore = message !== undefined && message !== told?.message;
  if (permille === told?.permille && !saysMore) return [];
  const facts = { permille, ...(message === undefined ? {} : { message }) };
  return [{ kind: 'progress', position: { ...run, ...facts }, ...facts }];
}

function doneEvent(record: WatchedRecord): DoneEvent {
  const { status, error } = record;
  const at = endOf(record);
  const position = { phase: 'done', attempt: attemptOf(record), at } as const;
  return { kind: 'done', position, status, at, ...(error && { error }) };
}

/** Number of the present run, from 1; a queued job counts as in its next run. */
function attemptOf({ attempts, startedAt }: WatchedRecord): number {
  return startedAt === undefined ? attempts + 1 : attempts;
}

function endOf({ id, keyId, finishedAt }: WatchedRecord): number {
  if (finishedAt === undefined) throw new JobDamagedError('it ended at no time', { id, keyId });
  return finishedAt;
}
