/** One job of a mixed load: submitted, followed, perhaps cancelled, and held to what was promised. */
import { isFinal } from '../../../src/jobs/job.ts';
import type { RandomStream } from '../random-stream.ts';
import { type Answer, type JobRecord, recordOf, type ServiceClient } from '../service-client.ts';
import { eventFaults, type JobEvent } from './event-sequence.ts';
import type { JobTimeline } from './job-timeline.ts';
import { eventsAfter, watchJob } from './job-watcher.ts';
import type { LoadReport } from './load-report.ts';
import type { Work } from './work-deck.ts';

const WATCHED_PART = 0.35;
const CANCELLED_PART = 0.15;
const KEYED_PART = 0.3;
const MAX_CANCEL_AFTER_MS = 400;
/** Work whose caller waits for the result. */
const WAITING: ReadonlySet<string> = new Set([
  'circuit, waiting',
  'circuit, wait=1',
  'batch, waiting',
]);

/** Parameters of one job's run. */
export interface JobContext {
  readonly client: ServiceClient;
  readonly work: Work;
  readonly random: RandomStream;
  /** Unique among all jobs of the load. */
  readonly name: string;
  /** Milliseconds between two looks at it, at most. */
  readonly lookEveryMs: number;
  readonly report: LoadReport;
  readonly timelineOf: (id: string) => JobTimeline;
  /** Told the id once it is known. */
  readonly onSubmitted: (id: string) => void;
}

/** Runs it to its end. */
export async function runLoadJob(context: JobContext): Promise<void> {
  const { client, work, random, name, report, timelineOf, onSubmitted } = context;
  const idempotencyKey = random.uniform() < KEYED_PART ? name : undefined;
  const location = await submit(context, idempotencyKey);
  if (location === undefined) return;
  const id = location.slice(location.lastIndexOf('/') + 1);
  onSubmitted(id);
  const timeline = timelineOf(id);
  const isWatched = random.uniform() < WATCHED_PART;
  const isCancelled = random.uniform() < CANCELLED_PART;
  const [record, watched] = await Promise.all([
    lookUntilFinal(context, location, timeline),
    isWatched ? watchJob(client, location, random, noteEvents(timeline)) : undefined,
    isCancelled ? cancel(context, location, timeline) : undefined,
  ]);
  const faults = [...outcomeFaults(work, record, isCancelled)];
  count(report, work.name, record, timeline);
  if (watched !== undefined) {
    report.watched++;
    report.reconnects += watched.reconnects;
    report.eventsSeen += watched.events.length;
    report.progressEvents += watched.events.filter(({ event }) => event === 'progress').length;
    faults.push(...eventFaults(watched.events, record));
    faults.push(...(await replayFaults(context, location, watched.events)));
  }
  if (idempotencyKey !== undefined) faults.push(...(await repeatFaults(context, id, name)));
  for (const fault of faults) report.fault(`${work.name} ${id}: ${fault}`);
}

/** Submits the work, at times twice at once; gives where the record is. */
async function submit(
  { client, work, random, report }: JobContext,
  idempotencyKey: string | undefined,
): Promise<string | undefined> {
  const isDouble = idempotencyKey !== undefined && random.uniform() < 0.3;
  const answers = await Promise.all(
    Array.from({ length: isDouble ? 2 : 1 }, () => post(client, work, idempotencyKey)),
  );
  const locations = new Set(answers.map(({ headers }) => headers.get('location')));
  const [location] = locations;
  const refused = answers.find(({ status }) => status !== 201);
  if (refused !== undefined || !location) {
    report.fault(`${work.name}: ${refused?.status} ${refused?.text.slice(0, 300)}`);
    return undefined;
  }
  if (locations.size > 1) report.fault(`${work.name}: two at once became ${[...locations]}`);
  if (isDouble) report.repeats++;
  for (const { sentAt, receivedAt } of answers) {
    report.requestMs.add([WAITING.has(work.name) ? work.name : 'submissions'], receivedAt - sentAt);
  }
  return location;
}

function post(
  client: ServiceClient,
  { path, body, headers }: Work,
  idempotencyKey: string | undefined,
): Promise<Answer> {
  return client.request('POST', path, {
    body,
    headers: { ...headers, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) },
  });
}

/** Looks at the record now and then until it is final; the load ends with its last job. */
async function lookUntilFinal(
  { client, random, lookEveryMs, report }: JobContext,
  location: string,
  timeline: JobTimeline,
): Promise<JobRecord> {
  for (;;) {
    const answer = await client.request('GET', location);
    const record = recordOf(answer);
    const { sentAt, receivedAt } = answer;
    timeline.see({ status: record.status, progress: record.progress, sentAt, receivedAt });
    report.requestMs.add(['records'], receivedAt - sentAt);
    if (isFinal(record.status)) return record;
    await sleep(random.below(lookEveryMs));
  }
}

function noteEvents(timeline: JobTimeline): (event: JobEvent) => void {
  return ({ event, data }) => {
    const { status, progress } = data;
    if (event === 'progress') timeline.hear('running', Number(progress), performance.now());
    else if (status === 'running') timeline.hear('running', undefined, performance.now());
  };
}

/** Cancels after a while; whatever came first, the job is final then. */
async function cancel(
  { client, random, report, work }: JobContext,
  location: string,
  timeline: JobTimeline,
): Promise<void> {
  await sleep(random.below(MAX_CANCEL_AFTER_MS));
  const answer = await client.request('POST', `${location}/cancel`);
  const { status } = recordOf(answer);
  report.cancelsAsked++;
  timeline.see({ status, sentAt: answer.sentAt, receivedAt: answer.receivedAt });
  if (!isFinal(status)) report.fault(`${work.name}: ${status} after a cancel, at ${location}`);
}

function outcomeFaults(work: Work, record: JobRecord, isCancelled: boolean): readonly string[] {
  if (record.status === 'completed') {
    const fault = work.faultOf(record);
    return fault === undefined ? [] : [fault];
  }
  if (record.status === 'cancelled' && isCancelled) return [];
  return [`${record.status} ${JSON.stringify(record.error ?? {})}`];
}

function count(
  report: LoadReport,
  name: string,
  { status, created_at, started_at, finished_at }: JobRecord,
  timeline: JobTimeline,
): void {
  if (status === 'queued' || status === 'running') return;
  report.ended(name, status);
  if (timeline.statuses.has('running')) report.sawRunning++;
  if (status !== 'completed') return;
  const created = Date.parse(created_at);
  report.jobMs.add([name], Date.parse(finished_at ?? '') - created);
  report.queueMs.add([name], Date.parse(started_at ?? '') - created);
}

/** Who comes back with any earlier id gets what came after it, also when all is over. */
async function replayFaults(
  { client, random }: JobContext,
  location: string,
  events: readonly JobEvent[],
): Promise<readonly string[]> {
  const { id } = random.pick(events);
  const isStatus = ({ event }: JobEvent) => event !== 'progress';
  const idsOf = (list: readonly JobEvent[]) => list.filter(isStatus).map((each) => each.id);
  const place = events.findLastIndex((each) => each.id === id);
  const missed = idsOf(events.slice(place + 1));
  const told = idsOf(await eventsAfter(client, location, id));
  if (told.join() === missed.join()) return [];
  return [`after ${id} was told [${told}] later, and [${missed}] at the time`];
}

/** A repeat finds the job; the key with another body is refused. */
async function repeatFaults(
  { client, work, report }: JobContext,
  id: string,
  idempotencyKey: string,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const again = await post(client, work, idempotencyKey);
  report.repeats++;
  const found = again.headers.get('location') ?? '';
  if (again.status !== 201 || !found.endsWith(id)) faults.push(`a repeat found ${found}`);
  if (again.headers.get('idempotent-replayed') !== 'true') faults.push('a repeat was no replay');
  const other = { ...work, body: { ...work.body, priority: 'low', target_processor: 'gpu-fleet' } };
  if (JSON.stringify(other.body) === JSON.stringify(work.body)) return faults;
  const { status } = await post(client, other, idempotencyKey);
  if (status !== 400) faults.push(`another body with its key was answered ${status}`);
  return faults;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
