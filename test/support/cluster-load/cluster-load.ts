/**
 * A mixed load on a cluster, by clients behind a load balancer: circuits whose callers wait and others, batches, tasks,
 * plans and TPU jobs; repeats, cancels, reads, listings, events and deletions, all at any node. What a client does
 * follows from the seed; what it meets, from the faults. Everything that clients are told goes to a witness.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isFinal } from '../../../src/jobs/job.ts';
import { JOB_RESOURCES } from '../../../src/service/jobs/job-resources.ts';
import { jobFields } from '../../../src/service/jobs/job-schema.ts';
import type { Cluster } from '../cluster.ts';
import { lastingCircuit } from '../lasting-circuit.ts';
import { parseEvent } from '../mixed-load/job-watcher.ts';
import { createWorkDeck, type Work, type WorkDeck } from '../mixed-load/work-deck.ts';
import { RandomStream } from '../random-stream.ts';
import { ServiceClient } from '../service-client.ts';
import {
  BalancedClient,
  LoadBalancer,
  type NodeAnswer,
  type RequestCounts,
} from './balanced-client.ts';
import { type Acknowledged, Witness } from './witness.ts';

const SEEDED_PART = 0.45;
const KEYLESS_PART = 0.3;
const DOUBLE_PART = 0.2;
const REPEATED_PART = 0.25;
const WATCHED_PART = 0.3;
const CANCELLED_PART = 0.12;
const DELETED_PART = 0.08;
const LOOK_EVERY_MS = 150;
const VISIT_EVERY_MS = 100;
const MAX_CANCEL_AFTER_MS = 300;
/** Longest wait of a caller that waits for its job. */
const CALLER_WAITS_MS = 30_000;
/** A job that is not final after so long fails the run. */
const JOB_MS = 300_000;
const NAME = 'load';

const record = z.looseObject(jobFields);
const listing = z.looseObject({ next_cursor: z.string().nullable() });

/** Circuits with seeds, each of which gives the same counts whenever and wherever it runs. */
const SEEDED: readonly Readonly<Record<string, unknown>>[] = [
  { circuit: bell(), target_processor: 'statevector-sim', shots: 100, seed: 7 },
  { circuit: bell(), target_processor: 'gpu-fleet', shots: 1000, seed: 8 },
  { circuit: lastingCircuit(5, 4), target_processor: 'statevector-sim', shots: 500, seed: 9 },
  { circuit: lastingCircuit(8, 10), target_processor: 'gpu-fleet', shots: 300, seed: 10 },
  { circuit: lastingCircuit(12, 20), target_processor: 'statevector-sim', shots: 300, seed: 11 },
  { circuit: lastingCircuit(15, 12), target_processor: 'gpu-fleet', shots: 200, seed: 12 },
  // These take a second or so, and are seldom through when a node goes.
  { circuit: measuredOften(), target_processor: 'statevector-sim', shots: 100, seed: 13 },
  { circuit: measuredOften(), target_processor: 'gpu-fleet', shots: 150, seed: 14 },
];

function bell() {
  return [
    { gate: 'H', qubit: 0 },
    { gate: 'CX', control: 0, target: 1 },
  ];
}

/** Every shot has a state of its own. */
function measuredOften() {
  const qubits = Array.from({ length: 16 }, (_, qubit) => qubit);
  const layer = [...lastingCircuit(16, 1), { gate: 'M', qubits, bits: qubits }];
  return Array.from({ length: 30 }, () => layer).flat();
}

/** Counts of a load. */
export interface LoadCounts extends RequestCounts {
  accepted: number;
  completed: number;
  cancelled: number;
  failed: number;
  /** Jobs that ended, as their clients saw. */
  ended: number;
  /** Submissions without a key that were not answered: some of them run all the same. */
  unanswered: number;
  repeats: number;
  watched: number;
  /** Streams of events that broke. */
  reconnects: number;
  cancels: number;
  deletions: number;
  listings: number;
  /** Completed jobs whose counts were compared with those of the control run. */
  compared: number;
}

interface Submission {
  readonly work: Work;
  readonly client: number;
  readonly name: string;
  /** Undefined where nothing is promised without an answer. */
  readonly idempotencyKey: string | undefined;
  /** Place in SEEDED. */
  readonly seeded: number | undefined;
}

/** The load. */
export class ClusterLoad {
  readonly witness = new Witness();
  readonly counts: LoadCounts = {
    requests: 0,
    again: 0,
    answersOf: {},
    accepted: 0,
    completed: 0,
    cancelled: 0,
    failed: 0,
    ended: 0,
    unanswered: 0,
    repeats: 0,
    watched: 0,
    reconnects: 0,
    cancels: 0,
    deletions: 0,
    listings: 0,
    compared: 0,
  };
  readonly #cluster: Cluster;
  readonly #seed: number;
  readonly #clients: readonly BalancedClient[];
  /** Counts of the control run, by the place in SEEDED. */
  readonly #control: unknown[] = [];
  #deck: WorkDeck | undefined;
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(cluster: Cluster, seed: number) {
    const balancer = new LoadBalancer(cluster.apiNodes);
    this.#cluster = cluster;
    this.#seed = seed;
    this.#clients = cluster.keys.map((key) => new BalancedClient(balancer, key, this.counts));
  }

  /** Runs the circuits with seeds once, while nothing fails, and starts the load. */
  async start(lanes: number): Promise<void> {
    const [node] = this.#cluster.apiNodes;
    const client = new ServiceClient(node?.origin ?? '', this.#cluster.keys[0] ?? '');
    this.#deck = createWorkDeck(await client.publishedWork(), new RandomStream(this.#seed));
    for (const body of SEEDED) {
      const answer = await client.request('POST', '/quantum/circuits', { body });
      // On a busy machine the answer can come before the counts.
      const { counts } = record.parse(
        await client.finalRecord(answer.headers.get('location') ?? ''),
      );
      if (counts === undefined) throw new Error(`the control run failed: ${answer.text}`);
      this.#control.push(counts);
    }
    const running = Array.from({ length: lanes }, (_, place) => this.#lane(place));
    this.#running = Promise.all([...running, this.#visit()]);
    // Whoever waits for the load's end hears of it.
    this.#running.catch(() => {});
  }

  /** Resolves once so many more jobs have ended; rejects if the load has failed. */
  async progress(jobs: number): Promise<void> {
    const until = this.counts.ended + jobs;
    const failure = this.#running.then(() => {});
    while (this.counts.ended < until) await Promise.race([failure, sleep(10)]);
  }

  /** Submits no more, and resolves once all jobs have ended and were read again, each at any node. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    for (const job of this.witness.acknowledged.values()) await this.#readAgain(job);
  }

  async #lane(place: number): Promise<void> {
    const random = new RandomStream(this.#seed + 1 + place);
    for (let i = 0; !this.#isOver; i++) {
      const submission = this.#next(random, `${NAME} ${place}.${i}`);
      const job = await this.#submit(submission, random);
      if (job !== undefined) await this.#follow(job, submission, random);
    }
  }

  #next(random: RandomStream, name: string): Submission {
    if (this.#deck === undefined) throw new Error('unreachable: the load has begun');
    const client = random.below(this.#clients.length);
    const idempotencyKey = random.uniform() < KEYLESS_PART ? undefined : name;
    if (random.uniform() >= SEEDED_PART) {
      return { work: this.#deck(random), client, name, idempotencyKey, seeded: undefined };
    }
    const seeded = random.below(SEEDED.length);
    const headers: Readonly<Record<string, string>> =
      random.uniform() < 0.4 ? { prefer: 'respond-async' } : {};
    const work = {
      name: 'circuit, seeded',
      path: '/quantum/circuits',
      body: SEEDED[seeded] ?? {},
      headers,
      faultOf: () => undefined,
    };
    return { work, client, name, idempotencyKey, seeded };
  }

  /** Submits until there is an answer, at times twice at once; gives the job if there is one. */
  async #submit(submission: Submission, random: RandomStream): Promise<Acknowledged | undefined> {
    const { idempotencyKey, work, client } = submission;
    const isDouble = idempotencyKey !== undefined && random.uniform() < DOUBLE_PART;
    const answers = await Promise.all(
      Array.from({ length: isDouble ? 2 : 1 }, () => this.#post(submission)),
    );
    if (isDouble) this.counts.repeats++;
    const jobs = answers.flatMap((answer) => {
      if (answer === undefined) {
        this.counts.unanswered++;
        return [];
      }
      const { status, location, text, node } = answer;
      if (status !== 201 || location === undefined) {
        this.witness.fault(`${work.name} at ${node} was answered ${status} ${text.slice(0, 300)}`);
        return [];
      }
      const job = this.witness.acknowledge(location, client);
      this.#see(job, answer, 'POST');
      return [job];
    });
    const [job, other] = jobs;
    if (job === undefined) return undefined;
    if (other !== undefined && other !== job) {
      this.witness.fault(`one Idempotency-Key became ${job.id} and ${other.id}`);
    }
    this.counts.accepted++;
    return job;
  }

  #post({ work, client, name, idempotencyKey }: Submission): Promise<NodeAnswer | undefined> {
    return this.#client(client).send('POST', work.path, {
      body: { ...work.body, name },
      headers: { ...work.headers, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) },
      isRepeatable: idempotencyKey !== undefined,
      waitMs: CALLER_WAITS_MS,
    });
  }

  async #follow(job: Acknowledged, submission: Submission, random: RandomStream): Promise<void> {
    const isWatched = random.uniform() < WATCHED_PART;
    const isCancelled = random.uniform() < CANCELLED_PART;
    const isRepeated = submission.idempotencyKey !== undefined && random.uniform() < REPEATED_PART;
    const isDeleted = submission.seeded !== undefined && random.uniform() < DELETED_PART;
    job.isCancelled = isCancelled;
    const [data] = await Promise.all([
      this.#untilFinal(job, random),
      isWatched ? this.#watch(job) : undefined,
      isCancelled ? this.#cancel(job, random) : undefined,
      isRepeated ? this.#repeat(job, submission) : undefined,
    ]);
    this.#checkOutcome(job, submission, data);
    if (isDeleted) await this.#delete(job);
    this.counts.ended++;
  }

  async #untilFinal(job: Acknowledged, random: RandomStream): Promise<z.output<typeof record>> {
    const begun = performance.now();
    for (;;) {
      const answer = await this.#client(job.client).get(job.location);
      if (answer.status !== 200) {
        throw new Error(
          `${job.id} at ${answer.node}: ${answer.status} ${answer.text.slice(0, 300)}`,
        );
      }
      if (isFinal(this.#see(job, answer, 'GET'))) return record.parse(answer.data);
      if (performance.now() - begun > JOB_MS) {
        throw new Error(`${job.id} does not end: ${answer.text.slice(0, 300)}`);
      }
      await sleep(random.below(LOOK_EVERY_MS));
    }
  }

  #checkOutcome(
    job: Acknowledged,
    { work, seeded }: Submission,
    data: z.output<typeof record>,
  ): void {
    const { status } = data;
    if (status === 'queued' || status === 'running') throw new Error('unreachable: it is final');
    this.counts[status]++;
    if (status !== 'completed') return;
    const fault = work.faultOf(data);
    if (fault !== undefined) this.witness.fault(`${work.name} ${job.id} ${fault}`);
    if (seeded === undefined) return;
    this.counts.compared++;
    if (JSON.stringify(sorted(data['counts'])) !== JSON.stringify(sorted(this.#control[seeded]))) {
      this.witness.fault(`${job.id} has other counts than the control run with the same seed`);
    }
  }

  /** Reads events to the last one, at another node whenever the stream breaks. */
  async #watch(job: Acknowledged): Promise<void> {
    const begun = performance.now();
    let lastId: string | undefined;
    for (let streams = 0; performance.now() - begun < JOB_MS; streams++) {
      if (streams > 0) this.counts.reconnects++;
      const response = await this.#client(job.client).events(job.location, lastId);
      if (response?.status === 200 && response.body !== null) {
        for await (const event of eventsIn(response.body)) {
          lastId = event.id;
          if (event.event !== 'done') continue;
          const { status, at } = event.data;
          this.witness.hear(job.id, String(status), String(at), 'event done');
          this.counts.watched++;
          return;
        }
      } else if (response !== undefined) {
        await response.body?.cancel();
        if (![502, 503].includes(response.status)) {
          this.witness.fault(`the events of ${job.id} were answered ${response.status}`);
          return;
        }
      }
      await sleep(LOOK_EVERY_MS);
    }
    this.witness.fault(`the events of ${job.id} never came to their end`);
  }

  /** Cancels after a while; whatever came first, the job is final then. */
  async #cancel(job: Acknowledged, random: RandomStream): Promise<void> {
    await sleep(random.below(MAX_CANCEL_AFTER_MS));
    const answer = await this.#client(job.client).send('POST', `${job.location}/cancel`, {
      isRepeatable: true,
    });
    this.counts.cancels++;
    if (answer?.status !== 200) {
      this.witness.fault(
        `the cancel of ${job.id}: ${answer?.status} ${answer?.text.slice(0, 300)}`,
      );
      return;
    }
    const status = this.#see(job, answer, 'cancel');
    if (!isFinal(status)) this.witness.fault(`${job.id} is ${status} after a cancel`);
  }

  /** A repeat with the same key finds the job. */
  async #repeat(job: Acknowledged, submission: Submission): Promise<void> {
    const answer = await this.#post(submission);
    this.counts.repeats++;
    if (answer?.location !== job.location) {
      this.witness.fault(
        `a repeat found ${answer?.location ?? answer?.text.slice(0, 300)}, not ${job.id}`,
      );
      return;
    }
    this.#see(job, answer, 'repeat');
  }

  async #delete(job: Acknowledged): Promise<void> {
    job.isDeleted = true;
    const answer = await this.#client(job.client).send('DELETE', job.location, {
      isRepeatable: true,
    });
    this.counts.deletions++;
    // One that is sent again may find that the first has arrived.
    const isGone = answer?.status === 204 || (answer?.status === 404 && answer.tries > 1);
    if (!isGone) this.witness.fault(`the deletion of ${job.id}: ${answer?.status}`);
    const { status, node } = await this.#client(job.client).get(job.location);
    if (status !== 404) this.witness.fault(`${job.id} is deleted, and ${node} answers ${status}`);
  }

  /** Reads listings, at any node. */
  async #visit(): Promise<void> {
    const random = new RandomStream(this.#seed + 10_000);
    while (!this.#isOver) {
      const { path, listName, idName } = random.pick(JOB_RESOURCES);
      const client = random.below(this.#clients.length);
      const answer = await this.#client(client).get(`${path}?limit=${1 + random.below(30)}`);
      if (answer.status !== 200) {
        this.witness.fault(`the listing ${path} at ${answer.node}: ${answer.status}`);
      } else {
        this.counts.listings++;
        for (const entry of z.array(record).parse(listing.parse(answer.data)[listName])) {
          const id = String(entry[idName]);
          const { sentAt, node } = answer;
          this.witness.see({ id, data: entry, isListing: true, sentAt, how: `listing at ${node}` });
        }
      }
      await sleep(random.below(VISIT_EVERY_MS));
    }
  }

  async #readAgain(job: Acknowledged): Promise<void> {
    const answer = await this.#client(job.client).get(job.location);
    if (job.isDeleted) {
      if (answer.status !== 404) this.witness.fault(`${job.id} is deleted, and is there again`);
      return;
    }
    if (answer.status !== 200) {
      this.witness.fault(`${job.id} at the end: ${answer.status} ${answer.text.slice(0, 300)}`);
      return;
    }
    this.#see(job, answer, 'GET at the end');
  }

  #see({ id }: Acknowledged, { data, sentAt, node, isReplay }: NodeAnswer, what: string) {
    const { status } = record.parse(data);
    // A replay may be the first answer, word for word.
    if (isReplay && !isFinal(status)) return status;
    return this.witness.see({ id, data, sentAt, how: `${what} at ${node}` });
  }

  #client(place: number): BalancedClient {
    const client = this.#clients[place];
    if (client === undefined) throw new Error('unreachable: there is a client for each key');
    return client;
  }
}

/** Names under which the load submitted more than one job, and which the database has more than once. */
export async function repeatedNames(cluster: Cluster): Promise<readonly string[]> {
  const rows = await cluster.query(
    `SELECT name, count(*)::int AS jobs FROM jobs WHERE name LIKE '${NAME} %' GROUP BY name HAVING count(*) > 1`,
  );
  return rows.map(({ name, jobs }) => `${name} became ${jobs} jobs`);
}

/** Whole events of a stream, until it ends or breaks. */
async function* eventsIn(body: ReadableStream<Uint8Array>) {
  let rest = '';
  const decoder = new TextDecoder('latin1');
  try {
    for await (const chunk of body) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event !== undefined) yield event;
      }
    }
  } catch {
    // The node has gone, or was silent for too long.
  }
}

function sorted(counts: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(Object(counts)).sort(([a], [b]) => (a < b ? -1 : 1));
}
