/** A client of a running service: one key, JSON in and out, the envelope opened. */
import { z } from 'zod';
import { jobFields } from '../../src/service/jobs/job-schema.ts';
import { awaited } from './eventually.ts';

/** Codes that are answered by what is wrong with the service rather than with the request. */
const FIRST_SERVER_FAULT = 500;
const POLL_EVERY_MS = 20;

const record = z.looseObject(jobFields);
/** Fields that the records of all kinds of jobs have, with all others that came. */
export type JobRecord = z.output<typeof record>;

const capability = z.looseObject({
  task: z.string(),
  input_schema: z.record(z.string(), z.unknown()),
  example: z.record(z.string(), z.unknown()),
});
const agentList = z.looseObject({
  agents: z.array(z.looseObject({ id: z.string(), capabilities: z.array(capability) })),
});
const fleet = z.looseObject({ capabilities: z.array(capability) });
const planner = z.looseObject({ detail: z.looseObject({ example: capability.shape.example }) });
const envelope = z.looseObject({ data: z.unknown().optional() });

/** An answer with its envelope opened. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly data: unknown;
  /** As it came. */
  readonly text: string;
  /** Times of performance.now(). */
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Something that the service says it does, and an example of a whole body that asks for it. */
export interface PublishedWork {
  /** As in `research.vqe`, `tpu.training`, `asi.plan`. */
  readonly name: string;
  readonly path: string;
  readonly example: Readonly<Record<string, unknown>>;
  /** Of the body's `input`; undefined for plans. */
  readonly inputSchema: Readonly<Record<string, unknown>> | undefined;
}

/** Body and headers of a request. */
export interface RequestOptions {
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The client. */
export class ServiceClient {
  readonly origin: string;
  readonly key: string;
  /** Answers that blame the service. */
  readonly serverFaults: string[] = [];

  constructor(origin: string, key: string) {
    this.origin = origin;
    this.key = key;
  }

  /** Sends a request; paths are below /api/v1, or whole. */
  async request(
    method: 'GET' | 'POST',
    path: string,
    { body, headers }: RequestOptions = {},
  ): Promise<Answer> {
    const whole = path.startsWith('/api/') || path === '/metrics' ? path : `/api/v1${path}`;
    const sentAt = performance.now();
    const asked = fetch(`${this.origin}${whole}`, {
      method,
      headers: {
        'x-api-key': this.key,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const response = await awaited(asked, () => new Error(`${method} ${path} was never answered`));
    const text = await response.text();
    const receivedAt = performance.now();
    const { status } = response;
    if (status >= FIRST_SERVER_FAULT) {
      this.serverFaults.push(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    }
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const data = isJson ? envelope.parse(JSON.parse(text)).data : undefined;
    return { status, headers: response.headers, data, text, sentAt, receivedAt };
  }

  /** The data of a GET that is answered 200. */
  async get(path: string): Promise<unknown> {
    const { status, data, text } = await this.request('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text.slice(0, 300)}`);
    return data;
  }

  /** The record at a location. */
  async record(location: string): Promise<JobRecord> {
    return record.parse(await this.get(location));
  }

  /** The record at a location, once its job is final. */
  async finalRecord(location: string): Promise<JobRecord> {
    for (;;) {
      const found = await this.record(location);
      if (!['queued', 'running'].includes(found.status)) return found;
      await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
    }
  }

  /** All that agents, the TPU fleet and the planner publish. */
  async publishedWork(): Promise<readonly PublishedWork[]> {
    const { agents } = agentList.parse(await this.get('/agents'));
    const { capabilities } = fleet.parse(await this.get('/tpu/fleet'));
    const { detail } = planner.parse(await this.get('/systems/asi'));
    const workOf = (owner: string, path: string) => (each: z.output<typeof capability>) => ({
      name: `${owner}.${each.task}`,
      path,
      example: each.example,
      inputSchema: each.input_schema,
    });
    return [
      ...agents.flatMap((agent) =>
        agent.capabilities.map(workOf(agent.id, `/agents/${agent.id}/execute`)),
      ),
      ...capabilities.map(workOf('tpu', '/tpu/jobs')),
      {
        name: 'asi.plan',
        path: '/systems/asi/plans',
        example: detail.example,
        inputSchema: undefined,
      },
    ];
  }
}

/** An answer's data as a record. */
export function recordOf({ data }: Answer): JobRecord {
  return record.parse(data);
}
