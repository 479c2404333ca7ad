/**
 * Whether the events of a job, joined over all connections on which they came, are those that
 * docs/jobs.md promises: each status once and in order, whatever the cuts.
 */
import type { JobRecord } from '../service-client.ts';

/** An event as it came. */
export interface JobEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Faults of the events, in words.
 *
 * @param record - The job's, once it is final.
 */
export function eventFaults(events: readonly JobEvent[], record: JobRecord): readonly string[] {
  return [...statusFaults(events, record), ...progressFaults(events)];
}

/** The statuses that a record says there were, and those that were told, are the same. */
function statusFaults(events: readonly JobEvent[], record: JobRecord): readonly string[] {
  const told = events
    .filter(({ event }) => event !== 'progress')
    .filter(isNew)
    .map(describe);
  const expected = [
    `status queued ${record.created_at}`,
    ...(record.started_at === undefined ? [] : [`status running ${record.started_at}`]),
    `status ${record.status} ${record.finished_at}`,
    `done ${record.status} ${record.finished_at}`,
  ];
  if (told.join('; ') === expected.join('; ')) return [];
  return [`was told [${told.join('; ')}], and was [${expected.join('; ')}]`];
}

/** `queued` comes again under its id while the place in the queue changes; nothing else does. */
function isNew({ id, data }: JobEvent, place: number, all: readonly JobEvent[]): boolean {
  return data['status'] !== 'queued' || all[place - 1]?.id !== id;
}

function describe({ event, data }: JobEvent): string {
  return `${event} ${String(data['status'])} ${String(data['at'])}`;
}

/** Progress is reported between `running` and the end, of one attempt, and never goes back. */
function progressFaults(events: readonly JobEvent[]): readonly string[] {
  const faults: string[] = [];
  let status: unknown;
  let last = 0;
  let attempt: unknown;
  for (const { id, event, data } of events) {
    if (event !== 'progress') {
      status = data['status'];
      attempt = data['attempt'];
      continue;
    }
    const progress = Number(data['progress']);
    if (status !== 'running') faults.push(`${id} came while it was ${String(status)}`);
    if (data['attempt'] !== attempt) faults.push(`${id} is of another attempt`);
    if (!(progress >= last && progress <= 1)) faults.push(`progress ${last} before ${id}`);
    if (data['percent'] !== Math.floor(Math.round(progress * 1000) / 10)) {
      faults.push(`${id} says ${String(data['percent'])} percent`);
    }
    last = progress;
  }
  return faults;
}
