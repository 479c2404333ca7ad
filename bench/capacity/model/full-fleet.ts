/**
 * Simulation of a fleet of 48 GPUs in virtual time: the live scheduler over circuits whose run times were
 * measured or modelled by the caller.
 *
 * The most that it does of a mix is found by sending it more than that; latencies are then taken at parts
 * of it, in open loops. Run times scatter around what they are said to be, so that the scheduler's
 * estimates are not exact.
 */

import type { Percentiles } from '../../../src/cli/capacity/percentiles.ts';
import { DEVICES_OF_A_NODE, NUM_NODES } from '../../../src/fleet/fleet-device.ts';
import type { Lane } from '../../../src/fleet/schedule/lane.ts';
import { RunEstimates } from '../../../src/fleet/schedule/run-estimates.ts';
import { levelOf, type RunWork } from '../../../src/fleet/schedule/scheduled-run.ts';
import { type FleetModel, modelFleet } from './fleet-model.ts';
import { SeededDraws } from './seeded-draws.ts';
import { simulateFleet } from './simulate-fleet.ts';
import type { SimulationResult } from './simulation-log.ts';
import { closedLoop, poissonArrivals, type SimulatedJob, type Workload } from './workload.ts';

/** A kind of circuit that the fleet is sent. */
export interface FleetKind {
  readonly qubits: number;
  readonly weight: number;
  readonly work: RunWork;
  /** Milliseconds on a GPU, everything included that keeps the GPU's process busy. */
  readonly gpuMs: number;
  /** On one thread of the CPU; absent where no thread takes it. */
  readonly cpuMs?: number;
}

/** Options of the simulation. */
interface FullFleetOptions {
  readonly kinds: readonly FleetKind[];
  readonly memoryBytes: number;
  /** CPU threads for small circuits. */
  readonly numThreads: number;
  readonly maxSmallQubits: number;
  readonly ageingMs: number;
  /** Jobs of the run whose latencies are reported by size. */
  readonly numJobs: number;
  /** Jobs of each of the other runs. */
  readonly numJobsOfAPoint: number;
  /** Parts of the most that the fleet does; the one at `load` is the long run. */
  readonly loads: readonly number[];
  readonly load: number;
  /** Standard deviation of the logarithm of the factor between a run time and that of its kind. */
  readonly sigma: number;
  readonly seed: number;
  /** Hears of each run before it starts. */
  readonly onRun?: (what: string) => void;
}

/** Latency at a part of the most. */
interface FleetPoint {
  readonly load: number;
  /** Sent, on average. */
  readonly perSecond: number;
  readonly latency: Percentiles;
}

/** One size of circuit. */
interface FleetSize {
  readonly qubits: number;
  /** If nothing else were sent. */
  readonly perSecondAlone: number;
  /** In the long run, among all sizes. */
  readonly latency: Percentiles;
  readonly numJobs: number;
}

/** Result of the simulation. */
export interface FullFleetResult {
  /** Jobs of the mix per second, at most. */
  readonly maxPerSecond: number;
  readonly points: readonly FleetPoint[];
  readonly sizes: readonly FleetSize[];
  readonly longRun: SimulationResult;
}

const NUM_KEYS = 24;
const NUM_ENTERPRISE_KEYS = 6;
/** So many per slot that none is ever idle. */
const CLIENTS_OF_A_DEVICE = 4;
/** Part of a run until the fleet has filled. */
const WARM_UP = 0.05;
/** One waiting job in this many is asked for its planned start. */
const PLAN_EVERY = 100;
const GPU_MODEL = 'gpu';
/** Purposes of random draws. */
const KIND = 1;
const KEY = 2;
const NOISE = 3;

interface FleetJob extends SimulatedJob {
  readonly kind: FleetKind;
}

/** Simulates the fleet. */
export function simulateFullFleet(options: FullFleetOptions): FullFleetResult {
  const { kinds, numJobs, numJobsOfAPoint, load, loads, onRun = () => {} } = options;
  const fleet = new FullFleet(options);
  onRun('the most of the mix');
  const maxPerSecond = fleet.mostOf(kinds, numJobsOfAPoint);
  const points: FleetPoint[] = [];
  let longRun: SimulationResult | undefined;
  for (const part of loads) {
    const count = part === load ? numJobs : numJobsOfAPoint;
    onRun(`${count} circuits at ${Math.round(100 * part)} % of it`);
    const perSecond = part * maxPerSecond;
    const result = fleet.atRate(kinds, perSecond, count);
    points.push({ load: part, perSecond, latency: result.latency });
    if (part === load) longRun = result;
  }
  if (longRun === undefined) throw new Error('unreachable: no run at the load that was asked for');
  const sizes = kinds.map((kind) => {
    onRun(`${kind.qubits} qubits alone`);
    const perSecondAlone = fleet.mostOf([kind], numJobsOfAPoint / 5);
    const latency = longRun.latencyBySize[sizeClass(kind)] ?? longRun.latency;
    const count = longRun.numBySize[sizeClass(kind)] ?? 0;
    return { qubits: kind.qubits, perSecondAlone, latency, numJobs: count };
  });
  return { maxPerSecond, points, sizes, longRun };
}

class FullFleet {
  readonly #options: FullFleetOptions;
  readonly #model: FleetModel;
  readonly #draws: SeededDraws;

  constructor(options: FullFleetOptions) {
    const { memoryBytes, numThreads, maxSmallQubits, seed } = options;
    this.#options = options;
    const count = NUM_NODES * DEVICES_OF_A_NODE;
    this.#model = modelFleet({
      adapters: Array.from({ length: count }, () => ({ memoryBytes, numDevices: 1 })),
      cpu: { numThreads, maxSmallQubits, wideBytes: 0 },
    });
    this.#draws = new SeededDraws(seed);
  }

  /** Circuits a second where there are always more. */
  mostOf(kinds: readonly FleetKind[], numJobs: number): number {
    const clients = CLIENTS_OF_A_DEVICE * this.#model.devices.length;
    return this.#run(closedLoop(numJobs, clients, this.#maker(kinds)), numJobs).perSecond;
  }

  atRate(kinds: readonly FleetKind[], perSecond: number, numJobs: number): SimulationResult {
    const workload = poissonArrivals(numJobs, perSecond, this.#draws, this.#maker(kinds));
    return this.#run(workload, numJobs, PLAN_EVERY);
  }

  #run(workload: Workload<FleetJob>, numJobs: number, planEvery = 0): SimulationResult {
    const { ageingMs, maxSmallQubits, sigma } = this.#options;
    const estimates = new RunEstimates();
    for (const { id, kind } of this.#model.lanes) {
      if (kind === 'adapter') estimates.setModel(id, GPU_MODEL);
    }
    const serviceMs = ({ kind: lane }: Lane, { kind, index }: FleetJob) =>
      this.#draws.logNormal(index, NOISE, sigma) *
      (lane === 'small' ? (kind.cpuMs ?? kind.gpuMs) : kind.gpuMs);
    return simulateFleet({
      fleet: this.#model,
      workload,
      serviceMs,
      ageingMs,
      maxSmallQubits,
      estimates,
      planEvery,
      numWarmUp: Math.floor(WARM_UP * numJobs),
    });
  }

  #maker(kinds: readonly FleetKind[]): (index: number) => FleetJob {
    const weights = kinds.map(({ weight }) => weight);
    return (index) => {
      const kind = kinds[this.#draws.weighted(index, KIND, weights)];
      if (kind === undefined) throw new Error('unreachable: a mix without circuits');
      const key = Math.floor(NUM_KEYS * this.#draws.uniform(index, KEY));
      const tier = key < NUM_ENTERPRISE_KEYS ? 'enterprise' : 'standard';
      return {
        id: `${index}`,
        index,
        processor: 'gpu-fleet',
        key: `key-${key}`,
        level: levelOf('normal', tier),
        tier,
        sizeClass: sizeClass(kind),
        mayRunOn: 'adapter-or-cpu',
        precision: 'f32',
        work: kind.work,
        needsDevice: true,
        failedOn: NOWHERE,
        kind,
      };
    };
  }
}

const NOWHERE: ReadonlySet<never> = new Set();

/** Sorts by width. */
function sizeClass({ qubits }: FleetKind): string {
  return String(qubits).padStart(2, '0');
}
