/** Submission of jobs of every kind over HTTP: answers 201 with the record and its location. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Job } from '../../jobs/job.ts';
import { callerOf } from '../http/authentication.ts';
import { callerSignal, readingCaller } from '../http/connections.ts';
import type { Envelopes } from '../http/envelope.ts';
import { sourceOf } from '../http/json-body.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { retryHash } from './canonical-hash.ts';
import type { JobBody, JobSubmission, ServedJobKind } from './job-kind.ts';
import { locationOf } from './job-resources.ts';
import { JobSubmitter, type Submitter } from './submit-job.ts';

/** Answers requests that submit jobs of one kind. */
export class JobSubmissions<Submission extends JobSubmission> {
  readonly #envelopes: Envelopes;
  readonly #kind: ServedJobKind<Submission>;
  readonly #submitter: JobSubmitter<Submission>;

  constructor(deps: ServiceDeps, envelopes: Envelopes, kind: ServedJobKind<Submission>) {
    this.#envelopes = envelopes;
    this.#kind = kind;
    this.#submitter = new JobSubmitter(deps, kind);
  }

  /** Answers a request whose body submits a job. */
  async submit<Context>(
    request: FastifyRequest,
    reply: FastifyReply,
    body: JobBody<Submission, Context>,
  ): Promise<FastifyReply> {
    const source = sourceOf(request.body);
    const caller = readingCaller(request, reply);
    const needsHash = headerOf(request, 'idempotency-key') !== undefined;
    const submission = await this.#submitter.read(body, source, caller, needsHash);
    return this.#answer(request, reply, submission);
  }

  /** Answers a request to run a job again, with its stored request and seed. */
  async submitAgain(request: FastifyRequest, reply: FastifyReply, job: Job): Promise<FastifyReply> {
    const submission = await this.#kind.submissionOf(job, callerSignal(reply));
    const bodyHash = retryHash(this.#kind.definition.resource, job.id);
    return this.#answer(request, reply, { ...submission, bodyHash }, { retryOf: job.id });
  }

  async #answer(
    request: FastifyRequest,
    reply: FastifyReply,
    submission: Submission,
    retry: Pick<Submitter, 'retryOf'> = {},
  ): Promise<FastifyReply> {
    const { waitsForResult, resource } = this.#kind.definition;
    const { waitMs, applied } = waitsForResult
      ? parsePrefer(headerOf(request, 'prefer'))
      : { waitMs: 0, applied: undefined };
    const idempotencyKey = headerOf(request, 'idempotency-key');
    const { key } = callerOf(request);
    const answer = await this.#submitter.submit(submission, {
      key,
      idempotencyKey,
      waitMs,
      ...retry,
    });
    reply.code(201).header('location', locationOf(resource, answer.jobId));
    if (answer.isReplay) reply.header('idempotent-replayed', 'true');
    if (applied !== undefined) reply.header('preference-applied', applied);
    return this.#envelopes.sendText(request, reply, answer.record);
  }
}

/** Value of a header that is not repeated. */
export function headerOf(
  { headers }: FastifyRequest,
  name: 'idempotency-key' | 'prefer',
): string | undefined {
  const header = headers[name];
  return typeof header === 'string' ? header : undefined;
}

/**
 * Preferences of a caller, from the header Prefer (RFC 7240): how long it waits for the result. Others in the
 * header are ignored, as the RFC requires.
 */
interface Preference {
  /** Milliseconds to wait for the result; undefined means until it is available. */
  readonly waitMs: number | undefined;
  /** Honoured preferences, for Preference-Applied. */
  readonly applied: string | undefined;
}

/** Longest wait that a timer supports, in whole seconds: 24 days. */
const MAX_WAIT_S = 2_147_483;

/**
 * Parses the header. `respond-async` alone means not to wait. Together with `wait=N` it means to wait N
 * seconds and then answer asynchronously, which `wait=N` alone means here too.
 */
export function parsePrefer(header: string | undefined): Preference {
  let respondAsync = false;
  let waitS: number | undefined;
  for (const entry of splitList(header ?? '')) {
    const [name = '', value = ''] = (entry.split(';')[0] ?? '').split('=', 2);
    const token = name.trim().toLowerCase();
    const text = value.trim().replace(/^"(.*)"$/, '$1');
    if (token === 'respond-async') respondAsync = true;
    // If a preference is repeated, the first counts (RFC 7240, section 2).
    if (token === 'wait' && waitS === undefined && /^\d{1,15}$/.test(text)) waitS = Number(text);
  }
  const applied = [
    ...(respondAsync ? ['respond-async'] : []),
    ...(waitS === undefined ? [] : [`wait=${waitS}`]),
  ];
  const seconds = waitS ?? (respondAsync ? 0 : undefined);
  return {
    waitMs: seconds === undefined ? undefined : Math.min(seconds, MAX_WAIT_S) * 1000,
    applied: applied.length === 0 ? undefined : applied.join(', '),
  };
}

/** Splits a header's list at commas outside quotes. */
function splitList(header: string): readonly string[] {
  return header.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
}
