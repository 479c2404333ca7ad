import { describe, expect, test } from 'vitest';
import { modelFleet } from '../../../../../bench/capacity/model/fleet-model.ts';
import { SeededDraws } from '../../../../../bench/capacity/model/seeded-draws.ts';
import { simulateFleet } from '../../../../../bench/capacity/model/simulate-fleet.ts';
import { SimulationLog } from '../../../../../bench/capacity/model/simulation-log.ts';
import {
  closedLoop,
  poissonArrivals,
  type SimulatedJob,
  tracedArrivals,
} from '../../../../../bench/capacity/model/workload.ts';
import { RunEstimates } from '../../../../../src/fleet/schedule/run-estimates.ts';
import { Scheduler } from '../../../../../src/fleet/schedule/scheduler.ts';

const NUM_GPUS = 4;
const NO_CPU = { numThreads: 0, maxSmallQubits: 17, wideBytes: 0 };
const FLEET = modelFleet({
  adapters: Array.from({ length: NUM_GPUS }, () => ({ memoryBytes: 2 ** 37, numDevices: 1 })),
  cpu: NO_CPU,
});
const OPTIONS = { fleet: FLEET, ageingMs: 30_000, maxSmallQubits: 17 };
const NOWHERE: ReadonlySet<never> = new Set();
const draws = new SeededDraws(3);

const makeJob = (index: number): SimulatedJob => ({
  id: `${index}`,
  index,
  processor: 'gpu-fleet',
  key: `key-${index % 3}`,
  level: 3,
  tier: 'standard',
  sizeClass: index % 2 === 0 ? 'even' : 'odd',
  mayRunOn: 'adapter-or-cpu',
  precision: 'f32',
  work: {
    numQubits: 26,
    numOperations: 100,
    gateCost: 800,
    isBranching: false,
    shots: 100,
    numReadouts: 0,
  },
  needsDevice: true,
  failedOn: NOWHERE,
});

/** All GPUs are alike. */
function alike(): RunEstimates {
  const estimates = new RunEstimates();
  for (let i = 0; i < NUM_GPUS; i++) estimates.setModel(`adapter-${i}`, 'card');
  return estimates;
}

/** Mean wait in a queue with c servers, by the mean service: Erlang's C formula. */
function erlangWait(load: number, servers: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; k < servers; k++) {
    term *= load / k;
    sum += term;
  }
  const last = ((term * load) / servers) * (servers / (servers - load));
  return last / (sum + last) / (servers - load);
}

describe('a simulated fleet', () => {
  test('makes jobs wait as long as Erlang’s formula says, where the formula holds', () => {
    // Poisson arrivals, exponential times that nobody knows ahead, 4 GPUs, 70 % of the time busy.
    const service = 20;
    const chances = new SeededDraws(8);
    const result = simulateFleet({
      ...OPTIONS,
      estimates: alike(),
      workload: poissonArrivals(40_000, (1000 * 0.7 * NUM_GPUS) / service, chances, makeJob),
      serviceMs: (_, { index }) => chances.exponential(index, 1, service),
      numWarmUp: 2000,
    });

    const expected = service * erlangWait(0.7 * NUM_GPUS, NUM_GPUS);
    expect(Math.abs(result.wait.mean / expected - 1)).toBeLessThan(0.1);
    expect(Math.abs(result.utilisation / 0.7 - 1)).toBeLessThan(0.03);
  });

  test('keeps Little’s law in a closed loop: clients = throughput × latency', () => {
    const result = simulateFleet({
      ...OPTIONS,
      estimates: alike(),
      workload: closedLoop(5000, 11, makeJob),
      serviceMs: (_, { index }) => 10 * draws.logNormal(index, 2, 0.5),
    });

    const inside = (result.perSecond * result.latency.mean) / 1000;
    expect(Math.abs(inside / 11 - 1)).toBeLessThan(0.01);
  });

  test('is the same again with the same seed', () => {
    const run = () =>
      simulateFleet({
        ...OPTIONS,
        workload: poissonArrivals(600, 200, new SeededDraws(9), makeJob),
        serviceMs: (_, { index }) => 15 * new SeededDraws(9).logNormal(index, 2, 0.5),
        planEvery: 7,
      });

    expect(run()).toEqual(run());
  });

  test('foretells starts to the millisecond where times are known and nothing comes later', () => {
    const arrivals = Array.from({ length: 200 }, (_, index) => ({ at: 0, job: makeJob(index) }));
    const estimates = alike();
    estimates.observe('adapter-0', makeJob(0).work, 12);
    const result = simulateFleet({
      ...OPTIONS,
      estimates,
      workload: tracedArrivals(arrivals),
      serviceMs: () => 12,
      planEvery: 1,
    });

    expect(result.planErrors?.absolute.count).toBe(200 - NUM_GPUS);
    expect(result.planErrors?.absolute.max).toBeLessThan(1e-6);
  });

  test('says how far off foretold starts were by the wait that was foretold', () => {
    // One GPU; the second job is foretold to wait the 12 ms that jobs took before, and waits 40.
    const estimates = new RunEstimates();
    estimates.observe('adapter-0', makeJob(0).work, 12);
    const one = modelFleet({ adapters: [{ memoryBytes: 2 ** 37, numDevices: 1 }], cpu: NO_CPU });
    const result = simulateFleet({
      ...OPTIONS,
      fleet: one,
      estimates,
      workload: tracedArrivals([0, 1].map((index) => ({ at: 0, job: makeJob(index) }))),
      serviceMs: () => 40,
      planEvery: 1,
    });

    expect(result.planErrors?.absolute.p50).toBeCloseTo(28);
    expect(result.planErrors?.relative.p50).toBeCloseTo(28 / 12);
  });

  test('takes a foretold wait of less than a millisecond for one, also where it was right', () => {
    const log = new SimulationLog<SimulatedJob>(0);
    for (const [index, startedAt] of [5, 7].entries()) {
      log.arrived(makeJob(index), 5);
      log.planned(makeJob(index), 5);
      log.started(makeJob(index), startedAt);
    }
    const { planErrors } = log.result({ ...FLEET, devices: [] }, new Scheduler(OPTIONS), 10);

    expect(planErrors?.relative).toMatchObject({ p50: 0, max: 2 });
  });

  test('counts every job by size, and leaves out the first where it is asked to', () => {
    const result = simulateFleet({
      ...OPTIONS,
      workload: poissonArrivals(100, 10, draws, makeJob),
      serviceMs: () => 10,
      numWarmUp: 40,
    });

    expect(result.numBySize).toEqual({ even: 50, odd: 50 });
    expect(result.latency.count).toBe(60);
    expect(result.devices.reduce((sum, { completed }) => sum + completed, 0)).toBe(100);
  });

  test('says so when a job fits nothing', () => {
    const tooWide = (index: number): SimulatedJob => {
      const job = makeJob(index);
      return { ...job, work: { ...job.work, numQubits: 36 } };
    };
    const workload = closedLoop(1, 1, tooWide);

    expect(() => simulateFleet({ ...OPTIONS, workload, serviceMs: () => 1 })).toThrow(
      '1 jobs that nothing takes',
    );
  });
});
