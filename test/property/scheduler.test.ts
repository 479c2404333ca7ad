import { describe, expect, test } from 'vitest';
import { sizeClassOf } from '../../src/fleet/schedule/eligible-lanes.ts';
import type { Plan, Scheduler } from '../../src/fleet/schedule/scheduler.ts';
import type { TestTask } from '../support/scheduler-fleets.ts';
import { runScenario, type ScenarioOptions } from '../support/scheduler-scenario.ts';
import { numCases, seeds } from '../support/seeds.ts';

/** Runs scenarios of successive seeds; says which seed broke a rule. */
function runAll(from: number, count: number, options?: ScenarioOptions) {
  return Array.from({ length: count }, (_, i) => {
    try {
      return runScenario(from + i, options);
    } catch (error) {
      throw new Error(`seed ${from + i}`, { cause: error });
    }
  });
}

describe('a scheduler of any fleet', () => {
  // Each step of each run is checked: test/support/scheduler-checker.ts says against what.
  test('keeps its rules and ends each run once, whatever happens to lanes and devices', () => {
    const runs = runAll(1, numCases(250));
    const numOrderChecks = runs.reduce((sum, { checker }) => sum + checker.numOrderChecks, 0);
    const numIdleChecks = runs.reduce((sum, { checker }) => sum + checker.numIdleChecks, 0);
    expect(numOrderChecks).toBeGreaterThan(numCases(10));
    expect(numIdleChecks).toBeGreaterThan(numCases(250));
  });

  test('keeps them with hundreds of runs at once', () => {
    runAll(5001, numCases(8), { maxTasks: 400 });
  });

  test('keeps them where runs take as long as expected', () => {
    runAll(10_001, numCases(150), { hasTrouble: false, isExact: true });
  });

  test('starts the same runs at the same times again', () => {
    for (const seed of seeds(20)) {
      const [once, again] = [runScenario(20_001 + seed), runScenario(20_001 + seed)];
      expect(again.starts).toEqual(once.starts);
    }
  });

  test('counts for each device what ended on it and for how long it was busy', () => {
    for (const { checker, scheduler, now } of runAll(30_001, numCases(38))) {
      let numEnded = 0;
      for (const id of checker.devices.keys()) {
        const { completed, failed, lost, busyMs } = scheduler.devices.counters(id, now);
        expect(busyMs).toBeCloseTo(checker.busyMs.get(id) ?? 0, 6);
        numEnded += completed + failed + lost;
      }
      expect(numEnded).toBe(checker.numEndedOnDevices);
    }
  });
});

describe('a plan', () => {
  test('changes nothing of what starts', () => {
    const beforeDispatch = (scheduler: Scheduler<TestTask>, now: number) => {
      scheduler.plan(now);
    };
    for (const seed of seeds(20)) {
      const [planned, plain] = [
        runScenario(40_001 + seed, { beforeDispatch }),
        runScenario(40_001 + seed),
      ];
      expect(planned.starts).toEqual(plain.starts);
    }
  });

  test('says of what a dispatch starts that it starts now, and where', () => {
    let plan: Plan | undefined;
    let at = 0;
    let numCompared = 0;
    runAll(50_001, numCases(50), {
      beforeDispatch: (scheduler, now) => {
        // Lines that were looked through a moment ago are not, again, before something changes.
        scheduler.setPaused('nobody', false);
        plan = scheduler.plan(now);
        at = now;
      },
      afterDispatch: (dispatches) => {
        const started = new Set<string>();
        for (const { lane, devices, runs } of dispatches) {
          const [first, ...rest] = runs;
          expect(plan?.starts.get(first?.id ?? '')).toEqual({ lane, devices, startAt: at });
          for (const { id } of rest) {
            const planned = plan?.starts.get(id);
            expect(planned?.lane).toBe(lane);
            expect(planned?.devices).toEqual(devices);
            expect(planned?.startAt).toBeLessThan(at + 4);
          }
          for (const { id } of runs) started.add(id);
          numCompared += runs.length;
        }
        for (const [id, { startAt }] of plan?.starts ?? []) {
          if (startAt <= at) expect(started).toContain(id);
        }
      },
    });
    expect(numCompared).toBeGreaterThan(numCases(250));
  });

  test('numbers the places of each line without gaps', () => {
    let numPlaces = 0;
    runAll(60_001, numCases(38), {
      hasTrouble: false,
      beforeDispatch: (scheduler, now) => {
        const { positions } = scheduler.plan(now);
        const waiting = [...scheduler.waiting];
        for (const line of ['small', 'wide'] as const) {
          const places = waiting
            .filter((run) => sizeClassOf(run, scheduler.maxSmallQubits) === line)
            .map(({ id }) => positions.get(id) ?? -1);
          expect(places.sort((a, b) => a - b)).toEqual(places.map((_, i) => i));
        }
        expect(positions.size).toBe(waiting.length);
        numPlaces += positions.size;
      },
    });
    expect(numPlaces).toBeGreaterThan(numCases(250));
  });
});
