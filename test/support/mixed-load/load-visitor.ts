/** Reads of a mixed load between its jobs: listings, views of everything, and the end of it all. */
import { z } from 'zod';
import { isFinal } from '../../../src/jobs/job.ts';
import { JOB_RESOURCES, type JobResource } from '../../../src/service/jobs/job-resources.ts';
import { jobFields } from '../../../src/service/jobs/job-schema.ts';
import type { RandomStream } from '../random-stream.ts';
import type { ServiceClient } from '../service-client.ts';
import type { JobTimeline } from './job-timeline.ts';
import type { LoadReport } from './load-report.ts';

const VIEWS = [
  '/agents',
  '/agents/research',
  '/systems',
  '/systems/quantum-os',
  '/quantum/processors',
  '/status',
  '/models',
  '/keys/info',
] as const;

const entry = z.looseObject(jobFields);
const pool = z.looseObject({ chips: z.int(), available_chips: z.int() });
const fleetView = z.looseObject({
  ...pool.shape,
  jobs_placed: z.int(),
  jobs_waiting: z.int(),
  zones: z.array(z.looseObject({ zone: z.string(), jobs_waiting: z.int(), types: z.array(pool) })),
});
const counts = z.record(z.string(), z.int());
const systemView = z.looseObject({
  detail: z.looseObject({
    queue_depth: z.int(),
    jobs_in_flight: z.record(z.string(), counts),
    work_processes: z.looseObject({ waiting: z.int() }),
  }),
});

/** A job in a listing. */
export interface ListedJob {
  readonly id: string;
  readonly status: z.output<typeof entry>['status'];
  readonly parentId: string | undefined;
}

/** Reads one page or more of a random listing, or a random view, and checks what it shows. */
export async function visit(
  client: ServiceClient,
  random: RandomStream,
  timelineOf: (id: string) => JobTimeline,
  report: LoadReport,
): Promise<void> {
  const choice = random.uniform();
  if (choice < 0.4) {
    await readListing(client, random.pick(JOB_RESOURCES), 1 + random.below(40), timelineOf, 3);
  } else if (choice < 0.6) checkChips(await readFleet(client), report);
  else {
    const path = random.pick(VIEWS);
    const { status, sentAt, receivedAt } = await client.request('GET', path);
    report.requestMs.add(['views'], receivedAt - sentAt);
    if (status !== 200) report.fault(`GET ${path}: ${status}`);
  }
}

/**
 * Reads a listing page by page, newest first.
 *
 * @throws where a job is there twice or in the wrong place.
 */
export async function readListing(
  client: ServiceClient,
  { path, listName, idName }: JobResource,
  limit: number,
  timelineOf: (id: string) => JobTimeline,
  maxPages = Infinity,
): Promise<readonly ListedJob[]> {
  const found: ListedJob[] = [];
  let cursor = '';
  let last: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const answer = await client.request('GET', `${path}?limit=${limit}${cursor}`);
    const { sentAt, receivedAt } = answer;
    const data = z.looseObject({ next_cursor: z.string().nullable() }).parse(answer.data);
    for (const each of z.array(entry).parse(data[listName])) {
      const id = String(each[idName]);
      // Newest first, and by id where several began in one millisecond.
      const order = `${String(each['created_at'])} ${id}`;
      if (last !== undefined && order >= last) throw new Error(`${order} is listed after ${last}`);
      last = order;
      const parentId = each['parent_id'] === undefined ? undefined : String(each['parent_id']);
      found.push({ id, status: each.status, parentId });
      const { status, progress } = each;
      timelineOf(id).see({ status, progress, sentAt, receivedAt });
    }
    if (data.next_cursor === null) break;
    cursor = `&cursor=${data.next_cursor}`;
  }
  return found;
}

async function readFleet(client: ServiceClient): Promise<z.output<typeof fleetView>> {
  return fleetView.parse(await client.get('/tpu/fleet'));
}

/** No pool has more chips free than there are, and the zones make up the whole. */
function checkChips(fleet: z.output<typeof fleetView>, report: LoadReport): void {
  const pools = fleet.zones.flatMap(({ types }) => types);
  for (const { chips, available_chips: free } of pools) {
    if (free < 0 || free > chips) report.fault(`a zone has ${free} of ${chips} chips free`);
  }
  const free = pools.reduce((sum, each) => sum + each.available_chips, 0);
  if (free !== fleet.available_chips) {
    report.fault(`zones have ${free} chips free, the fleet ${fleet.available_chips}`);
  }
  for (const { zone, jobs_waiting: waiting } of fleet.zones) {
    if (waiting > 0) report.zonesWithLines.add(zone);
  }
}

/** Work that has not ended, in words; empty when all is well. A self-test may be among it for a while. */
export async function unrestOf(client: ServiceClient): Promise<readonly string[]> {
  const unrest: string[] = [];
  const fleet = await readFleet(client);
  if (fleet.available_chips !== fleet.chips || fleet.jobs_placed + fleet.jobs_waiting > 0) {
    unrest.push(
      `${fleet.available_chips} of ${fleet.chips} chips are free, ${fleet.jobs_placed} jobs placed, ${fleet.jobs_waiting} waiting`,
    );
  }
  const { detail } = systemView.parse(await client.get('/systems/quantum-os'));
  for (const [kind, { queued, running }] of Object.entries(detail.jobs_in_flight)) {
    if (queued !== 0 || running !== 0) {
      unrest.push(`${kind}: ${queued} jobs queued, ${running} running`);
    }
  }
  if (detail.queue_depth > 0) unrest.push(`${detail.queue_depth} circuits wait`);
  const { waiting } = detail.work_processes;
  if (waiting > 0) unrest.push(`${waiting} calls wait for a process`);
  return unrest;
}

/** Whether the final listing of a key has exactly its jobs, all of them final. */
export function listingFaults(
  listed: readonly ListedJob[],
  submitted: ReadonlySet<string>,
): readonly string[] {
  const ids = new Set(listed.map(({ id }) => id));
  const lost = [...submitted].filter((id) => !ids.has(id)).map((id) => `${id} is not listed`);
  const extra = listed
    .filter(({ id, parentId }) => !submitted.has(id) && !submitted.has(parentId ?? ''))
    .map(({ id }) => `${id} is listed, and nobody submitted it`);
  const open = listed
    .filter(({ status }) => !isFinal(status))
    .map(({ id, status }) => `${id} is ${status} at the end`);
  return [...lost, ...extra, ...open];
}
