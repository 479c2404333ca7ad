/**
 * A mixed load on a service that is killed again and again at random, while it starts too: every job
 * that was acknowledged has to complete, once. What is submitted and when the service is killed follows
 * from the seed; how far the service was by then, from the machine.
 *
 * Most submissions bear an Idempotency-Key and are repeated until they are acknowledged. Some circuits
 * whose caller waits bear none: where the service dies under one, nothing was promised.
 */
import { copyFileSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFinal, type Job } from '../../../src/jobs/job.ts';
import { SqliteJobStore } from '../../../src/jobs/sqlite-job-store.ts';
import { taskFactsOf } from '../../../src/service/work/read-task.ts';
import { DATABASE_FILE, openDatabase } from '../../../src/storage/database.ts';
import { RandomStream } from '../random-stream.ts';
import { recordOf, ServiceClient } from '../service-client.ts';
import { type ServiceProcess, startServiceProcess, temporaryFolder } from '../service-process.ts';
import { MIXED_LOAD_SETTINGS } from './mixed-load.ts';
import { createWorkDeck, type Work, type WorkDeck } from './work-deck.ts';

const KEYLESS_PART = 0.5;
const LOOK_EVERY_MS = 150;
const KILLED_AT_START_PART = 0.2;

/** Options of a load with kills. */
export interface KillLoadOptions {
  readonly dataDir: string;
  readonly keys: readonly string[];
  /** Kills, at least: there are more where no job was running at any of them. */
  readonly kills: number;
  readonly lanes: number;
  readonly seed: number;
  /** A service lives at most so long. */
  readonly maxUptimeMs: number;
}

/** Report on a load with kills. */
export interface KillReport {
  kills: number;
  /** Of those, while the service was starting. */
  killsAtStart: number;
  seconds: number;
  /** Jobs that were acknowledged. */
  accepted: number;
  completed: number;
  /** Jobs whose caller waited without a key and got no answer; some ran all the same. */
  unanswered: number;
  /** How often a job was running when the service was killed. */
  interruptions: number;
  /** Kills at which exactly one job was running. */
  alone: number;
  mostAttempts: number;
  /** Of any job; at QCS_JOB_ATTEMPTS it would have been given up. */
  mostSuspicion: number;
  readonly faults: string[];
}

interface AcceptedJob {
  readonly client: number;
  readonly location: string;
  /** The data of its record once it was final. */
  readonly final: string;
}

/** Runs the load. */
export async function runKillLoad(options: KillLoadOptions): Promise<KillReport> {
  return await new KillLoad(options).run();
}

/** All jobs as the file has them; nobody else has it open. */
async function jobsIn(dataDir: string): Promise<readonly Job[]> {
  const database = openDatabase(`${dataDir}/${DATABASE_FILE}`);
  try {
    return await new SqliteJobStore(database).list({ limit: 1_000_000, isBrief: true });
  } finally {
    database.close();
  }
}

/** Jobs that the killed service was running. Seen in a copy: the next one is to find the files as they are. */
function numRunningIn(dataDir: string): number {
  using copy = temporaryFolder();
  for (const end of ['', '-wal']) {
    const name = `${DATABASE_FILE}${end}`;
    if (existsSync(`${dataDir}/${name}`))
      copyFileSync(`${dataDir}/${name}`, `${copy.path}/${name}`);
  }
  using database = new DatabaseSync(`${copy.path}/${DATABASE_FILE}`);
  const count = database.prepare(`SELECT count(*) AS n FROM jobs WHERE status = 'running'`).get();
  return Number(count?.['n']);
}

class KillLoad {
  readonly #options: KillLoadOptions;
  readonly #report: KillReport = {
    kills: 0,
    killsAtStart: 0,
    seconds: 0,
    accepted: 0,
    completed: 0,
    unanswered: 0,
    interruptions: 0,
    alone: 0,
    mostAttempts: 0,
    mostSuspicion: 0,
    faults: [],
  };
  readonly #accepted: AcceptedJob[] = [];
  /** The service that runs now, or is about to. */
  #service = Promise.withResolvers<ServiceProcess>();
  #isOver = false;

  constructor(options: KillLoadOptions) {
    this.#options = options;
  }

  async run(): Promise<KillReport> {
    const { dataDir, lanes, seed } = this.#options;
    const begun = performance.now();
    const killing = this.#killAgainAndAgain();
    // Its error ends all that wait for a service.
    killing.catch((error) => this.#service.reject(error));
    const published = await this.#client(0, (client) => client.publishedWork());
    const deck = createWorkDeck(published, new RandomStream(seed));
    await Promise.all(Array.from({ length: lanes }, (_, place) => this.#lane(place, deck)));
    await killing;
    await this.#checkRecords();
    const service = await this.#service.promise;
    await service.stop('SIGTERM');
    this.#checkStored(await jobsIn(dataDir));
    this.#report.seconds = (performance.now() - begun) / 1000;
    return this.#report;
  }

  async #killAgainAndAgain(): Promise<void> {
    const { dataDir, kills, seed, maxUptimeMs } = this.#options;
    const report = this.#report;
    const random = new RandomStream(seed + 1);
    while (report.kills < kills || report.interruptions === 0) {
      const isAtStart = random.uniform() < KILLED_AT_START_PART;
      const lifeMs = random.below(maxUptimeMs);
      const end = new AbortController();
      const timer = isAtStart ? setTimeout(() => end.abort(), lifeMs) : undefined;
      const service = await startServiceProcess(dataDir, MIXED_LOAD_SETTINGS, {
        signal: end.signal,
      }).catch((error) => {
        if (!end.signal.aborted) throw error;
      });
      clearTimeout(timer);
      if (service === undefined) report.killsAtStart++;
      else {
        this.#service.resolve(service);
        await sleep(lifeMs);
        this.#service = Promise.withResolvers();
        await service.stop('SIGKILL');
        const running = numRunningIn(dataDir);
        report.interruptions += running;
        if (running === 1) report.alone++;
      }
      report.kills++;
    }
    this.#isOver = true;
    this.#service.resolve(await startServiceProcess(dataDir, MIXED_LOAD_SETTINGS));
  }

  async #lane(place: number, deck: WorkDeck): Promise<void> {
    const { seed, keys } = this.#options;
    const random = new RandomStream(seed + 2 + place);
    for (let i = 0; !this.#isOver; i++) {
      const work = deck(random);
      const client = random.below(keys.length);
      const isKeyless = work.name === 'circuit, waiting' && random.uniform() < KEYLESS_PART;
      const location = isKeyless
        ? await this.#submitOnce(client, work)
        : await this.#submit(client, work, `lane ${place}, job ${i}`);
      if (location !== undefined) await this.#follow(client, location, work);
    }
  }

  /** Repeats the submission until it is acknowledged. */
  async #submit(client: number, work: Work, key: string): Promise<string | undefined> {
    const headers = { ...work.headers, 'idempotency-key': key };
    const answer = await this.#client(client, (each) =>
      each.request('POST', work.path, { body: work.body, headers }),
    );
    return this.#locationIn(answer, work);
  }

  async #submitOnce(client: number, work: Work): Promise<string | undefined> {
    const service = await this.#service.promise;
    const each = this.#clientOf(service, client);
    const { path, body, headers } = work;
    const answer = await each.request('POST', path, { body, headers }).catch(() => undefined);
    if (answer === undefined) this.#report.unanswered++;
    return answer && this.#locationIn(answer, work);
  }

  #locationIn(
    { status, headers, text }: { status: number; headers: Headers; text: string },
    { name }: Work,
  ): string | undefined {
    const location = headers.get('location');
    if (status === 201 && location !== null) {
      this.#report.accepted++;
      return location;
    }
    this.#report.faults.push(`${name} was answered ${status} ${text.slice(0, 300)}`);
    return undefined;
  }

  async #follow(client: number, location: string, work: Work): Promise<void> {
    for (;;) {
      const answer = await this.#client(client, (each) => each.request('GET', location));
      if (answer.status !== 200) {
        this.#report.faults.push(`${location}: ${answer.status} ${answer.text.slice(0, 300)}`);
        return;
      }
      const record = recordOf(answer);
      if (isFinal(record.status)) {
        const fault =
          record.status === 'completed'
            ? work.faultOf(record)
            : `${record.status} ${JSON.stringify(record.error)}`;
        if (fault !== undefined) this.#report.faults.push(`${work.name} ${location}: ${fault}`);
        this.#accepted.push({ client, location, final: JSON.stringify(answer.data) });
        return;
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Final records stay as they were, over every restart. */
  async #checkRecords(): Promise<void> {
    for (const { client, location, final } of this.#accepted) {
      const { data } = await this.#client(client, (each) => each.request('GET', location));
      if (JSON.stringify(data) === final) continue;
      this.#report.faults.push(`${location} became ${JSON.stringify(data)} after ${final}`);
    }
  }

  /** There is every job that was acknowledged, its tasks where it is a plan, and nothing else. */
  #checkStored(stored: readonly Job[]): void {
    const report = this.#report;
    const idOf = (location: string) => location.slice(location.lastIndexOf('/') + 1);
    const accepted = new Set(this.#accepted.map(({ location }) => idOf(location)));
    const isOfPlan = ({ kind, request }: Job) =>
      kind === 'task' && accepted.has(taskFactsOf(request).parent ?? '');
    const found = stored.filter(({ id }) => accepted.has(id));
    if (found.length !== report.accepted) {
      report.faults.push(`${report.accepted} jobs were accepted, ${found.length} are stored`);
    }
    const others = stored.filter((job) => !accepted.has(job.id) && !isOfPlan(job));
    if (others.length > report.unanswered) {
      report.faults.push(`${others.length} jobs are of nobody, ${report.unanswered} unanswered`);
    }
    for (const { id, status, error } of stored) {
      if (status !== 'completed') {
        report.faults.push(`${id} is ${status} ${JSON.stringify(error ?? {})}`);
      }
    }
    report.completed = found.filter(({ status }) => status === 'completed').length;
    report.mostAttempts = Math.max(0, ...stored.map(({ attempts }) => attempts));
    report.mostSuspicion = Math.max(0, ...stored.map(({ suspicion = 0 }) => suspicion));
  }

  /** Does something with a service that runs, again where it is killed over it. */
  async #client<T>(place: number, act: (client: ServiceClient) => Promise<T>): Promise<T> {
    for (;;) {
      const service = await this.#service.promise;
      try {
        return await act(this.#clientOf(service, place));
      } catch (error) {
        if (service === (await this.#current())) throw error;
      }
    }
  }

  /** The service that is running; undefined between two. */
  #current(): Promise<ServiceProcess | undefined> {
    return Promise.race([this.#service.promise, sleep(0, undefined)]);
  }

  #clientOf({ origin }: ServiceProcess, place: number): ServiceClient {
    return new ServiceClient(origin, this.#options.keys[place] ?? '');
  }
}
