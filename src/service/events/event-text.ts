/** Encodes job events as text/event-stream. */
import { formatPosition, type JobEvent } from '../../jobs/job-events.ts';
import { isoTime } from '../envelope.ts';
import type { DoneData, ProgressData, StatusData } from '../schemas/job-events.ts';

/** First text of every stream: clients reconnect 1 s after a connection ended. */
export const RETRY = 'retry: 1000\n\n';

/** Comment that keeps a connection alive; clients ignore it. */
export const HEARTBEAT = ': still there\n\n';

/** Facts of a queued job that are not in its record. */
export interface QueueFacts {
  readonly position?: number | undefined;
  /** Milliseconds since 1970 UTC. */
  readonly expectedStart?: number | undefined;
}

/**
 * Encodes one event.
 *
 * @param location - Path of the job's record.
 * @param queue - Facts of a waiting job, used for events of the status `queued`.
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
