/**
 * A load of jobs of all kinds on a running service, by several keys at once: circuits, tasks, plans, TPU
 * jobs in all zones, with cancels, repeats, listings and views in between, and watchers whose
 * connections break. What it does follows from its seed; when it does it, from how fast the service is.
 *
 * It is a closed loop of lanes: each submits a job and follows it to its end, or has it followed from
 * afar and goes on, so that more wait than there are lanes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isJobId } from '../../../src/jobs/job.ts';
import { DEFAULT_SCOPES, type Tier } from '../../../src/service/http/api-key.ts';
import { JOB_RESOURCES } from '../../../src/service/jobs/job-resources.ts';
import { createSqliteKeyStore } from '../../../src/service/keys/sqlite-key-store.ts';
import { DATABASE_FILE, openDatabase } from '../../../src/storage/database.ts';
import { eventually } from '../eventually.ts';
import { RandomStream } from '../random-stream.ts';
import { ServiceClient } from '../service-client.ts';
import { JobTimeline } from './job-timeline.ts';
import { runLoadJob } from './load-job.ts';
import { LoadReport } from './load-report.ts';
import { listingFaults, readListing, unrestOf, visit } from './load-visitor.ts';
import { createWorkDeck, type WorkDeck } from './work-deck.ts';

/** Settings with which the service must be started, so that the load does not meet its limits. */
export const MIXED_LOAD_SETTINGS = {
  QCS_ENGINE: 'cpu',
  QCS_RATE_LIMIT_STANDARD: '1000000',
  QCS_RATE_LIMIT_ENTERPRISE: '1000000',
  QCS_IN_FLIGHT_STANDARD: '10000',
  QCS_IN_FLIGHT_ENTERPRISE: '10000',
  QCS_METRICS_ADDRESSES: '127.0.0.1',
  QCS_LOG_LEVEL: 'warn',
} as const;

const TIERS: readonly Tier[] = ['standard', 'standard', 'standard', 'enterprise', 'enterprise'];
const UNFOLLOWED_PART = 0.25;
const LOOK_EVERY_MS = 120;
const LOOK_FROM_AFAR_MS = 1000;
const VISITORS = 2;
const VISIT_EVERY_MS = 60;

/** Options of a load. */
export interface MixedLoadOptions {
  readonly origin: string;
  readonly keys: readonly string[];
  /** Jobs are submitted until this holds; then all are waited for. */
  readonly isEnough: (report: LoadReport, seconds: number) => boolean;
  readonly lanes: number;
  readonly seed: number;
}

/** Makes keys of both tiers in a data folder, before the service starts on it. */
export async function createLoadKeys(dataDir: string): Promise<readonly string[]> {
  const database = openDatabase(`${dataDir}/${DATABASE_FILE}`);
  try {
    const store = createSqliteKeyStore(database);
    const keys: string[] = [];
    for (const [place, tier] of TIERS.entries()) {
      const name = `load ${place}`;
      const newKey = { name, tier, scopes: DEFAULT_SCOPES, createdAt: 1 };
      const { text } = await store.create(newKey, 'the load');
      keys.push(text);
    }
    return keys;
  } finally {
    database.close();
  }
}

/** Runs the load; what was wrong is in the report. */
export async function runMixedLoad(options: MixedLoadOptions): Promise<LoadReport> {
  return await new MixedLoad(options).run();
}

/** Resolves once nothing is in hand any more; what never goes is in the error of the test's limit. */
async function atRest(client: ServiceClient): Promise<void> {
  await eventually(async () => {
    const unrest = await unrestOf(client);
    if (unrest.length > 0) throw new Error(`At the end: ${unrest.join('; ')}`);
  });
}

/** One run. */
class MixedLoad {
  readonly #options: MixedLoadOptions;
  readonly #clients: readonly ServiceClient[];
  readonly #report = new LoadReport();
  readonly #timelines = new Map<string, JobTimeline>();
  /** Ids by the key that submitted them. */
  readonly #submitted = new Map<ServiceClient, Set<string>>();
  /** Jobs that are followed from afar. */
  readonly #unfollowed = new Set<Promise<void>>();
  #isOver = false;

  constructor(options: MixedLoadOptions) {
    this.#options = options;
    this.#clients = options.keys.map((key) => new ServiceClient(options.origin, key));
    for (const client of this.#clients) this.#submitted.set(client, new Set());
  }

  async run(): Promise<LoadReport> {
    const { lanes, seed } = this.#options;
    const [first] = this.#clients;
    if (first === undefined) throw new Error('a load without keys');
    const deck = createWorkDeck(await first.publishedWork(), new RandomStream(seed));
    const begun = performance.now();
    const visiting = Array.from({ length: VISITORS }, (_, place) => this.#visit(place));
    await Promise.all(Array.from({ length: lanes }, (_, place) => this.#lane(place, deck, begun)));
    await Promise.all(this.#unfollowed);
    this.#report.seconds = (performance.now() - begun) / 1000;
    this.#isOver = true;
    await Promise.all(visiting);
    await this.#checkEnd(first);
    return this.#report;
  }

  async #lane(place: number, deck: WorkDeck, begun: number): Promise<void> {
    const { seed, lanes, isEnough } = this.#options;
    const random = new RandomStream(seed + 1 + place);
    for (let i = 0; !isEnough(this.#report, (performance.now() - begun) / 1000); i++) {
      const isFar = random.uniform() < UNFOLLOWED_PART && this.#unfollowed.size < 2 * lanes;
      const client = random.pick(this.#clients);
      const job = this.#guarded(
        runLoadJob({
          client,
          work: deck(random),
          // Of its own where the lane goes on drawing meanwhile.
          random: isFar ? new RandomStream(seed + 1_000_000 * (1 + place) + i) : random,
          name: `lane ${place}, job ${i}`,
          lookEveryMs: isFar ? LOOK_FROM_AFAR_MS : LOOK_EVERY_MS,
          report: this.#report,
          timelineOf: (id) => this.#timelineOf(id),
          onSubmitted: (id) => void this.#submitted.get(client)?.add(id),
        }),
      );
      if (isFar) {
        this.#unfollowed.add(job);
        void job.then(() => this.#unfollowed.delete(job));
      } else await job;
    }
  }

  async #visit(place: number): Promise<void> {
    const random = new RandomStream(this.#options.seed + 10_000 + place);
    while (!this.#isOver) {
      const client = random.pick(this.#clients);
      await this.#guarded(visit(client, random, (id) => this.#timelineOf(id), this.#report));
      await sleep(random.below(VISIT_EVERY_MS));
    }
  }

  /** Nothing is lost, nothing is left, nothing went back, and the service blamed itself for nothing. */
  async #checkEnd(first: ServiceClient): Promise<void> {
    const report = this.#report;
    for (const [client, ids] of this.#submitted) {
      for (const resource of JOB_RESOURCES) {
        const own = new Set([...ids].filter((id) => isJobId(id, resource.kind)));
        const listed = await readListing(client, resource, 100, (id) => this.#timelineOf(id));
        for (const fault of listingFaults(listed, own)) report.fault(fault);
      }
    }
    await atRest(first);
    for (const [id, { faults }] of this.#timelines) {
      for (const fault of faults) report.fault(`${id}: ${fault}`);
    }
    for (const { serverFaults } of this.#clients) {
      for (const fault of serverFaults) report.fault(fault);
    }
  }

  #timelineOf(id: string): JobTimeline {
    const found = this.#timelines.get(id) ?? new JobTimeline();
    this.#timelines.set(id, found);
    return found;
  }

  async #guarded(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#report.fault(error instanceof Error ? `${error.stack}` : String(error));
    }
  }
}
