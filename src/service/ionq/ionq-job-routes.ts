/** Routes of jobs in IonQ's interface. Each job is a batch, and is listed at `/quantum/batches` as well. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { JobDamagedError, JobNotFoundError } from '../../jobs/errors.ts';
import { isFinal } from '../../jobs/job.ts';
import { unlessLong } from '../batches/many-run-jobs.ts';
import type { BatchSubmission } from '../batches/read-batch.ts';
import type { CircuitContext } from '../circuits/program-jobs.ts';
import { liveTargetsOf, targetsOf } from '../circuits/targets.ts';
import { callerOf } from '../http/authentication.ts';
import { callerSignal, readingCaller } from '../http/connections.ts';
import { JSON_TYPE } from '../http/envelope.ts';
import {
  IonqCircuitOfJobError,
  IonqSessionEndedError,
  IonqSessionNotFoundError,
} from '../http/errors.ts';
import { sourceOf } from '../http/json-body.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { compileAllButBody } from '../http/validation.ts';
import type { JobBody } from '../jobs/job-kind.ts';
import { cursorPlace, cursorText } from '../jobs/job-schema.ts';
import { ownJob } from '../jobs/record-routes.ts';
import { headerOf, JobSubmitter } from '../jobs/submit-job.ts';
import { IONQ_TAG, ionqFactsOf } from './ionq-facts.ts';
import { ionqPath, splitId, statusesNamed, viewIonqJob } from './ionq-job-view.ts';
import {
  aggregatedText,
  artifactText,
  type IonqJob,
  RESULTS_BY_URL,
  type ResultByUrl,
  type ResultText,
  resultText,
} from './ionq-results.ts';
import { IONQ_READING, readIonqJob } from './read-ionq-job.ts';

/**
 * Time for which a read of an unfinished job waits for its end, milliseconds. Some clients ask every 10 ms. A read that
 * waits makes it one request a second, so reads need no limit of their own, and a short job is answered as soon as it
 * has ended.
 */
const HOLD_MS = 1000;

/** Entries of a page; IonQ's default. */
const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

const SCOPE = { scope: 'circuits' } as const;
const HIDDEN = { hide: true } as const;

const idsBody = z.looseObject({ ids: z.array(z.string()).max(MAX_LIMIT) });
const listQuery = z.looseObject({
  status: z.string().optional(),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, { error: 'Must be a whole number from 1' })
    .optional(),
  next: z
    .string()
    .regex(/^batch_[0-9a-f]{32}_[0-9a-z]{1,11}$/, { error: 'Must be the next of an earlier page' })
    .optional(),
  target: z.string().optional(),
  session_id: z.string().optional(),
  parent_job_id: z.string().optional(),
  ids: z.union([z.string(), z.array(z.string()).max(MAX_LIMIT)]).optional(),
});
type ListQuery = z.output<typeof listQuery>;

/** Jobs as callers of IonQ's interface see them. */
class IonqJobs {
  readonly #deps: RouteContext['deps'];

  constructor(deps: RouteContext['deps']) {
    this.#deps = deps;
  }

  /**
   * The caller's own job, or one circuit of it.
   *
   * @throws {JobNotFoundError} also for batches that did not come through this interface.
   */
  async own(text: string, keyId: string): Promise<IonqJob> {
    const { id, circuit } = splitId(text);
    const job = await ownJob(
      { id, kind: 'batch', keyId },
      (each) => this.#deps.jobs.get(each),
      (found) => found.keyId,
    );
    const facts = ionqFactsOf(job);
    const isCircuit = circuit !== undefined;
    const isMany = facts?.type === 'ionq.multi-circuit.v1';
    if (facts === undefined || (isCircuit && !(isMany && circuit < facts.bits.length))) {
      throw new JobNotFoundError(text.slice(0, 100));
    }
    return { job, facts, ...(isCircuit && { circuit }) };
  }

  /** The record of a job. */
  view(job: IonqJob): ReturnType<typeof viewIonqJob> {
    return viewIonqJob(job, this.#deps.jobs, this.#deps.now());
  }

  /** The session that a job belongs to; null if it names none. */
  async sessionFor(submission: BatchSubmission, keyId: string): Promise<string | null> {
    const { ionqSessions: sessions, now } = this.#deps;
    // The text of a body that is about to be stored, as a stored request has it.
    const facts = ionqFactsOf({ request: `,"body":${submission.bodyJson}` });
    const id = facts?.session ?? null;
    if (id === null) return null;
    if ((await sessions.find(id, keyId)) === undefined) throw new IonqSessionNotFoundError(id);
    if (!(await sessions.takeJob(id, keyId, now()))) throw new IonqSessionEndedError(id);
    return id;
  }

  /** A page of the caller's jobs. */
  async page(keyId: string, query: ListQuery): Promise<Page> {
    const { status, next, target, session_id: session, parent_job_id: parent } = query;
    const ids = query.ids === undefined ? undefined : [query.ids].flat();
    if (parent !== undefined) {
      const { job, facts } = await this.own(parent, keyId);
      const circuits = facts.bits.map((_, circuit) => this.#entry({ job, facts, circuit }));
      return { jobs: circuits, next: null };
    }
    const statuses = status === undefined ? undefined : statusesNamed(status);
    if (statuses?.length === 0) return { jobs: [], next: null };
    const limit = Math.min(Number(query.limit ?? DEFAULT_LIMIT), MAX_LIMIT);
    const brief = await this.#deps.jobs.list({
      kind: 'batch',
      keyId,
      tags: [IONQ_TAG, target, session].filter((tag) => tag !== undefined),
      ...(statuses !== undefined && { statuses }),
      ...(next !== undefined && { before: cursorPlace(next) }),
      isBrief: true,
      // One more than asked for shows whether there is another page.
      limit: limit + 1,
    });
    const page = brief.slice(0, limit);
    const views: object[] = [];
    for (const { id } of page) {
      if (ids !== undefined && !ids.includes(id)) continue;
      // One at a time, because a request may have megabytes. A batch that only has the tag is no job of this interface.
      const found = await this.#ownOrNone(id, keyId);
      if (found !== undefined) views.push(this.#entry(found));
    }
    const last = brief.length > limit ? page.at(-1) : undefined;
    return { jobs: views, next: last === undefined ? null : cursorText(last) };
  }

  /** Cancels jobs. One that is not the caller's, or that names a circuit of a job, refuses them all. */
  async cancel(texts: readonly string[], keyId: string): Promise<void> {
    for (const id of await this.#whole(texts, keyId)) await this.#deps.jobs.cancel(id);
  }

  /** Cancels and deletes jobs, as `cancel`. */
  async remove(texts: readonly string[], keyId: string): Promise<void> {
    for (const id of await this.#whole(texts, keyId)) {
      await this.#deps.jobs.cancel(id);
      await this.#deps.jobs.remove(id);
    }
  }

  /** Entry of a listing, which names no children. */
  #entry(job: IonqJob): object {
    const { child_job_ids: _, ...fields } = this.view(job);
    return fields;
  }

  async #ownOrNone(id: string, keyId: string): Promise<IonqJob | undefined> {
    try {
      return await this.own(id, keyId);
    } catch (error) {
      if (error instanceof JobNotFoundError || error instanceof JobDamagedError) return undefined;
      throw error;
    }
  }

  /** @throws {JobNotFoundError | IonqCircuitOfJobError} */
  async #whole(texts: readonly string[], keyId: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const text of texts) {
      const { job, circuit } = await this.own(text, keyId);
      if (circuit !== undefined) throw new IonqCircuitOfJobError(text, job.id);
      ids.push(job.id);
    }
    return [...new Set(ids)];
  }
}

/** A page of a listing. */
interface Page {
  readonly jobs: readonly object[];
  readonly next: string | null;
}

const idOf = (request: FastifyRequest): string => String(Object(request.params)['id'] ?? '');
const keyIdOf = (request: FastifyRequest): string => callerOf(request).key.id;

/** Registers the routes below `/v0.4/jobs`, and the jobs of a session. */
export function ionqJobRoutes(app: ServiceApp, { deps }: RouteContext): void {
  const jobs = new IonqJobs(deps);
  submissionRoute(app, deps, jobs);
  listingRoutes(app, deps, jobs);

  app.get('/jobs/:id', { config: SCOPE, schema: HIDDEN }, async (request, reply) => {
    const found = await jobs.own(idOf(request), keyIdOf(request));
    if (isFinal(found.job.status)) return reply.send(jobs.view(found));
    const job = await deps.jobs.waitFor(found.job.id, HOLD_MS, callerSignal(reply));
    return reply.send(jobs.view({ ...found, job }));
  });

  app.get('/jobs/:id/cost', { config: SCOPE, schema: HIDDEN }, async (request, reply) => {
    const { facts } = await jobs.own(idOf(request), keyIdOf(request));
    return reply.send({ dry_run: facts.dryRun, cost: { value: 0, unit: 'usd' } });
  });

  app.put('/jobs/:id/status/cancel', { config: SCOPE, schema: HIDDEN }, async (request, reply) => {
    await jobs.cancel([idOf(request)], keyIdOf(request));
    // IonQ's document has this one status: the job does not run any longer. Its record says how it ended.
    return reply.send({ id: idOf(request), status: 'canceled' });
  });

  app.delete('/jobs/:id', { config: SCOPE, schema: HIDDEN }, async (request, reply) => {
    await jobs.remove([idOf(request)], keyIdOf(request));
    return reply.send({ id: idOf(request), status: 'deleted' });
  });

  const many = { config: SCOPE, schema: { ...HIDDEN, body: idsBody } };
  app.put('/jobs/status/cancel', many, async (request, reply) => {
    const { ids } = request.body;
    await jobs.cancel(ids, keyIdOf(request));
    return reply.send({ ids, status: 'canceled' });
  });

  app.delete('/jobs', many, async (request, reply) => {
    const { ids } = request.body;
    await jobs.remove(ids, keyIdOf(request));
    return reply.send({ ids, status: 'deleted' });
  });

  resultRoutes(app, deps, jobs);
}

function submissionRoute(app: ServiceApp, deps: RouteContext['deps'], jobs: IonqJobs): void {
  const { fleet, kinds } = deps;
  const submitter = new JobSubmitter(deps, kinds.batch);
  const body: JobBody<BatchSubmission, CircuitContext> = {
    path: ionqPath('').replace(/\/$/, ''),
    reading: IONQ_READING,
    context: () => ({ targets: targetsOf(fleet) }),
    readSmall: (value, numBytes) =>
      unlessLong(numBytes, (maxSteps) => readIonqJob(value, liveTargetsOf(fleet), maxSteps)),
  };
  app.post(
    '/jobs',
    {
      config: { ...SCOPE, readsLargeBodies: true },
      validatorCompiler: compileAllButBody,
      schema: HIDDEN,
    },
    async (request, reply) => {
      const idempotencyKey = headerOf(request, 'idempotency-key');
      const submission = await submitter.read(
        body,
        sourceOf(request.body),
        readingCaller(request, reply),
        idempotencyKey !== undefined,
      );
      const { key } = callerOf(request);
      const session = await jobs.sessionFor(submission, key.id);
      const { jobId } = await submitter.submit(submission, { key, idempotencyKey, waitMs: 0 });
      return reply.code(201).send({ id: jobId, status: 'submitted', session_id: session });
    },
  );
}

function listingRoutes(
  app: ServiceApp,
  { ionqSessions }: RouteContext['deps'],
  jobs: IonqJobs,
): void {
  /** cirq-ionq takes a `next` of null for another page, and others need it to be there. */
  const sendPage = (request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply => {
    const isCirq = request.headers['user-agent']?.startsWith('cirq/') === true;
    return reply.send(page.next === null && isCirq ? { jobs: page.jobs } : page);
  };
  const listing = { config: SCOPE, schema: { ...HIDDEN, querystring: listQuery } };
  app.get('/jobs', listing, async (request, reply) =>
    sendPage(request, reply, await jobs.page(keyIdOf(request), request.query)),
  );

  app.get('/sessions/:id/jobs', listing, async (request, reply) => {
    const id = idOf(request);
    const keyId = keyIdOf(request);
    if ((await ionqSessions.find(id, keyId)) === undefined) throw new IonqSessionNotFoundError(id);
    const page = await jobs.page(keyId, { ...request.query, session_id: id });
    return sendPage(request, reply, page);
  });
}

function resultRoutes(app: ServiceApp, { jobs: runner }: RouteContext['deps'], jobs: IonqJobs) {
  const textRoute = (path: string, textOf: (job: IonqJob, request: FastifyRequest) => ResultText) =>
    app.get(`/jobs/:id/${path}`, { config: SCOPE, schema: HIDDEN }, async (request, reply) => {
      const job = await jobs.own(idOf(request), keyIdOf(request));
      return sendText(reply, textOf(job, request));
    });
  for (const name of RESULTS_BY_URL) {
    // The cast is safe: the list has those names.
    textRoute(`results/${name}`, (job) => resultText(runner, job, name as ResultByUrl));
  }
  textRoute('results/probabilities/aggregated', (job) => aggregatedText(runner, job));
  textRoute('artifacts/:artifact', (job, request) => {
    const { artifact }: { readonly artifact?: unknown } = Object(request.params);
    return artifactText(runner, job, String(artifact));
  });
}

/** Streams JSON text. The first chunk is read before, so that a fault is answered as one. */
async function sendText(reply: FastifyReply, text: ResultText): Promise<FastifyReply> {
  const chunks = text[Symbol.asyncIterator]();
  const first = await chunks.next();
  const all = async function* () {
    if (first.done !== true) yield first.value;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      yield next.value;
    }
  };
  return reply.type(JSON_TYPE).send(Readable.from(all(), { objectMode: false }));
}
