/** What the endpoints that submit tasks, plans and TPU jobs do alike. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProcessorUnavailableError } from '../../fleet/errors.ts';
import { type Job, type JobId, labelsOf } from '../../jobs/job.ts';
import type { ProcessorDirectory } from '../directories.ts';
import type { JsonText } from '../envelope.ts';
import { retryHash } from '../jobs/canonical-hash.ts';
import { idempotencyOf } from '../jobs/idempotent-starts.ts';
import { type JobResource, locationOf } from '../jobs/job-resources.ts';
import type { WorkOptions } from '../jobs/procedure-input.ts';
import { WorkSubmitter } from '../jobs/submit-work.ts';
import { type CallersBody, WorkIntake } from '../jobs/work-intake.ts';
import type { Tier } from '../keys/api-key.ts';
import { callerOf } from '../plugins/authentication.ts';
import { readingCaller } from '../plugins/caller-signal.ts';
import { sourceOf } from '../plugins/json-body.ts';
import type { ReadWork } from '../reading/reading-messages.ts';
import type { RouteContext } from './route-context.ts';

/** Room for circuits, matrices and rows as many as any work takes. */
export const MAX_WORK_BODY_BYTES = 2 * 1024 * 1024;

/** What is stored of work of every kind. */
export interface CommonFacts {
  readonly seed: number;
  readonly tier: Tier;
  readonly processor?: string;
}

/** Work as its endpoint has read it. */
export interface SubmittedWork {
  readonly target: string;
  /** The stored text. */
  readonly encode: (facts: CommonFacts) => string;
  /** Jobs that it comes to, itself included; 1 unless given. */
  readonly numJobs?: number;
  /** See WorkSubmission. */
  readonly admit: (id: JobId) => Disposable | undefined;
}

/** An endpoint's way from a body to the answer. */
export interface WorkEndpoint<Read> {
  /** Below `/api/v1`; a part of what makes two requests the same. */
  readonly path: string;
  readonly read: (
    intake: WorkIntake,
    body: CallersBody,
    hashPath: string | undefined,
  ) => Promise<ReadWork<Read>>;
  readonly work: (read: Read) => SubmittedWork;
}

/** Answers requests that submit jobs of one kind, with 201 and the record. */
export class WorkSubmissions {
  readonly #context: RouteContext;
  readonly #resource: JobResource;
  readonly #recordJson: (job: Job) => JsonText | Promise<JsonText>;
  readonly #submitter: WorkSubmitter;
  readonly #intake: WorkIntake;

  constructor(
    context: RouteContext,
    resource: JobResource & { readonly plural: 'tasks' | 'TPU jobs' },
    recordJson: (job: Job) => JsonText | Promise<JsonText>,
  ) {
    this.#context = context;
    this.#resource = resource;
    this.#recordJson = recordJson;
    this.#submitter = new WorkSubmitter(context.deps, resource.kind, resource.plural);
    this.#intake = new WorkIntake(context.deps);
  }

  async answer<Read extends WorkOptions>(
    request: FastifyRequest,
    reply: FastifyReply,
    { path, read: readBody, work }: WorkEndpoint<Read>,
  ): Promise<FastifyReply> {
    const hashPath = headerOf(request, 'idempotency-key') === undefined ? undefined : path;
    const body = { source: sourceOf(request.body), caller: readingCaller(request, reply) };
    const { read, bodyHash } = await readBody(this.#intake, body, hashPath);
    const options = { ...read, seed: this.#context.deps.drawSeed(), bodyHash };
    return this.#submit(request, reply, options, work(read));
  }

  /** Answers a request to run a job again: as it was stored, and with its seed. */
  retry(
    request: FastifyRequest,
    reply: FastifyReply,
    job: Job,
    { seed, processor }: Pick<CommonFacts, 'seed' | 'processor'>,
    work: SubmittedWork,
  ): Promise<FastifyReply> {
    const { id: retryOf, priority } = job;
    const bodyHash = retryHash(this.#resource, retryOf);
    const again = { ...labelsOf(job), priority, seed, bodyHash, retryOf };
    const options = { ...again, ...(processor && { processor }) };
    return this.#submit(request, reply, options, work);
  }

  async #submit(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      priority,
      processor,
      seed,
      bodyHash,
      retryOf,
      ...labels
    }: WorkOptions & {
      readonly seed: number;
      readonly bodyHash: string | undefined;
      readonly retryOf?: JobId;
    },
    { target, encode, numJobs = 1, admit }: SubmittedWork,
  ): Promise<FastifyReply> {
    const { deps, envelopes } = this.#context;
    const { key } = callerOf(request);
    checkProcessor(deps.fleet, processor);
    const facts = { seed, tier: key.tier, ...(processor !== undefined && { processor }) };
    const answer = await this.#submitter.submit(
      {
        key,
        idempotency: idempotencyOf(headerOf(request, 'idempotency-key'), bodyHash),
        priority,
        labels: labelsOf(labels),
        target,
        numJobs,
        request: () => encode(facts),
        admit,
        ...(retryOf !== undefined && { retryOf }),
      },
      async (job) => (await this.#recordJson(job)).json,
    );
    reply.code(201).header('location', locationOf(this.#resource, answer.job.id));
    if (answer.isReplay) reply.header('idempotent-replayed', 'true');
    return envelopes.sendText(request, reply, answer);
  }
}

/** A header that is not given twice. */
export function headerOf(
  { headers }: FastifyRequest,
  name: 'idempotency-key' | 'prefer',
): string | undefined {
  const header = headers[name];
  return typeof header === 'string' ? header : undefined;
}

/** A target that its caller names is to be available now; of others the agents know. */
function checkProcessor(fleet: ProcessorDirectory, id: string | undefined): void {
  const processor = id === undefined ? undefined : fleet.get(id);
  if (processor === undefined) return;
  const { available, reason = '', retryAfterS } = processor.availability();
  if (!available) throw new ProcessorUnavailableError(processor.spec.id, reason, retryAfterS);
}
