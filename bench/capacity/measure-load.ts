/** Drives the service through all loads and reads its own figures. */

import { HttpConnections, httpRequest } from '../../src/cli/capacity/http-load.ts';
import { type Percentiles, percentilesOf } from '../../src/cli/capacity/percentiles.ts';
import type { CircuitMix, MixClass } from './circuit-mix.ts';
import {
  closedLoad,
  eachOnce,
  type LoadResult,
  type LoadTarget,
  MixRequests,
  openLoad,
  type Sample,
  VARIANTS,
} from './load.ts';
import { measureStartErrors, type StartErrors } from './start-estimates.ts';

/** Mean times of the parts of a circuit's latency, milliseconds. */
export interface Costs {
  /** The client's latency without all of the parts below: HTTP, reading, checking, storing and answering. */
  readonly http: number;
  readonly queue: number;
  readonly compile: number;
  /** Execution: evolution, and also sampling if `sampling` is absent or a batch did not report it. */
  readonly execution: number;
  /** Sampling, a part of the execution. Absent if any answer does not report it. */
  readonly sampling?: number;
}

/** Results of one load. */
export interface LoadStep {
  readonly kind: 'closed' | 'open';
  /** Connections for a closed loop; circuits per second for an open one. */
  readonly offered: number;
  readonly perSecond: number;
  readonly numVerified: number;
  readonly numRefused: number;
  /** Milliseconds. In an open loop it counts from the planned time of sending. */
  readonly latency: Percentiles;
  readonly latencyBySize: Readonly<Record<string, Percentiles>>;
  readonly costs: Costs;
  readonly costsBySize: Readonly<Record<string, Costs>>;
}

/** Load of a device during all loads. */
export interface DeviceLoad {
  readonly id: string;
  readonly node: string;
  /** Fraction of the time during which the device had a circuit. */
  readonly utilisation: number;
  readonly completed: number;
  readonly backing: string;
  readonly modelled: boolean;
}

/** Measurements of the service. */
export interface ServiceMeasurement {
  readonly mix: CircuitMix;
  readonly warmUp: LoadStep;
  /** Circuits of the mix that were new to the service, sent over one connection after the loads. */
  readonly newCircuits: LoadStep;
  readonly closed: readonly LoadStep[];
  readonly open: readonly LoadStep[];
  /** Empty if the service lists no devices. */
  readonly devices: readonly DeviceLoad[];
  /** Absent if job records have no expected start. */
  readonly startErrors: readonly StartErrors[];
  /** Execution that the processor's listing states. */
  readonly processor: { readonly id: string; readonly execution: string };
}

/** Loads to drive. */
export interface LoadPlan {
  readonly mix: CircuitMix;
  readonly connections: readonly number[];
  /** Circuits per second. If undefined, the rates are fractions of the best closed loop's throughput. */
  readonly rates: readonly number[] | undefined;
  readonly secondsOfAStep: number;
  /** Circuits sent at once to compare expected and actual starts; 0 for none. */
  readonly numStarts: number;
  readonly seed: number;
  readonly now: () => number;
  readonly onStep: (what: string) => void;
}

/** Connections of the warm-up load. */
const WARM_UP = 8;
/** Rates of open loops, as fractions of the best closed loop's throughput. */
const RATE_PARTS = [0.2, 0.4, 0.6, 0.8, 0.9] as const;
/** Circuits sent at once to compare expected and actual starts: many quick ones and some slow ones. */
const START_TRIALS: readonly { readonly kind: MixClass; readonly part: number }[] = [
  { kind: { qubits: 16, layers: 8, shots: 1000, weight: 1 }, part: 1 },
  { kind: { qubits: 20, layers: 12, shots: 1000, weight: 1 }, part: 0.4 },
];

/** Measures the service. */
export async function measureService(
  target: LoadTarget,
  plan: LoadPlan,
): Promise<ServiceMeasurement> {
  const { mix, connections, secondsOfAStep: seconds, seed, onStep } = plan;
  const requests = new MixRequests(mix, target, seed);
  onStep('each circuit once');
  const first = stepOf('closed', WARM_UP, await eachOnce(requests, WARM_UP));
  const before = await devicesOf(target);
  const begin = performance.now();
  const closed: LoadStep[] = [];
  for (const count of connections) {
    onStep(`closed loop, ${count} connections`);
    closed.push(stepOf('closed', count, await closedLoad(requests, count, seconds)));
  }
  const most = Math.max(...closed.map(({ perSecond }) => perSecond));
  const rates = plan.rates ?? RATE_PARTS.map((part) => Math.max(1, Math.round(part * most)));
  const open: LoadStep[] = [];
  for (const rate of rates) {
    onStep(`open loop, ${rate} circuits a second`);
    open.push(stepOf('open', rate, await openLoad(requests, rate, seconds, seed)));
  }
  const elapsedMs = performance.now() - begin;
  const devices = usedBetween(before, await devicesOf(target), elapsedMs);
  onStep('circuits that it has not met');
  const others = new MixRequests(mix, target, seed + VARIANTS);
  const newCircuits = stepOf('closed', 1, await eachOnce(others, 1));
  const startErrors: StartErrors[] = [];
  for (const { kind, part } of START_TRIALS) {
    const count = Math.round(part * plan.numStarts);
    if (count === 0) continue;
    onStep(`expected starts of ${count} circuits of ${kind.qubits} qubits`);
    const errors = await measureStartErrors(target, kind, count, plan.now);
    if (errors !== undefined) startErrors.push(errors);
  }
  return {
    mix,
    warmUp: first,
    newCircuits,
    closed,
    open,
    devices,
    startErrors,
    processor: { id: target.processor, execution: await executionOf(target) },
  };
}

/** Computes the figures of one load from its samples. */
export function stepOf(
  kind: 'closed' | 'open',
  offered: number,
  { samples, numRefused, seconds }: LoadResult,
): LoadStep {
  const bySize = Object.entries(Object.groupBy(samples, ({ qubits }) => String(qubits)));
  const latencyOf = (some: readonly Sample[]) =>
    percentilesOf(some.map(({ latencyMs }) => latencyMs));
  return {
    kind,
    offered,
    perSecond: samples.length / seconds,
    numVerified: samples.length,
    numRefused,
    latency: latencyOf(samples),
    latencyBySize: Object.fromEntries(bySize.map(([size, some = []]) => [size, latencyOf(some)])),
    costs: costsOf(samples),
    costsBySize: Object.fromEntries(bySize.map(([size, some = []]) => [size, costsOf(some)])),
  };
}

function costsOf(samples: readonly Sample[]): Costs {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / Math.max(1, samples.length);
  const hasSampling = samples.length > 0 && samples.every((s) => s.samplingMs !== undefined);
  const sampling = mean(({ samplingMs = 0 }) => samplingMs);
  return {
    http: mean((s) => Math.max(0, s.latencyMs - s.queueMs - s.compileMs - s.executionMs)),
    queue: mean(({ queueMs }) => queueMs),
    compile: mean(({ compileMs }) => compileMs),
    execution: mean(({ executionMs }) => executionMs) - (hasSampling ? sampling : 0),
    ...(hasSampling && { sampling }),
  };
}

interface DeviceRecord {
  readonly id: string;
  readonly node: string;
  readonly modelled: boolean;
  readonly backing: { readonly name: string };
  readonly counters: { readonly completed: number; readonly busy_ms: number };
}

/** Lists the service's devices; empty if it has no such listing. */
async function devicesOf(target: LoadTarget): Promise<readonly DeviceRecord[]> {
  const { status, body } = await get(target, '/quantum/processors/gpu-fleet/devices');
  if (status !== 200) return [];
  const answer: { readonly data?: { readonly devices?: readonly DeviceRecord[] } } =
    JSON.parse(body);
  return answer.data?.devices ?? [];
}

function usedBetween(
  before: readonly DeviceRecord[],
  after: readonly DeviceRecord[],
  elapsedMs: number,
): readonly DeviceLoad[] {
  const earlier = new Map(before.map((device) => [device.id, device.counters]));
  return after.map(({ id, node, counters, backing, modelled }) => {
    const { completed = 0, busy_ms = 0 } = earlier.get(id) ?? {};
    return {
      id,
      node,
      utilisation: Math.min(1, Math.max(0, counters.busy_ms - busy_ms) / elapsedMs),
      completed: counters.completed - completed,
      backing: backing.name,
      modelled,
    };
  });
}

async function executionOf(target: LoadTarget): Promise<string> {
  const { body } = await get(target, `/quantum/processors/${target.processor}`);
  const answer: { readonly data?: { readonly execution?: string } } = JSON.parse(body);
  return answer.data?.execution ?? 'unknown';
}

async function get({ origin, key }: LoadTarget, path: string) {
  using connection = new HttpConnections(1);
  const url = new URL(`/api/v1${path}`, origin);
  return await connection.send(httpRequest('GET', url, { 'x-api-key': key }));
}
