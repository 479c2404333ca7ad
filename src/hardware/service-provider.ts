/**
 * Another instance of this service as a provider: one of its processors is the device, an emulated one or hardware.
 * A job is a batch there, with a program for each circuit.
 *
 * The same circuit is never submitted twice: the tag is the Idempotency-Key, too.
 */
import { z } from 'zod';
import type { Counts } from '../engine/engine.ts';
import type { Calibration } from '../fleet/processor.ts';
import { UpstreamClient } from '../upstream/upstream-client.ts';
import { errorsOf, faultOfGates, isMapOf, MAX_DEVICE_QUBITS } from './device-facts.ts';
import { VendorResultError } from './errors.ts';
import { checkNumResults, outcomeCounts } from './outcome-counts.ts';
import type {
  DeviceDescription,
  HardwareProvider,
  VendorJob,
  VendorSubmission,
} from './provider.ts';

/** Largest body of an answer: counts of a million outcomes. */
const MAX_BODY_BYTES = 256 * 2 ** 20;
const MAX_SOURCE_LENGTH = 1000;
const REFUSALS: readonly number[] = [400, 404, 409, 413, 422];

const time = z.iso.datetime().transform((text) => Date.parse(text));
const dataOf = <Schema extends z.ZodType>(schema: Schema) => z.object({ data: schema });
const qubit = z
  .int()
  .min(0)
  .max(MAX_DEVICE_QUBITS - 1);
const pair = z.tuple([qubit, qubit]);

const processor = dataOf(
  z.object({
    name: z.string(),
    available: z.boolean(),
    reason: z.string().optional(),
    max_qubits: z.int().min(0).max(MAX_DEVICE_QUBITS),
    max_shots: z.int(),
    queue_depth: z.int().min(0),
    basis: z.enum(['measured', 'modelled']).optional(),
    source: z.string().optional(),
    coupling_map: z
      .array(pair)
      .refine((map) => isMapOf(MAX_DEVICE_QUBITS, map))
      .optional(),
    symmetric_couplers: z.boolean().optional(),
    native_gates: z.array(z.string()).optional(),
    abilities: z
      .object({ mid_circuit_measurement: z.boolean(), reset: z.boolean(), condition: z.boolean() })
      .optional(),
    calibration: z
      .object({
        calibrated_at: time.optional(),
        qubits: z.array(
          z.object({
            qubit,
            t1_us: z.number().optional(),
            t2_us: z.number().optional(),
            readout_error: z.number().optional(),
            gate_error: z.number().optional(),
          }),
        ),
        couplers: z.array(
          z.object({ qubits: pair, gate: z.string(), gate_error: z.number().optional() }),
        ),
      })
      .optional(),
  }),
);

/** Circuits of one job. An instance takes more; fewer bring the first results of a batch sooner. */
const MAX_CIRCUITS = 100;
const submitted = dataOf(z.object({ batch_id: z.string() }));
const listing = dataOf(z.object({ batches: z.array(z.object({ batch_id: z.string() })) }));
const record = dataOf(
  z.object({
    status: z.enum(['queued', 'running', 'completed', 'failed', 'cancelled']),
    queue_position: z.int().optional(),
    created_at: time,
    started_at: time.optional(),
    error: z.object({ message: z.string() }).optional(),
    timing: z.object({ execution_ms: z.number().optional() }).optional(),
  }),
);
/** Outcomes are bits, and hexadecimal numbers in registers of more than 64 bits. */
const outcomes = z.record(
  z.string().regex(/^(?:[01]+|0x[0-9a-f]+)$/),
  z
    .int()
    .positive()
    .max(2 ** 32 - 1),
);
const countsRecord = dataOf(
  z.object({ programs: z.array(z.object({ counts: z.tuple([outcomes]) })) }),
);

/** Address of the other instance. */
export interface ServiceProviderOptions {
  /** Origin, perhaps with a path, without a trailing slash; `/api/v1` follows. */
  readonly baseUrl: string;
  /** API key there. */
  readonly apiKey: string;
  /** Id of the processor. */
  readonly processor: string;
  readonly timeoutMs: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** A processor of another instance. */
export class ServiceProvider implements HardwareProvider {
  readonly vendor = 'Quantum Compute Service';
  readonly device: string;
  readonly maxCircuits = MAX_CIRCUITS;
  readonly #now: () => number;
  readonly #client: UpstreamClient;

  constructor({ baseUrl, apiKey, processor: device, timeoutMs, now }: ServiceProviderOptions) {
    this.device = device;
    this.#now = now;
    this.#client = new UpstreamClient({
      who: 'The other service',
      baseUrl: `${baseUrl}/api/v1`,
      headers: { 'x-api-key': apiKey },
      secrets: [apiKey],
      timeoutMs,
      maxBodyBytes: MAX_BODY_BYTES,
      isRefusal: (status) => REFUSALS.includes(status),
      now,
    });
  }

  async describe(signal: AbortSignal): Promise<DeviceDescription> {
    const path = `/quantum/processors/${encodeURIComponent(this.device)}`;
    const { data } = await this.#client.ask({ path }, processor, signal);
    const { coupling_map: couplers = [], native_gates: nativeGates = [], abilities } = data;
    const calibration = data.calibration && calibrationOf(data.calibration, this.#now());
    const reason = data.available
      ? faultOf(couplers, nativeGates)
      : this.#client.shown(data.reason ?? 'Offline.');
    // Hardware there may have qubits without couplers, which its max_qubits leaves out.
    const numQubits = couplers.reduce(
      (most, [a, b]) => Math.max(most, a + 1, b + 1),
      data.max_qubits,
    );
    return {
      name: this.#client.shown(data.name),
      device: {
        numQubits,
        couplers,
        isSymmetric: data.symmetric_couplers ?? false,
        nativeGates,
        abilities: {
          midCircuitMeasurement: abilities?.mid_circuit_measurement ?? false,
          reset: abilities?.reset ?? false,
          condition: abilities?.condition ?? false,
        },
        ...(calibration && { errors: errorsOf(calibration, numQubits, couplers) }),
      },
      basis: data.basis ?? 'measured',
      source: this.#client.shown(data.source ?? '', MAX_SOURCE_LENGTH),
      maxShots: data.max_shots,
      ...(reason !== undefined && { reason }),
      queueDepth: data.queue_depth,
      ...(calibration && { calibration }),
    };
  }

  async submit({ circuits, shots, tag }: VendorSubmission, signal: AbortSignal): Promise<string> {
    const programs = circuits.map((qasm) => ({ qasm }));
    const body = { programs, shots, target_processor: this.device, tags: [tag] };
    const headers = { prefer: 'respond-async', 'idempotency-key': tag };
    const request = { path: '/quantum/batches', body, headers };
    return (await this.#client.ask(request, submitted, signal)).data.batch_id;
  }

  async find(tag: string, signal: AbortSignal): Promise<string | undefined> {
    const path = `/quantum/batches?limit=1&tag=${encodeURIComponent(tag)}`;
    const { data } = await this.#client.ask({ path }, listing, signal);
    return data.batches[0]?.batch_id;
  }

  async poll(vendorJobId: string, signal: AbortSignal): Promise<VendorJob> {
    const { data } = await this.#client.ask({ path: pathOf(vendorJobId) }, record, signal);
    const { status } = data;
    switch (status) {
      case 'queued':
        return {
          status,
          ...(data.queue_position !== undefined && { position: data.queue_position }),
        };
      case 'running':
        return { status };
      case 'completed': {
        const { started_at: startedAt, created_at: createdAt } = data;
        const executionMs = data.timing?.execution_ms;
        return {
          status,
          ...(startedAt !== undefined && { queueMs: startedAt - createdAt }),
          ...(executionMs !== undefined && { executionMs }),
        };
      }
      case 'failed':
      case 'cancelled':
        return {
          status,
          ...(data.error && { reason: this.#client.shown(data.error.message) }),
        };
    }
  }

  async counts(
    vendorJobId: string,
    numBits: readonly number[],
    signal: AbortSignal,
  ): Promise<readonly Counts[]> {
    const { data } = await this.#client.ask({ path: pathOf(vendorJobId) }, countsRecord, signal);
    const found = data.programs;
    checkNumResults(found.length, numBits.length, this.vendor, vendorJobId);
    const counts: Counts[] = [];
    for (const [i, program] of found.entries()) {
      counts.push(await this.#countsOf(vendorJobId, program.counts[0], numBits[i]!, signal));
    }
    return counts;
  }

  #countsOf(
    vendorJobId: string,
    given: z.output<typeof outcomes>,
    numBits: number,
    signal: AbortSignal,
  ): Promise<Counts> {
    const entries = Object.entries(given);
    const occurrences = entries.map(([label, n]) => {
      const outcome = outcomeOf(label, numBits);
      if (outcome !== undefined) return [outcome, n] as const;
      const what = `the outcome ${label} has not ${numBits} bits`;
      throw new VendorResultError(this.vendor, vendorJobId, what);
    });
    return outcomeCounts(occurrences, numBits, signal);
  }

  async cancel(vendorJobId: string, signal: AbortSignal): Promise<void> {
    const path = `${pathOf(vendorJobId)}/cancel`;
    await this.#client.ask({ path, method: 'POST' }, z.unknown(), signal);
  }

  close(): void {
    this.#client.close();
  }
}

function pathOf(vendorJobId: string): string {
  return `/quantum/batches/${encodeURIComponent(vendorJobId)}`;
}

/** The outcome that a label stands for; undefined where the label has another number of bits. */
function outcomeOf(label: string, numBits: number): bigint | undefined {
  const isHex = label.startsWith('0x');
  const length = isHex ? 2 + Math.ceil(numBits / 4) : numBits;
  if (label.length !== length) return undefined;
  const outcome = BigInt(isHex ? label : `0b${label}`);
  return outcome >> BigInt(numBits) === 0n ? outcome : undefined;
}

/** Why circuits cannot be fitted to the processor. */
function faultOf(couplers: readonly unknown[], nativeGates: readonly string[]): string | undefined {
  if (couplers.length === 0) return 'The processor of the other service has no coupling map.';
  return faultOfGates(nativeGates);
}

function calibrationOf(
  reported: NonNullable<z.output<typeof processor>['data']['calibration']>,
  fetchedAt: number,
): Calibration {
  const { calibrated_at: calibratedAt, qubits, couplers } = reported;
  return {
    fetchedAt,
    ...(calibratedAt !== undefined && { calibratedAt }),
    qubits: qubits.map(({ qubit, t1_us, t2_us, readout_error, gate_error }) => ({
      qubit,
      ...(t1_us !== undefined && { t1Us: t1_us }),
      ...(t2_us !== undefined && { t2Us: t2_us }),
      ...(readout_error !== undefined && { readoutError: readout_error }),
      ...(gate_error !== undefined && { gateError: gate_error }),
    })),
    couplers: couplers.map(({ qubits: on, gate, gate_error }) => ({
      qubits: on,
      gate,
      ...(gate_error !== undefined && { gateError: gate_error }),
    })),
  };
}
