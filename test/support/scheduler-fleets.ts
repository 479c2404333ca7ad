/** Random fleets and runs for tests of the scheduler. */
import type { DeviceView, Lane, LaneId, PoolId } from '../../src/fleet/schedule/lane.ts';
import { RunEstimates } from '../../src/fleet/schedule/run-estimates.ts';
import type { MayRunOn, RunWork, ScheduledRun } from '../../src/fleet/schedule/scheduled-run.ts';
import type { RandomStream } from './random-stream.ts';

/** A fleet and what its processors may run on. */
export interface TestFleet {
  readonly lanes: readonly Lane[];
  readonly slots: ReadonlyMap<PoolId, number>;
  readonly devices: readonly DeviceView[];
  /** Against the machine of the cost model. */
  readonly speeds: ReadonlyMap<LaneId, number>;
  readonly fleetRunsOn: MayRunOn;
  readonly maxSmallQubits: number;
}

/** A run of a test; `failedOn` grows when a lane loses it. */
export type TestTask = ScheduledRun & { readonly failedOn: Set<LaneId> };

/** Any fleet: CPU threads, up to 8 adapters, spread lanes, up to 48 devices; at least one lane. */
export function randomFleet(random: RandomStream): TestFleet {
  const numAdapters = random.pick([0, 0, 1, 2, 4, 8]);
  const hasCpu = numAdapters === 0 || random.below(10) > 0;
  const maxSmallQubits = 12 + random.below(6);
  const lanes: Lane[] = [];
  const slots = new Map<PoolId, number>();
  const speeds = new Map<LaneId, number>();
  const add = (lane: Omit<Lane, 'isOpen'>, speed: number) => {
    lanes.push({ ...lane, isOpen: true });
    speeds.set(lane.id, speed);
  };
  if (hasCpu) {
    const small = { f32: maxSmallQubits, f64: maxSmallQubits };
    add(
      { id: 'small', kind: 'small', pools: ['small'], maxQubits: small, isSoftware: true },
      random.pick([0.5, 1]),
    );
    slots.set('small', random.pick([1, 1, 2, 3, 8, 64]));
    const f32 = 24 + random.below(8);
    const wide = { f32, f64: f32 - 1 };
    add({ id: 'wide', kind: 'wide', pools: ['wide'], maxQubits: wide, isSoftware: true }, 2);
    slots.set('wide', 1);
  }
  for (let i = 0; i < numAdapters; i++) {
    const id: LaneId = `adapter-${i}`;
    const maxQubits = { f32: 20 + random.below(12), f64: random.pick([0, 0, 20]) };
    const isSoftware = random.below(3) === 0;
    add(
      { id, kind: 'adapter', pools: [id], maxQubits, isSoftware },
      random.pick([0.3, 2, 20, 20, 90]),
    );
    slots.set(id, 1);
  }
  for (const size of [2, 4]) {
    for (let first = 0; first + size <= numAdapters; first += size) {
      if (random.below(2) === 0) continue;
      const pools = Array.from({ length: size }, (_, i) => `adapter-${first + i}`);
      const id: LaneId = `spread-${lanes.length}`;
      const maxQubits = { f32: 28 + random.below(6), f64: 0 };
      add({ id, kind: 'spread', pools, maxQubits, isSoftware: false }, random.pick([10, 60]));
    }
  }
  const fleetRunsOn = random.pick<MayRunOn>(
    numAdapters > 0 ? ['adapter-or-cpu', 'adapter-or-cpu', 'adapter'] : ['adapter-or-cpu'],
  );
  const devices = randomDevices(random, numAdapters);
  return { lanes, slots, devices, speeds, fleetRunsOn, maxSmallQubits };
}

function randomDevices(random: RandomStream, numAdapters: number): DeviceView[] {
  const count = 1 + random.below(48);
  const areAlike = random.below(2) === 0;
  const budget = () => 2 ** (22 + random.below(10)) * random.pick([1, 1, 0.75]);
  const common = budget();
  return Array.from({ length: count }, (_, i) => {
    const number = Math.floor((i * numAdapters) / count);
    const adapter: LaneId | undefined =
      numAdapters === 0 || random.below(20) === 0 ? undefined : `adapter-${number}`;
    const budgetBytes = areAlike ? common : budget();
    return { id: `gpu-${i}`, adapter, budgetBytes, isOpen: random.below(10) > 0 };
  });
}

/** Estimates that know the fleet's speeds and nothing else. */
export function estimatesOf({ speeds }: TestFleet): RunEstimates {
  const estimates = new RunEstimates();
  for (const [lane, speed] of speeds) estimates.setSpeed(lane, speed);
  return estimates;
}

/** Any run for the fleet's processors. */
export function randomTask(random: RandomStream, fleet: TestFleet, number: number): TestTask {
  const isForFleet = random.below(3) > 0;
  return {
    id: `run-${number}`,
    processor: isForFleet ? 'gpu-fleet' : 'statevector-sim',
    key: `key-${random.below(5)}`,
    level: random.below(6),
    mayRunOn: isForFleet ? fleet.fleetRunsOn : 'cpu',
    precision: random.below(4) === 0 ? 'f64' : 'f32',
    work: randomWork(random),
    needsDevice: isForFleet,
    failedOn: new Set(),
  };
}

/** Small circuits mostly, and some of up to 33 qubits. */
export function randomWork(random: RandomStream): RunWork {
  const numQubits = random.below(3) > 0 ? 2 + random.below(12) : 14 + random.below(20);
  const numOperations = 1 + random.below(numQubits > 20 ? 60 : 300);
  return {
    numQubits,
    numOperations,
    gateCost: numOperations * (3 + random.below(5)),
    isBranching: random.below(10) === 0,
    shots: random.pick([1, 100, 1000, 10_000]),
    numReadouts: random.pick([0, 0, 0, 2]),
  };
}

/** A run of a plain circuit, as a test needs it. */
export function plainTask(
  id: string,
  { numQubits = 4, gateCost = 16, ...rest }: PlainTask = {},
): TestTask {
  return {
    id,
    processor: 'statevector-sim',
    key: 'key-0',
    level: 3,
    mayRunOn: 'cpu',
    precision: 'f32',
    needsDevice: false,
    failedOn: new Set(),
    ...rest,
    work: {
      numQubits,
      numOperations: 8,
      gateCost,
      isBranching: false,
      shots: 100,
      numReadouts: 0,
      ...rest.work,
    },
  };
}

/** Fields in which a run differs from a plain one. */
export type PlainTask = Partial<Omit<TestTask, 'id' | 'work'>> & {
  readonly numQubits?: number;
  readonly gateCost?: number;
  readonly work?: Partial<RunWork>;
};
