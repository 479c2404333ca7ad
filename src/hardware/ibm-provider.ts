/**
 * IBM's Qiskit Runtime REST API as a provider: one backend, and jobs of the sampler on it.
 *
 * Written from the published reference and from IBM's own client (qiskit-ibm-runtime 0.51); tried against a mock of
 * these only.
 *
 * - An API key is exchanged for a bearer token of an hour.
 * - `params.pubs` holds OpenQASM 3 text, one PUB a circuit. Without `support_qiskit` the result is plain JSON:
 *   hexadecimal samples for each register.
 * - Gates that a circuit uses and stdgates.inc lacks, such as ecr, are defined in the text.
 *
 * @see https://quantum.cloud.ibm.com/docs/api/qiskit-runtime-rest
 */
import { z } from 'zod';
import type { Counts } from '../engine/engine.ts';
import { UpstreamError, UpstreamRefusedError } from '../upstream/errors.ts';
import { UpstreamClient, type UpstreamRequest } from '../upstream/upstream-client.ts';
import { VendorResultError } from './errors.ts';
import { configuration, describedDevice, properties, status } from './ibm-device.ts';
import { checkNumResults, outcomeCounts } from './outcome-counts.ts';
import type {
  DeviceDescription,
  HardwareProvider,
  VendorJob,
  VendorSubmission,
} from './provider.ts';

const API_VERSION = '2026-04-15';
/** Largest body of an answer: hexadecimal samples of a million shots. */
const MAX_BODY_BYTES = 256 * 2 ** 20;
const REFUSALS: readonly number[] = [400, 404, 405, 409, 410, 413, 422];
/** A token is not used for its last minute. */
const TOKEN_MARGIN_S = 60;
/** Circuits of one job. The sampler takes more; fewer bring the first results of a batch sooner. */
const MAX_CIRCUITS = 100;
/** Name of the register that circuits are printed with. */
const REGISTER = 'c';

const token = z.object({ access_token: z.string().min(1), expires_in: z.number() });
const created = z.object({ id: z.string().min(1) });
const listing = z.object({ jobs: z.array(z.object({ id: z.string() })).default([]) });
const job = z.object({
  state: z.object({
    status: z.string(),
    reason: z.string().nullish(),
    reason_code: z.union([z.number(), z.string()]).nullish(),
  }),
});
const metrics = z.object({
  timestamps: z
    .object({
      created: z.string().nullish(),
      running: z.string().nullish(),
      finished: z.string().nullish(),
    })
    .optional(),
  position_in_queue: z.int().nullish(),
});
const results = z.object({
  results: z.array(
    z.object({
      data: z.record(
        z.string(),
        z.object({ samples: z.array(z.string().regex(/^0x[0-9a-f]+$/i)), num_bits: z.int() }),
      ),
    }),
  ),
});

/** Access to a backend. */
export interface IbmProviderOptions {
  /** `https://quantum.cloud.ibm.com/api/v1`, without a trailing slash. */
  readonly baseUrl: string;
  /** `https://iam.cloud.ibm.com`, without a trailing slash. */
  readonly iamUrl: string;
  /** API key of IBM Cloud. */
  readonly apiKey: string;
  /** Cloud Resource Name of the instance. */
  readonly instance: string;
  /** Name of the backend: `ibm_fez`. */
  readonly backend: string;
  readonly timeoutMs: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** A backend of IBM. */
export class IbmProvider implements HardwareProvider {
  readonly vendor = 'IBM Quantum';
  readonly device: string;
  readonly maxCircuits = MAX_CIRCUITS;
  readonly #options: IbmProviderOptions;
  readonly #runtime: UpstreamClient;
  readonly #iam: UpstreamClient;
  #token: { readonly text: string; readonly endsAt: number } | undefined;

  constructor(options: IbmProviderOptions) {
    const { backend, apiKey, instance, timeoutMs, now } = options;
    this.device = backend;
    this.#options = options;
    const shared = {
      who: this.vendor,
      secrets: [apiKey, instance],
      timeoutMs,
      maxBodyBytes: MAX_BODY_BYTES,
      now,
    };
    this.#runtime = new UpstreamClient({
      ...shared,
      baseUrl: options.baseUrl,
      headers: { 'service-crn': instance, 'ibm-api-version': API_VERSION },
      isRefusal: (code) => REFUSALS.includes(code),
    });
    this.#iam = new UpstreamClient({
      ...shared,
      who: 'The identity service of IBM Cloud',
      baseUrl: options.iamUrl,
      headers: {},
      isRefusal: () => false,
    });
  }

  async describe(signal: AbortSignal): Promise<DeviceDescription> {
    const path = `/backends/${encodeURIComponent(this.device)}`;
    const found = await this.#ask({ path: `${path}/configuration` }, configuration, signal);
    const reported = await this.#ask({ path: `${path}/properties` }, properties, signal);
    const now = await this.#ask({ path: `${path}/status` }, status, signal);
    return describedDevice(this.device, found, reported, now, this.#options.now(), (text) =>
      this.#runtime.shown(text),
    );
  }

  async submit({ circuits, shots, tag }: VendorSubmission, signal: AbortSignal): Promise<string> {
    const body = {
      program_id: 'sampler',
      backend: this.device,
      tags: [tag],
      params: {
        pubs: circuits.map((qasm) => [qasm, null, shots]),
        version: 2,
        support_qiskit: false,
      },
    };
    return (await this.#ask({ path: '/jobs', body }, created, signal)).id;
  }

  async find(tag: string, signal: AbortSignal): Promise<string | undefined> {
    const path = `/jobs?limit=1&exclude_params=true&tags=${encodeURIComponent(tag)}`;
    return (await this.#ask({ path }, listing, signal)).jobs[0]?.id;
  }

  async poll(vendorJobId: string, signal: AbortSignal): Promise<VendorJob> {
    const path = pathOf(vendorJobId);
    const { state } = await this.#ask({ path: `${path}?exclude_params=true` }, job, signal);
    const word = state.status.toLowerCase();
    switch (word) {
      case 'running':
        return { status: 'running' };
      case 'completed':
        return { status: 'completed', ...(await this.#times(vendorJobId, signal)) };
      case 'failed':
        return { status: 'failed', ...this.#reasonOf(state) };
    }
    // `Cancelled - Ran too long` is one of the words.
    if (word.startsWith('cancelled')) return { status: 'cancelled', ...this.#reasonOf(state) };
    const { position_in_queue: position } = await this.#metrics(vendorJobId, signal);
    return { status: 'queued', ...(typeof position === 'number' && { position }) };
  }

  async counts(
    vendorJobId: string,
    numBits: readonly number[],
    signal: AbortSignal,
  ): Promise<readonly Counts[]> {
    const path = `${pathOf(vendorJobId)}/results`;
    const found = (await this.#ask({ path }, results, signal)).results;
    checkNumResults(found.length, numBits.length, this.vendor, vendorJobId);
    const counts: Counts[] = [];
    for (const [i, { data }] of found.entries()) {
      counts.push(await this.#countsOf(vendorJobId, data[REGISTER], numBits[i]!, signal));
    }
    return counts;
  }

  #countsOf(
    vendorJobId: string,
    register: z.output<typeof results>['results'][number]['data'][string] | undefined,
    numBits: number,
    signal: AbortSignal,
  ): Promise<Counts> {
    if (register === undefined || register.num_bits !== numBits) {
      const what = `it has no register ${REGISTER} of ${numBits} bits`;
      throw new VendorResultError(this.vendor, vendorJobId, what);
    }
    const occurrences = new Map<string, number>();
    for (const sample of register.samples) {
      occurrences.set(sample, (occurrences.get(sample) ?? 0) + 1);
    }
    const outcomes = [...occurrences].map(([sample, n]) => [BigInt(sample), n] as const);
    if (outcomes.some(([outcome]) => outcome >> BigInt(numBits) !== 0n)) {
      const what = `it has outcomes of more than ${numBits} bits`;
      throw new VendorResultError(this.vendor, vendorJobId, what);
    }
    return outcomeCounts(outcomes, numBits, signal);
  }

  async cancel(vendorJobId: string, signal: AbortSignal): Promise<void> {
    const path = `${pathOf(vendorJobId)}/cancel`;
    await this.#ask({ path, method: 'POST' }, z.unknown(), signal);
  }

  close(): void {
    this.#runtime.close();
    this.#iam.close();
  }

  /** Asks with a token; with a new one if the vendor does not accept the old one. */
  async #ask<Schema extends z.ZodType>(
    request: UpstreamRequest,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    const wasKnown = this.#token !== undefined;
    const send = async () => {
      const headers = { authorization: `Bearer ${await this.#validToken(signal)}` };
      return await this.#runtime.ask({ ...request, headers }, schema, signal);
    };
    try {
      return await send();
    } catch (error) {
      if (!wasKnown || !isUnauthorized(error)) throw error;
      this.#token = undefined;
      return await send();
    }
  }

  async #validToken(signal: AbortSignal): Promise<string> {
    const { apiKey, now } = this.#options;
    if (this.#token !== undefined && now() < this.#token.endsAt) return this.#token.text;
    const body = new URLSearchParams({
      grant_type: 'urn:ibm:params:oauth:grant-type:apikey',
      apikey: apiKey,
    }).toString();
    const answer = await this.#iam.ask({ path: '/identity/token', body }, token, signal);
    const endsAt = now() + 1000 * (answer.expires_in - TOKEN_MARGIN_S);
    this.#token = { text: answer.access_token, endsAt };
    return answer.access_token;
  }

  #reasonOf({ reason, reason_code: code }: z.output<typeof job>['state']) {
    if (!reason) return {};
    const said = this.#runtime.shown(reason);
    return { reason: code === undefined || code === null ? said : `${said} (code ${code})` };
  }

  /** The vendor's measurements of a job; none if it refuses them, because a result is complete without. */
  async #metrics(vendorJobId: string, signal: AbortSignal): Promise<z.output<typeof metrics>> {
    try {
      return await this.#ask({ path: `${pathOf(vendorJobId)}/metrics` }, metrics, signal);
    } catch (error) {
      if (error instanceof UpstreamRefusedError) return {};
      throw error;
    }
  }

  /** The vendor's times of a completed job. */
  async #times(
    vendorJobId: string,
    signal: AbortSignal,
  ): Promise<{ readonly queueMs?: number; readonly executionMs?: number }> {
    const { timestamps = {} } = await this.#metrics(vendorJobId, signal);
    const [begun, running, finished] = [
      timestamps.created,
      timestamps.running,
      timestamps.finished,
    ].map((text) => Date.parse(text ?? ''));
    const queueMs = running! - begun!;
    const executionMs = finished! - running!;
    return {
      ...(Number.isFinite(queueMs) && { queueMs }),
      ...(Number.isFinite(executionMs) && { executionMs }),
    };
  }
}

function pathOf(vendorJobId: string): string {
  return `/jobs/${encodeURIComponent(vendorJobId)}`;
}

function isUnauthorized(error: unknown): boolean {
  if (!(error instanceof UpstreamError)) return false;
  return error.fault.kind === 'status' && error.fault.status === 401;
}
