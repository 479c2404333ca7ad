/**
 * Watches a job over Server-Sent Events on lines that break: cuts its connection at random moments,
 * after so many bytes or so many milliseconds, and comes back with the id of the last whole event.
 */
import { get, type IncomingMessage } from 'node:http';
import { doneData, progressData, statusData } from '../../../src/service/jobs/job-event-stream.ts';
import type { RandomStream } from '../random-stream.ts';
import type { ServiceClient } from '../service-client.ts';
import type { JobEvent } from './event-sequence.ts';

const SCHEMAS = new Map(
  Object.entries({ status: statusData, progress: progressData, done: doneData }),
);
const MAX_CUTS = 6;
const CUT_PART = 0.75;
const MAX_CUT_BYTES = 700;
const MAX_CUT_MS = 150;
const NO_CONTENT = 204;

/** Observations of a watcher. */
export interface Watched {
  /** Of all connections, joined. */
  readonly events: readonly JobEvent[];
  /** Cuts after which it came back. */
  readonly reconnects: number;
}

/** Where a connection breaks; undefined where it does not. */
type Cut = { readonly bytes: number } | { readonly ms: number } | undefined;

/**
 * Watches until the event `done`, and sees to it that there is nothing after it.
 *
 * @param onEvent - Called with each event as it comes.
 * @throws where a stream ends by itself without `done`, and where data is not as documented.
 */
export async function watchJob(
  client: ServiceClient,
  location: string,
  random: RandomStream,
  onEvent: (event: JobEvent) => void = () => {},
): Promise<Watched> {
  const events: JobEvent[] = [];
  let reconnects = 0;
  while (events.at(-1)?.event !== 'done') {
    const cut = reconnects < MAX_CUTS ? randomCut(random) : undefined;
    const response = await openEvents(client, location, events.at(-1)?.id);
    if (response.statusCode !== 200) {
      response.resume();
      throw new Error(`${location}: the stream was answered ${response.statusCode}`);
    }
    const isCut = await readEvents(response, cut, (event) => {
      events.push(event);
      onEvent(event);
    });
    if (events.at(-1)?.event === 'done') break;
    if (!isCut) throw new Error(`${location}: the stream ended before the job was done`);
    reconnects++;
  }
  const after = await openEvents(client, location, events.at(-1)?.id);
  after.resume();
  if (after.statusCode !== NO_CONTENT) {
    throw new Error(`${location}: after done came ${after.statusCode}`);
  }
  return { events, reconnects };
}

/**
 * All events of a final job that are reported after one of its events, on one connection.
 *
 * @throws as `watchJob`.
 */
export async function eventsAfter(
  client: ServiceClient,
  location: string,
  id: string,
): Promise<readonly JobEvent[]> {
  const events: JobEvent[] = [];
  const response = await openEvents(client, location, id);
  await readEvents(response, undefined, (event) => void events.push(event));
  return events;
}

function randomCut(random: RandomStream): Cut {
  if (random.uniform() > CUT_PART) return undefined;
  if (random.uniform() < 0.5) return { bytes: random.below(MAX_CUT_BYTES) };
  return { ms: random.below(MAX_CUT_MS) };
}

function openEvents(
  { origin, key }: ServiceClient,
  location: string,
  lastId: string | undefined,
): Promise<IncomingMessage> {
  const headers = { 'x-api-key': key, ...(lastId !== undefined && { 'last-event-id': lastId }) };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(`${origin}${location}/events`, { headers, agent: false }, resolve).on('error', reject);
  return promise;
}

/** Reads whole events until the stream ends or is cut; gives whether it was cut. */
async function readEvents(
  response: IncomingMessage,
  cut: Cut,
  onEvent: (event: JobEvent) => void,
): Promise<boolean> {
  let isCut = false;
  const breakOff = () => {
    isCut = true;
    response.destroy();
  };
  const timer = cut && 'ms' in cut ? setTimeout(breakOff, cut.ms) : undefined;
  let left = cut && 'bytes' in cut ? cut.bytes : Infinity;
  let rest = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const read = (chunk: Buffer) => {
    const blocks = (rest + chunk.subarray(0, left).toString('latin1')).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== undefined) onEvent(event);
    }
    left -= chunk.length;
    if (left <= 0) breakOff();
  };
  response.on('data', (chunk: Buffer) => {
    if (isCut) return;
    try {
      read(chunk);
    } catch (error) {
      reject(error);
      response.destroy();
    }
  });
  response.on('close', resolve).on('error', () => resolve());
  await promise;
  clearTimeout(timer);
  return isCut;
}

/** The event of a block; undefined of comments and of what only says when to come back. */
export function parseEvent(block: string): JobEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const [id, event, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
  if (id === undefined || event === undefined || data === undefined) return undefined;
  const schema = SCHEMAS.get(event);
  if (schema === undefined) throw new Error(`an event "${event}"`);
  // Messages may have letters outside ASCII, which were read byte by byte.
  return { id, event, data: schema.parse(JSON.parse(Buffer.from(data, 'latin1').toString())) };
}
