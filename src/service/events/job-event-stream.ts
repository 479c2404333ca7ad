/**
 * The events of one job for one reader, as text/event-stream.
 *
 * The reader pulls: what it has not been told is worked out, from the job as it stands, only when it takes
 * more. So nothing is gathered for one that reads slowly, which is told the latest progress and every
 * status; and whatever it was told last, a new stream from there goes on as this one would have.
 */
import { Readable } from 'node:stream';
import {
  type EventPosition,
  eventsSince,
  type JobEvent,
  queuedEvent,
} from '../../jobs/job-events.ts';
import type { JobWatch } from '../../jobs/job-watch.ts';
import type { LiveFacts } from '../jobs/job-view.ts';
import { eventText, HEARTBEAT, type QueueFacts, RETRY } from './event-text.ts';

/** Between two events of progress. */
const PROGRESS_EVERY_MS = 100;
/** How often the place of a waiting job is looked up, and whether it is time for a heartbeat. */
const LOOK_EVERY_MS = 1000;
const HEARTBEAT_AFTER_MS = 15_000;
/** A reader that takes nothing for so long is let go; it may come back. */
const STALLED_AFTER_MS = 60_000;

/** Options of a stream. */
export interface JobEventSource {
  /** Disposed with the stream. */
  readonly watch: JobWatch;
  /** Position of the last event that the reader has seen. */
  readonly since: EventPosition | undefined;
  /** Path of the job's record. */
  readonly location: string;
  readonly live: Pick<LiveFacts, 'queuePosition' | 'expectedStart'>;
}

/** Ends after the event `done`, or where it is stopped. */
export class JobEventStream extends Readable {
  readonly #source: JobEventSource;
  readonly #looking: NodeJS.Timeout;
  #told: EventPosition | undefined;
  #toldQueuePosition: number | undefined;
  /** The reader took what there was. */
  #isWanted = false;
  #hasBegun = false;
  /** Times of performance.now(). */
  #lastWrite = performance.now();
  #lastProgress = -Infinity;
  #progressTimer: NodeJS.Timeout | undefined;

  constructor(source: JobEventSource) {
    // The reader's own buffers are enough: nothing is made ahead.
    super({ highWaterMark: 1 });
    this.#source = source;
    this.#told = source.since;
    source.watch.onChange = () => this.#try(() => this.#tell());
    this.#looking = setInterval(() => this.#try(() => this.#look()), LOOK_EVERY_MS).unref();
  }

  /** Ends it without `done`, which makes clients come back. */
  stop(): void {
    if (this.#isWanted) this.#write('', true);
    else this.destroy();
  }

  override _read(): void {
    this.#isWanted = true;
    this.#tell();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearInterval(this.#looking);
    clearTimeout(this.#progressTimer);
    this.#source.watch[Symbol.dispose]();
    callback(error);
  }

  /** A fault of the stream ends the stream, not the job that it is told of or the process. */
  #try(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Writes what the reader was not told yet, where it takes it. */
  #tell(): void {
    if (!this.#isWanted) return;
    const events = this.#timely(eventsSince(this.#told, this.#source.watch.state));
    if (events.length > 0) this.#writeEvents(events);
    else if (!this.#hasBegun) this.#write('');
  }

  /** Without progress that comes too soon after the last; it has its turn later. */
  #timely(events: readonly JobEvent[]): readonly JobEvent[] {
    const isEnd = events.some(({ kind }) => kind === 'done');
    const wait = this.#lastProgress + PROGRESS_EVERY_MS - performance.now();
    if (isEnd || wait <= 0 || !events.some(({ kind }) => kind === 'progress')) return events;
    this.#progressTimer ??= setTimeout(() => {
      this.#progressTimer = undefined;
      this.#try(() => this.#tell());
    }, wait).unref();
    return events.filter(({ kind }) => kind !== 'progress');
  }

  #writeEvents(events: readonly JobEvent[]): void {
    const queue = this.#queueFacts();
    const { location } = this.#source;
    let text = '';
    for (const event of events) {
      text += eventText(event, location, queue);
      this.#told = event.position;
      if (event.kind === 'progress') this.#lastProgress = performance.now();
    }
    this.#toldQueuePosition = queue.position;
    this.#write(text, events.at(-1)?.kind === 'done');
  }

  #write(text: string, isEnd = false): void {
    const whole = this.#hasBegun ? text : RETRY + text;
    this.#hasBegun = true;
    this.#isWanted = false;
    this.#lastWrite = performance.now();
    if (whole !== '') this.push(whole);
    if (isEnd) this.push(null);
  }

  /** Tells of a job's new place in the queue, or that the service is still there. */
  #look(): void {
    const quietMs = performance.now() - this.#lastWrite;
    if (!this.#isWanted) {
      if (quietMs >= STALLED_AFTER_MS) this.destroy();
      return;
    }
    const { record } = this.#source.watch.state;
    const position = this.#queuePosition();
    if (position !== undefined && position !== this.#toldQueuePosition) {
      this.#writeEvents([queuedEvent(record)]);
    } else if (quietMs >= HEARTBEAT_AFTER_MS) this.#write(HEARTBEAT);
  }

  #queueFacts(): QueueFacts {
    const { watch, live } = this.#source;
    const position = this.#queuePosition();
    return position === undefined
      ? {}
      : { position, expectedStart: live.expectedStart(watch.state.record.id) };
  }

  #queuePosition(): number | undefined {
    const { watch, live } = this.#source;
    const { id, status } = watch.state.record;
    return status === 'queued' ? live.queuePosition(id) : undefined;
  }
}
