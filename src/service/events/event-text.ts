/** Events of jobs as text/event-stream has them. */
import { formatPosition, type JobEvent } from '../../jobs/job-events.ts';
import { isoTime } from '../envelope.ts';
import type { DoneData, ProgressData, StatusData } from '../schemas/job-events.ts';

/** How a client is to come back after a connection ended: soon, and the first words of every stream. */
export const RETRY = 'retry: 1000\n\n';

/** Keeps a connection from being taken for dead; clients pass over it. */
export const HEARTBEAT = ': still there\n\n';

/** Facts of a queued job that are not in its record. */
export interface QueueFacts {
  readonly position?: number | undefined;
  /** Milliseconds since 1970 UTC. */
  readonly expectedStart?: number | undefined;
}

/**
 * The text of one event.
 *
 * @param location - Path of the job's record.
 * @param queue - Of a job that waits now, all of whose events are of its status `queued`.
 */
export function eventText(event: JobEvent, location: string, queue: QueueFacts): string {
  const data = JSON.stringify(dataOf(event, location, queue));
  return `id: ${formatPosition(event.position)}\nevent: ${event.kind}\ndata: ${data}\n\n`;
}

function dataOf(
  event: JobEvent,
  location: string,
  { position, expectedStart }: QueueFacts,
): StatusData | ProgressData | DoneData {
  const { attempt } = event.position;
  switch (event.kind) {
    case 'progress': {
      const { permille, message } = event;
      return {
        progress: permille / 1000,
        percent: Math.floor(permille / 10),
        attempt,
        ...(message === undefined ? {} : { message }),
      };
    }
    case 'status': {
      const { status, at, error } = event;
      return {
        status,
        at: isoTime(at),
        attempt,
        ...(position === undefined ? {} : { queue_position: position }),
        ...(expectedStart === undefined ? {} : { expected_start_at: isoTime(expectedStart) }),
        ...(error && { error }),
      };
    }
    case 'done': {
      const { status, at, error } = event;
      return { status, at: isoTime(at), location, ...(error && { error }) };
    }
  }
}
