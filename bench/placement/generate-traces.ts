/**
 * `node bench/placement/generate-traces.ts`: regenerates `bench/traces/*.json` from fixed seeds.
 * Arrival rates exceed the fleets' capacity, so that there is always something to place.
 */
import { writeFileSync } from 'node:fs';
import { MAX_SMALL_QUBITS } from '../../src/fleet/schedule/lane.ts';
import type { MayRunOn, Tier } from '../../src/fleet/schedule/scheduled-run.ts';
import { SeededDraws } from '../capacity/model/seeded-draws.ts';
import type { Trace } from './trace.ts';

/** Distributions of a trace's jobs. */
interface Recipe {
  readonly name: string;
  readonly description: string;
  readonly seed: number;
  readonly fleet: Trace['fleet'];
  readonly numJobs: number;
  /** Starts a trace; returns the arrival time of each job, in order; milliseconds. */
  readonly arrivals: () => (index: number, draws: SeededDraws) => number;
  /** Draws a width. */
  readonly qubits: (index: number, draws: SeededDraws) => number;
  readonly numKeys: number;
  /** Fraction of the jobs from an Enterprise key. */
  readonly enterprise?: number;
  /** Fraction of the small jobs sent to the processor that only the CPU serves. */
  readonly onCpu?: number;
}

/** Purposes of random draws. */
const AT = 1;
const WIDTH = 2;
const SWEEPS = 3;
const GATES = 4;
const SHOTS = 5;
const KEY = 6;
const ON_CPU = 7;
const BURST = 8;

const NO_CPU = { cpuThreads: 0, wideGib: 0, cpuDevices: 0 };
const cards = (card: 'h200' | 'a100' | 'l4', count: number, devices = 1) =>
  Array.from({ length: count }, () => ({ card, devices }));
const between = (from: number, to: number) => (index: number, draws: SeededDraws) =>
  from + Math.floor(draws.uniform(index, WIDTH) * (to - from + 1));

/** Widths with a long tail: most are small, and larger ones are increasingly rare. */
const longTailed =
  (from: number, to: number, mean: number) => (index: number, draws: SeededDraws) =>
    Math.min(to, from + Math.floor(draws.exponential(index, WIDTH, mean)));

/** Arrivals at a constant mean rate. */
function steady(perSecond: number) {
  let at = 0;
  return (index: number, draws: SeededDraws) => {
    at += draws.exponential(index, AT, 1000 / perSecond);
    return at;
  };
}

/** Bursts of arrivals, `size` at about one time. */
function bursts(size: number, everyMs: number) {
  return (index: number, draws: SeededDraws) =>
    Math.floor(index / size) * everyMs + 5 * draws.uniform(index, BURST);
}

const RECIPES: readonly Recipe[] = [
  {
    name: 'uniform-small',
    description: '2 to 12 qubits on 2 GPUs and 4 threads, steadily more than they can do',
    seed: 1,
    fleet: { ...NO_CPU, adapters: cards('h200', 2, 24), cpuThreads: 4, spreads: [] },
    numJobs: 3000,
    arrivals: () => steady(80_000),
    qubits: between(2, 12),
    numKeys: 12,
  },
  {
    name: 'long-tailed',
    description: '4 to 30 qubits, most of them small, on 8 GPUs and 8 threads',
    seed: 2,
    fleet: { ...NO_CPU, adapters: cards('h200', 8, 6), cpuThreads: 8, spreads: [] },
    numJobs: 4000,
    arrivals: () => steady(3000),
    qubits: longTailed(4, 30, 9),
    numKeys: 20,
  },
  {
    name: 'bursts',
    description: 'bursts of 200 circuits of 16 to 28 qubits on 8 GPUs, one before the last is done',
    seed: 3,
    fleet: { ...NO_CPU, adapters: cards('a100', 8), spreads: [] },
    numJobs: 2000,
    arrivals: () => bursts(200, 150),
    qubits: between(16, 28),
    numKeys: 10,
  },
  {
    name: 'unlike-adapters',
    description: '18 to 33 qubits on 2 H200, 4 A100 and 6 L4, unlike in speed and memory',
    seed: 4,
    fleet: {
      ...NO_CPU,
      adapters: [...cards('h200', 2), ...cards('a100', 4), ...cards('l4', 6)],
      spreads: [],
    },
    numJobs: 4000,
    arrivals: () => steady(400),
    qubits: longTailed(18, 33, 4),
    numKeys: 10,
  },
  {
    name: 'cpu-fallback',
    description: 'no adapter: 48 devices on 32 threads, 2 to 24 qubits, two processors',
    seed: 5,
    fleet: { adapters: [], cpuThreads: 32, wideGib: 64, cpuDevices: 48, spreads: [] },
    numJobs: 2000,
    arrivals: () => steady(20_000),
    qubits: longTailed(2, 24, 6),
    numKeys: 10,
    onCpu: 0.3,
  },
  {
    name: 'wide-on-shares',
    description:
      '24 to 34 qubits on 6 GPUs shared by 8 devices each; many take several devices’ memory, some two GPUs',
    seed: 6,
    fleet: {
      ...NO_CPU,
      adapters: cards('a100', 6, 8),
      spreads: [
        [0, 1],
        [2, 3],
        [4, 5],
      ],
    },
    numJobs: 2500,
    arrivals: () => steady(120),
    qubits: longTailed(24, 34, 2),
    numKeys: 10,
  },
  {
    name: 'two-tiers',
    description: '48 GPUs, 10 to 30 qubits, 24 keys of which 6 are Enterprise',
    seed: 7,
    fleet: { ...NO_CPU, adapters: cards('h200', 48), spreads: [] },
    numJobs: 4000,
    arrivals: () => steady(8000),
    qubits: longTailed(10, 30, 8),
    numKeys: 24,
    enterprise: 0.25,
  },
];

/**
 * All traces.
 *
 * @param shift - Added to the seeds: other values than 0 give traces of the same kinds as the
 *   committed ones.
 */
export function generateTraces(shift = 0): readonly Trace[] {
  return RECIPES.map((recipe) => {
    const { name, description, fleet, numJobs, seed } = recipe;
    const draws = new SeededDraws(seed + shift);
    const at = recipe.arrivals();
    const jobs = Array.from({ length: numJobs }, (_, index) =>
      drawJob(recipe, index, at(index, draws), draws),
    );
    return { name, description, fleet, jobs: jobs.toSorted((a, b) => a[0] - b[0]) };
  });
}

function drawJob(
  { qubits, numKeys, enterprise = 0, onCpu = 0 }: Recipe,
  index: number,
  at: number,
  draws: SeededDraws,
): Trace['jobs'][number] {
  const width = qubits(index, draws);
  const sweeps = 2 + Math.floor(6 * draws.uniform(index, SWEEPS));
  const gates = Math.round(width * (1 + 9 * draws.uniform(index, GATES)));
  const shots = Math.round(10 ** (2 + 2 * draws.uniform(index, SHOTS)));
  const key = Math.floor(numKeys * draws.uniform(index, KEY));
  const tier: Tier = key < enterprise * numKeys ? 'enterprise' : 'standard';
  const isOnCpu = width <= MAX_SMALL_QUBITS && draws.uniform(index, ON_CPU) < onCpu;
  const mayRunOn: MayRunOn = isOnCpu ? 'cpu' : 'adapter-or-cpu';
  const millisecond = Number(at.toFixed(3));
  return [millisecond, width, sweeps, gates, shots, key, tier, mayRunOn];
}

/** Text of a trace's file, one line a job. */
export function traceText({ jobs, ...rest }: Trace): string {
  const head = JSON.stringify(rest, null, 2).slice(0, -2);
  return `${head},\n  "jobs": [\n${jobs.map((job) => `    ${JSON.stringify(job)}`).join(',\n')}\n  ]\n}\n`;
}

if (import.meta.main) {
  for (const trace of generateTraces()) {
    writeFileSync(new URL(`../traces/${trace.name}.json`, import.meta.url), traceText(trace));
  }
}
