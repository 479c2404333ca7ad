/**
 * What happened to a job, as events that whoever watches it is told: derived from the job as it stands,
 * not from a log.
 *
 * A record says all that is to be told of the run it is in: queued when it was created, running since it
 * was started, and its end. So what somebody who saw one event has missed is a function of that event's
 * position and of the record: it is the same on any connection, after a restart, and for a job that
 * ended long ago, and nothing is stored for it. Of a run that an interruption ended no record is left;
 * who returns only after the next one began is told that the job is queued again, and goes on from there.
 *
 * A position has the time at which the run began or ended beside the attempt, since an attempt that a
 * shutdown broke off is not counted: the next has the same number.
 */
import { JobDamagedError } from './errors.ts';
import { isFinal, type JobError, type JobStatus } from './job.ts';
import type { JobState, WatchedRecord } from './job-watch.ts';

/** How far somebody was told of a job. Times are milliseconds since 1970 UTC. */
export type EventPosition =
  | { readonly phase: 'queued'; readonly attempt: number }
  | {
      readonly phase: 'running';
      readonly attempt: number;
      readonly at: number;
      /** Progress told, in thousandths; undefined before any was. */
      readonly permille?: number;
      /** The last message told; it is no part of an event's id. */
      readonly message?: string;
    }
  | { readonly phase: 'final' | 'done'; readonly attempt: number; readonly at: number };

/** The job reached a status. */
export interface StatusEvent {
  readonly kind: 'status';
  readonly position: EventPosition;
  readonly status: JobStatus;
  /** When: created, started or finished. Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly error?: JobError;
}

/** More of the work is done, or it says something new. */
export interface ProgressEvent {
  readonly kind: 'progress';
  readonly position: EventPosition;
  /** Thousandths of the work that are done, rounded down; never fewer than were told of the attempt. */
  readonly permille: number;
  readonly message?: string;
}

/** The job is final and everything was told. */
export interface DoneEvent {
  readonly kind: 'done';
  readonly position: EventPosition;
  readonly status: JobStatus;
  readonly at: number;
  readonly error?: JobError;
}

/** Something that happened to a job. */
export type JobEvent = StatusEvent | ProgressEvent | DoneEvent;

/**
 * What somebody who was told up to `since` has not been told yet, in order. A final job's last one is
 * `done`; who was told that gets nothing.
 *
 * @param since - Undefined, or of no run that the record knows: told from the beginning of its run.
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

/** Whether somebody at that position was told the end of the job, and that it is the end. */
export function isDone(since: EventPosition | undefined, record: WatchedRecord): boolean {
  return since?.phase === 'done' && numTold(since, statusEvents(record)) > 0;
}

/** The event of a job in the queue; told again where something else about its wait changes. */
export function queuedEvent(record: WatchedRecord): StatusEvent {
  const position = { phase: 'queued', attempt: attemptOf(record) } as const;
  return { kind: 'status', position, status: 'queued', at: record.createdAt };
}

/** A position as the id of its event: `1.queued`, `1.running.T`, `1.progress.T.250`, `1.done.T`. */
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

/** The position that an id names; undefined where the text is no id. */
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

/** The statuses of the run that the record is in: queued, running if it was, and the end. */
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

/** How many of the statuses came at that position or before it; none where it is of another run. */
function numTold(since: EventPosition | undefined, statuses: readonly StatusEvent[]): number {
  if (since === undefined) return 0;
  const last = since.phase === 'done' ? { ...since, phase: 'final' as const } : since;
  return 1 + statuses.findIndex(({ position }) => isSameStatus(position, last));
}

/** Whether both are of one status of one run, whatever the progress. */
function isSameStatus(one: EventPosition, other: EventPosition): boolean {
  const timeOf = (position: EventPosition) => ('at' in position ? position.at : undefined);
  return (
    one.phase === other.phase && one.attempt === other.attempt && timeOf(one) === timeOf(other)
  );
}

/** The progress where there is more to tell than was told. */
function progressEvents(
  since: EventPosition | undefined,
  { record, progress, message }: JobState,
): ProgressEvent[] {
  if (record.startedAt === undefined || progress === undefined) return [];
  const run = { phase: 'running', attempt: attemptOf(record), at: record.startedAt } as const;
  const told = since?.phase === 'running' && isSameStatus(since, run) ? since : undefined;
  // Work that starts over is told of again only once it is further than it was.
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

/** Which run the record is in, from 1: one that was not started yet is the next. */
function attemptOf({ attempts, startedAt }: WatchedRecord): number {
  return startedAt === undefined ? attempts + 1 : attempts;
}

function endOf({ id, keyId, finishedAt }: WatchedRecord): number {
  if (finishedAt === undefined) throw new JobDamagedError('it ended at no time', { id, keyId });
  return finishedAt;
}
