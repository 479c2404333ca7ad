/** Traces: a fleet and the circuits sent to it, as stored in `bench/traces/*.json`. */
import { readdirSync, readFileSync } from 'node:fs';
import { type Lane, MAX_SMALL_QUBITS } from '../../src/fleet/schedule/lane.ts';
import { levelOf, type MayRunOn, type Tier } from '../../src/fleet/schedule/scheduled-run.ts';
import { type FleetModel, modelFleet } from '../capacity/model/fleet-model.ts';
import {
  type CircuitShape,
  FLOPS_OF_A_GATE,
  type Hardware,
  modelledMs,
} from '../capacity/model/hardware.ts';
import { SeededDraws } from '../capacity/model/seeded-draws.ts';
import type { Arrival, SimulatedJob } from '../capacity/model/workload.ts';

/** Adapters of the traces: nominal bandwidths less a tenth, and memory less a reserve. */
const CARDS = {
  h200: card('h200', 4.3e12, 60e12, 138e9),
  a100: card('a100', 1.8e12, 19e12, 78e9),
  l4: card('l4', 0.27e12, 30e12, 22e9),
} as const;

/** Whole machines by their CPUs: one thread for a small circuit, all for a wide one. */
const CPU = {
  small: card('a thread', 12e9, 40e9, 0),
  wide: card('all threads', 120e9, 1e12, 0),
};

/** Duration of exchanges between adapters that hold a state together, relative to the sweeps. */
const EXCHANGE_PART = 0.5;

/** A trace as it is stored. */
export interface Trace {
  readonly name: string;
  readonly description: string;
  readonly fleet: {
    readonly adapters: readonly { readonly card: keyof typeof CARDS; readonly devices: number }[];
    readonly cpuThreads: number;
    readonly wideGib: number;
    readonly cpuDevices: number;
    readonly spreads: readonly (readonly number[])[];
  };
  /** `[at ms, qubits, sweeps, gates, shots, key, tier, may run on]`, in order of arrival. */
  readonly jobs: readonly (readonly [
    number,
    number,
    number,
    number,
    number,
    number,
    Tier,
    MayRunOn,
  ])[];
}

/** A circuit of a trace. */
export interface TraceJob extends SimulatedJob {
  readonly shape: CircuitShape;
}

/** A trace ready to be simulated. */
export interface Replay {
  readonly trace: Trace;
  readonly fleet: FleetModel;
  readonly arrivals: readonly Arrival<TraceJob>[];
  /** Expected duration by the model, known before a job runs. */
  readonly expectedMs: (lane: Lane, job: TraceJob) => number;
  /** Hardware of a lane by name: lanes of one kind take equally long. */
  readonly hardwareOf: (lane: Lane) => string;
}

/** The committed traces, by name. */
export function readTraces(): readonly Trace[] {
  const folder = new URL('../traces/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  // Written by generate-traces.ts only.
  return files
    .toSorted()
    .map((file): Trace => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
}

/**
 * Milliseconds of one run whose state is spread over several alike adapters: each computes on its
 * share, and between sweeps shares are exchanged.
 */
function spreadMs(hardware: Hardware, shape: CircuitShape, numAdapters: number): number {
  const { fixedMs } = hardware;
  const numQubits = shape.numQubits - Math.log2(numAdapters);
  const onOne = modelledMs(hardware, { ...shape, numQubits });
  return fixedMs + (onOne - fixedMs) * (1 + EXCHANGE_PART);
}

/** Builds the fleet and jobs that a trace describes. */
export function replayOf(trace: Trace): Replay {
  const { adapters, cpuThreads, wideGib, cpuDevices, spreads } = trace.fleet;
  const wideBytes = wideGib * 2 ** 30;
  const fleet = modelFleet({
    adapters: adapters.map((adapter) => ({
      memoryBytes: CARDS[adapter.card].memoryBytes,
      numDevices: adapter.devices,
    })),
    cpu: { numThreads: cpuThreads, maxSmallQubits: MAX_SMALL_QUBITS, wideBytes },
    spreads,
    cpuDevices: { count: cpuDevices, budgetBytes: wideBytes / Math.max(1, cpuDevices) },
  });
  const hardware = (lane: Lane): Hardware => {
    if (lane.kind === 'small' || lane.kind === 'wide') return CPU[lane.kind];
    const [first = ''] = lane.pools;
    return CARDS[adapters[Number(first.slice('adapter-'.length))]?.card ?? 'l4'];
  };
  return {
    trace,
    fleet,
    arrivals: trace.jobs.map((row, index) => ({ at: row[0], job: jobOf(row, index) })),
    expectedMs: (lane, { shape }) =>
      lane.kind === 'spread'
        ? spreadMs(hardware(lane), shape, lane.pools.length)
        : modelledMs(hardware(lane), shape),
    hardwareOf: (lane) => `${hardware(lane).name} × ${lane.pools.length}`,
  };
}

/** Purpose of the draws of the noise of run times. */
const NOISE = 1;

/** Actual times: the model's, times a log-normal factor for each job. */
export function trueTimes(
  { expectedMs }: Replay,
  sigma: number,
  seed: number,
): (lane: Lane, job: TraceJob) => number {
  const draws = new SeededDraws(seed);
  const factors = new Map<number, number>();
  return (lane, job) => {
    let factor = factors.get(job.index);
    if (factor === undefined) {
      factor = draws.logNormal(job.index, NOISE, sigma);
      factors.set(job.index, factor);
    }
    return factor * expectedMs(lane, job);
  };
}

const NOWHERE: ReadonlySet<never> = new Set();

function jobOf(
  [, numQubits, numSweeps, numGates, shots, key, tier, mayRunOn]: Trace['jobs'][number],
  index: number,
): TraceJob {
  const flopsPerAmplitude = FLOPS_OF_A_GATE * numGates;
  return {
    id: `${index}`,
    index,
    processor: mayRunOn === 'cpu' ? 'statevector-sim' : 'gpu-fleet',
    key: `key-${key}`,
    level: levelOf('normal', tier),
    tier,
    sizeClass: `${numQubits}`,
    mayRunOn,
    precision: mayRunOn === 'cpu' ? 'f64' : 'f32',
    work: {
      numQubits,
      numOperations: 2 * numGates,
      gateCost: 8 * numGates,
      isBranching: false,
      shots,
      numReadouts: 0,
    },
    needsDevice: mayRunOn !== 'cpu',
    failedOn: NOWHERE,
    shape: { numQubits, numSweeps, flopsPerAmplitude },
  };
}

function card(name: string, bytesPerSecond: number, flopsPerSecond: number, memoryBytes: number) {
  return { name, bytesPerSecond, flopsPerSecond, memoryBytes, fixedMs: 0.1 };
}
