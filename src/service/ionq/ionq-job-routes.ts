/** Routes of jobs in IonQ's interface. Each job is a batch of the caller's key, and is seen below `/quantum/batches`, too. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { JobDamagedError, JobNotFoundError } from '../../jobs/errors.ts';
import { isFinal } from '../../jobs/job.ts';
import { unlessLong } from '../batches/batch-jobs.ts';
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
import { ownJob } from '../jobs/own-job.ts';
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
 * Time for which a read of an unfinished job waits for its end, milliseconds. Some clients ask every 10 ms. A read that waits makes it
 * one request a second, so reads need no limit of their own, and a short job is answered as soon as it has ended.
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

/** Registers the routes below `/v0.4/jobs`, and the jobs of a session. */
export function ionqJobRoutes(app: ServiceApp, { deps }: RouteContext): void {
  const { jobs, fleet, now, kinds, ionqSessions: sessions } = deps;
  const submitter = new JobSubmitter(deps, kinds.batch);
  const body: JobBody<BatchSubmission, CircuitContext> = {
    path: ionqPath('').replace(/\/$/, ''),
    reading: IONQ_READING,
    context: () => ({ targets: targetsOf(fleet) }),
    readSmall: (value, numBytes) =>
      unlessLong(numBytes, (maxSteps) => readIonqJob(value, liveTargetsOf(fleet), maxSteps)),
  };

  /**
   * The caller's own job, or one circuit of it.
   *
   * @throws {JobNotFoundError} also for batches that did not come through this interface.
   */
  const ownIonqJob = async (text: string, keyId: string): Promise<IonqJob> => {
    const { id, circuit } = splitId(text);
    const job = await ownJob(
      { id, kind: 'batch', keyId },
      (each) => jobs.get(each),
      (found) => found.keyId,
    );
    const facts = ionqFactsOf(job);
    const isCircuit = circuit !== undefined;
    const isMany = facts?.type === 'ionq.multi-circuit.v1';
    if (facts === undefined || (isCircuit && !(isMany && circuit < facts.bits.length))) {
      throw new JobNotFoundError(text.slice(0, 100));
    }
    return { job, facts, ...(isCircuit && { circuit }) };
  };
  const idOf = (request: FastifyRequest): string => String(Object(request.params)['id'] ?? '');
  const keyIdOf = (request: FastifyRequest): string => callerOf(request).key.id;
  const view = (job: IonqJob) => viewIonqJob(job, jobs, now());
  /** Entry of a listing, which names no children. */
  const entry = (job: IonqJob) => {
    const { child_job_ids: _, ...fields } = view(job);
    return fields;
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
      const session = await sessionFor(submission, key.id);
      const { jobId } = await submitter.submit(submission, { key, idempotencyKey, waitMs: 0 });
      return reply.code(201).send({ id: jobId, status: 'submitted', session_id: session });
    },
  );

  /** The session that a job belongs to; null if it names none. */
  const sessionFor = async (submission: BatchSubmission, keyId: string): Promise<string | null> => {
    // The text of a body that is about to be stored, as a stored request has it.
    const facts = ionqFactsOf({ request: `,"body":${submission.bodyJson}` });
    const id = facts?.session ?? null;
    if (id === null) return null;
    if ((await sessions.find(id, keyId)) === undefined) throw new IonqSessionNotFoundError(id);
    if (!(await sessions.takeJob(id, keyId, now()))) throw new IonqSessionEndedError(id);
    return id;
  };

  /** A page of the caller's jobs. */
  const listed = async (request: FastifyRequest, query: ListQuery) => {
    const { status, next, target, session_id: session, parent_job_id: parent } = query;
    const keyId = keyIdOf(request);
    const ids = query.ids === undefined ? undefined : [query.ids].flat();
    if (parent !== undefined) {
      const { job, facts } = await ownIonqJob(parent, keyId);
      return { jobs: facts.bits.map((_, circuit) => entry({ job, facts, circuit })), next: null };
    }
    const statuses = status === undefined ? undefined : statusesNamed(status);
    if (statuses?.length === 0) return { jobs: [], next: null };
    const limit = Math.min(Number(query.limit ?? DEFAULT_LIMIT), MAX_LIMIT);
    const brief = await jobs.list({
      kind: 'batch',
      keyId,
      tags: [
        IONQ_TAG,
        ...(target === undefined ? [] : [target]),
        ...(session === undefined ? [] : [session]),
      ],
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
      const found = await shownOrNone(id, keyId);
      if (found !== undefined) views.push(entry(found));
    }
    const last = brief.length > limit ? page.at(-1) : undefined;
    return { jobs: views, next: last === undefined ? null : cursorText(last) };
  };
  const shownOrNone = async (id: string, keyId: string): Promise<IonqJob | undefined> => {
    try {
      return await ownIonqJob(id, keyId);
    } catch (error) {
      if (error instanceof JobNotFoundError || error instanceof JobDamagedError) return undefined;
      throw error;
    }
  };
  /** cirq-ionq takes a `next` of null for another page, and others need it to be there. */
  const sendPage = (
    request: FastifyRequest,
    reply: FastifyReply,
    { jobs: page, next }: Awaited<ReturnType<typeof listed>>,
  ): FastifyReply => {
    const isCirq = request.headers['user-agent']?.startsWith('cirq/') === true;
    return reply.send(next === null && isCirq ? { jobs: page } : { jobs: page, next });
  };

  app.get(
    '/jobs',
    { config: SCOPE, schema: { ...HIDDEN, querystring: listQuery } },
    async (request, reply) => sendPage(request, reply, await listed(request, request.query)),
  );

  app.get(
    '/sessions/:id/jobs',
    { config: SCOPE, schema: { ...HIDDEN, querystring: listQuery } },
    async (request, reply) => {
      const id = idOf(request);
      if ((await sessions.find(id, keyIdOf(request))) === undefined) {
        throw new IonqSessionNotFoundError(id);
      }
      const page = await listed(request, { ...request.query, session_id: id });
      return sendPage(request, reply, page);
    },
  );

  app.get('/jobs/:id', { config: SCOPE, schema: HIDDEN }, async (request, reply) => {
    const found = await ownIonqJob(idOf(request), keyIdOf(request));
    if (isFinal(found.job.status)) return reply.send(view(found));
    const job = await jobs.waitFor(found.job.id, HOLD_MS, callerSignal(reply));
    return reply.send(view({ ...found, job }));
  });

  app.get('/jobs/:id/cost', { config: SCOPE, schema: HIDDEN }, async (request, reply) => {
    const { facts } = await ownIonqJob(idOf(request), keyIdOf(request));
    return reply.send({ dry_run: facts.dryRun, cost: { value: 0, unit: 'usd' } });
  });

  /**
   * Ids of jobs. One that is not the caller's, or names a circuit of a job, refuses them all.
   *
   * @throws {JobNotFoundError | IonqCircuitOfJobError}
   */
  const wholeJobs = async (texts: readonly string[], keyId: string): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (const text of texts) {
      const { job, circuit } = await ownIonqJob(text, keyId);
      if (circuit !== undefined) throw new IonqCircuitOfJobError(text, job.id);
      ids.push(job.id);
    }
    return [...new Set(ids)];
  };
  const cancelAll = async (texts: readonly string[], keyId: string): Promise<void> => {
    for (const id of await wholeJobs(texts, keyId)) await jobs.cancel(id);
  };
  const removeAll = async (texts: readonly string[], keyId: string): Promise<void> => {
    for (const id of await wholeJobs(texts, keyId)) {
      await jobs.cancel(id);
      await jobs.remove(id);
    }
  };

  app.put('/jobs/:id/status/cancel', { config: SCOPE, schema: HIDDEN }, async (request, reply) => {
    await cancelAll([idOf(request)], keyIdOf(request));
    // IonQ's document has this one status: the job does not run any longer. Its record says how it ended.
    return reply.send({ id: idOf(request), status: 'canceled' });
  });

  app.delete('/jobs/:id', { config: SCOPE, schema: HIDDEN }, async (request, reply) => {
    await removeAll([idOf(request)], keyIdOf(request));
    return reply.send({ id: idOf(request), status: 'deleted' });
  });

  app.put(
    '/jobs/status/cancel',
    { config: SCOPE, schema: { ...HIDDEN, body: idsBody } },
    async (request, reply) => {
      const { ids } = request.body;
      await cancelAll(ids, keyIdOf(request));
      return reply.send({ ids, status: 'canceled' });
    },
  );

  app.delete(
    '/jobs',
    { config: SCOPE, schema: { ...HIDDEN, body: idsBody } },
    async (request, reply) => {
      const { ids } = request.body;
      await removeAll(ids, keyIdOf(request));
      return reply.send({ ids, status: 'deleted' });
    },
  );

  for (const name of RESULTS_BY_URL) {
    app.get(
      `/jobs/:id/results/${name}`,
      { config: SCOPE, schema: HIDDEN },
      async (request, reply) => {
        const job = await ownIonqJob(idOf(request), keyIdOf(request));
        // The cast is safe: the list has those names.
        return sendText(reply, resultText(jobs, job, name as ResultByUrl));
      },
    );
  }

  app.get(
    '/jobs/:id/results/probabilities/aggregated',
    { config: SCOPE, schema: HIDDEN },
    async (request, reply) => {
      const job = await ownIonqJob(idOf(request), keyIdOf(request));
      return sendText(reply, aggregatedText(jobs, job));
    },
  );

  app.get(
    '/jobs/:id/artifacts/:artifact',
    { config: SCOPE, schema: HIDDEN },
    async (request, reply) => {
      const job = await ownIonqJob(idOf(request), keyIdOf(request));
      const { artifact }: { readonly artifact?: unknown } = Object(request.params);
      return sendText(reply, artifactText(jobs, job, String(artifact)));
    },
  );
}

/** Sends pieces of JSON. The first is read before, so that a fault is answered as one. */
async function sendText(reply: FastifyReply, text: ResultText): Promise<FastifyReply> {
  const pieces = text[Symbol.asyncIterator]();
  const first = await pieces.next();
  const all = async function* () {
    if (first.done !== true) yield first.value;
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      yield next.value;
    }
  };
  return reply.type(JSON_TYPE).send(Readable.from(all(), { objectMode: false }));
}
