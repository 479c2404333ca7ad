/** What the endpoints that submit tasks, plans and TPU jobs do alike. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProcessorUnavailableError } from '../../fleet/errors.ts';
import type { Job, JobId } from '../../jobs/job.ts';
import type { JsonText } from '../envelope.ts';
import { idempotencyOf } from '../jobs/idempotent-starts.ts';
import { type JobResource, locationOf } from '../jobs/job-resources.ts';
import type { WorkOptions } from '../jobs/procedure-input.ts';
import { WorkSubmitter } from '../jobs/submit-work.ts';
import { type ReadWork, type SizedBody, WorkIntake } from '../jobs/work-intake.ts';
import type { Tier } from '../keys/api-key.ts';
import { callerOf } from '../plugins/authentication.ts';
import { sourceOf } from '../plugins/json-body.ts';
import type { ProcessorDirectory } from '../service-deps.ts';
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
    body: SizedBody,
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
    const { deps, envelopes } = this.#context;
    const { key } = callerOf(request);
    const header = request.headers['idempotency-key'];
    const idempotencyKey = typeof header === 'string' ? header : undefined;
    const hashPath = idempotencyKey === undefined ? undefined : path;
    const source = sourceOf(request.body);
    const numBytes = Number(request.headers['content-length'] ?? Infinity);
    const { read, bodyHash } = await readBody(this.#intake, { source, numBytes }, hashPath);
    const { priority, processor } = read;
    checkProcessor(deps.fleet, processor);
    const { target, encode, numJobs = 1, admit } = work(read);
    const facts = {
      seed: deps.drawSeed(),
      tier: key.tier,
      ...(processor !== undefined && { processor }),
    };
    const answer = await this.#submitter.submit(
      {
        key,
        idempotency: idempotencyOf(idempotencyKey, bodyHash),
        priority,
        target,
        numJobs,
        request: () => encode(facts),
        admit,
      },
      async (job) => (await this.#recordJson(job)).json,
    );
    reply.code(201).header('location', locationOf(this.#resource, answer.job.id));
    if (answer.isReplay) reply.header('idempotent-replayed', 'true');
    return envelopes.sendText(request, reply, answer);
  }
}

/** A target that its caller names is to be available now; of others the agents know. */
function checkProcessor(fleet: ProcessorDirectory, id: string | undefined): void {
  const processor = id === undefined ? undefined : fleet.get(id);
  if (processor === undefined) return;
  const { available, reason = '', retryAfterS } = processor.availability();
  if (!available) throw new ProcessorUnavailableError(processor.spec.id, reason, retryAfterS);
}
