/** Random lives of random fleets: bursts of runs, and everything that may happen to what runs them. */
import { RandomStream } from './random-stream.ts';
import { type DriverOptions, SchedulerDriver } from './scheduler-driver.ts';
import { randomFleet, randomTask, type TestFleet } from './scheduler-fleets.ts';

/** When everything is well again. */
const CALM_AT = 60_000;

/** Random parts of a scenario. */
export interface ScenarioOptions extends DriverOptions {
  readonly maxTasks?: number;
  /** Whether lanes, devices and processors come and go, and runs are cancelled. */
  readonly hasTrouble?: boolean;
  /** Whether runs take as long as expected. */
  readonly isExact?: boolean;
}

/**
 * Runs a scenario to its end; what nothing can ever run is taken out then.
 *
 * @throws Error where a rule is broken, and where a run is left that something could run.
 */
export function runScenario(seed: number, options: ScenarioOptions = {}): SchedulerDriver {
  const { maxTasks = 60, hasTrouble = true, isExact = false } = options;
  const random = new RandomStream(seed);
  const fleet = randomFleet(random);
  const spread = random.pick([0.1, 1, 3]);
  const factorOf = new Map<string, number>();
  const driver = new SchedulerDriver(fleet, {
    ...(!isExact && {
      runMs: (run, _, ms) => ms * (factorOf.get(run.id) ?? 1),
      isLearning: random.below(2) === 0,
    }),
    ...options,
  });
  const numRuns = 1 + random.below(maxTasks);
  const gap = random.pick([1, 50, 1000]);
  let at = 0;
  for (let number = 0; number < numRuns; number++) {
    if (random.below(4) === 0) at = Math.min(CALM_AT / 2, at + gap * 8 * random.uniform());
    const run = randomTask(random, fleet, number);
    factorOf.set(run.id, Math.exp(spread * (random.uniform() - 0.5)));
    driver.at(at, () => driver.submit(run));
    if (hasTrouble && random.below(10) === 0) {
      driver.at(at + gap * 8 * random.uniform(), () => driver.cancel(run.id));
    }
  }
  if (hasTrouble) plan(driver, fleet, random, at + 8 * gap);
  driver.run();
  const { checker, scheduler } = driver;
  for (const { run } of [...checker.waiting.values()]) {
    if (checker.mayEverRun(run)) throw new Error(`${run.id} is left`);
    driver.cancel(run.id);
  }
  if (checker.outcomes.size !== numRuns) throw new Error('runs are lost');
  if (scheduler.numWaiting + scheduler.numRunning > 0) throw new Error('runs are left');
  return driver;
}

/** Trouble until some time, and its end. */
function plan(
  driver: SchedulerDriver,
  fleet: TestFleet,
  random: RandomStream,
  until: number,
): void {
  const some = () => until * random.uniform();
  for (let i = random.below(6); i > 0; i--) {
    const { id } = random.pick(fleet.lanes);
    driver.at(some(), () => driver.lose(id));
    driver.at(some(), () => open(driver, fleet, id));
  }
  for (let i = random.below(12); i > 0; i--) {
    const { id } = random.pick(fleet.devices);
    const isOpen = random.below(2) === 0;
    driver.at(some(), () => driver.setDeviceOpen(id, isOpen));
  }
  for (let i = random.below(6); i > 0; i--) {
    const pool = random.pick([...fleet.slots.keys()]);
    const count = random.below(3);
    driver.at(some(), () => driver.setCapacity(pool, count));
  }
  for (let i = random.below(4); i > 0; i--) {
    const processor = random.pick(['gpu-fleet', 'statevector-sim']);
    const isPaused = random.below(2) === 0;
    driver.at(some(), () => driver.setPaused(processor, isPaused));
  }
  driver.at(CALM_AT, () => {
    for (const { id } of fleet.lanes) open(driver, fleet, id);
    for (const { id } of fleet.devices) driver.setDeviceOpen(id, true);
    for (const [pool, count] of fleet.slots) driver.setCapacity(pool, count);
    for (const processor of ['gpu-fleet', 'statevector-sim']) driver.setPaused(processor, false);
  });
}

function open(driver: SchedulerDriver, fleet: TestFleet, id: string): void {
  const lane = fleet.lanes.find((other) => other.id === id);
  if (lane !== undefined) driver.setLane(lane);
}
