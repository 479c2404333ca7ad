// @needs facilities
/** A process that opens two software adapters and runs circuits on both together. */
import { afterEach, expect, test } from 'vitest';
import { withFinalMeasurement } from '../../../src/circuit/circuit.ts';
import { discoverAdapters } from '../../../src/fleet/adapters/adapter-discovery.ts';
import { spreadStarter } from '../../../src/fleet/fleet-adapters.ts';
import { EngineRunner } from '../../../src/fleet/workers/engine-runner.ts';
import type { SpreadMember } from '../../../src/fleet/workers/worker-messages.ts';
import { countsByLabel } from '../../support/engine-runs.ts';
import { describeWith } from '../../support/facilities/describe-with.ts';
import { never } from '../../support/fleet-fixtures.ts';
import { gate } from '../../support/random-circuits.ts';
import { runOf } from '../../support/run-of.ts';
import { driverEnvironment, SOFTWARE_DRIVERS } from '../../support/software-gpu.ts';

/** Memory of each adapter: a state of 17 qubits. */
const MEMORY_BYTES = 2 ** 20;
const NUM_QUBITS = 18;
/** Only a process that hangs takes longer. */
const START_LIMIT_MS = 300_000;

const open: EngineRunner[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((runner) => runner.end()));
});

/** One adapter of each driver, to be seen by its pin alone. */
async function members(): Promise<readonly SpreadMember[]> {
  return await Promise.all(
    SOFTWARE_DRIVERS.map(async (driver) => {
      const pin = driverEnvironment(driver);
      const { adapters } = await discoverAdapters({ environment: { ...process.env, ...pin } });
      const { backend, name } = adapters[0]!;
      return { adapter: { backend, name }, memoryBytes: MEMORY_BYTES, pin };
    }),
  );
}

/** A process that sees no driver but by pins; its end, if it ends by itself. */
function start(of: readonly SpreadMember[]) {
  const none = { VK_ICD_FILENAMES: '/nowhere.json', VK_DRIVER_FILES: '/nowhere.json' };
  const { promise, resolve, reject } = Promise.withResolvers<EngineRunner>();
  const runner = new EngineRunner(
    {
      start: spreadStarter({ members: of, environment: { ...process.env, ...none } }),
      cancelGraceMs: 10_000,
      startLimitMs: START_LIMIT_MS,
    },
    {
      onReady: () => resolve(runner),
      onIdle: () => {},
      onOutcomes: () => {},
      onEnd: ({ inFull: how }) => reject(new Error(how)),
    },
  );
  open.push(runner);
  return promise;
}

const ghz = withFinalMeasurement({
  numQubits: NUM_QUBITS,
  numBits: 0,
  operations: Array.from({ length: NUM_QUBITS }, (_, q) =>
    q === 0 ? gate('H', [q]) : gate('X', [q], [q - 1]),
  ),
});

describeWith(SOFTWARE_DRIVERS, 'a process of two adapters', () => {
  test('runs a circuit that neither holds alone', async () => {
    const runner = await start(await members());
    expect(runner.report?.target).toMatchObject({ maxQubits: NUM_QUBITS, deviceQubits: 1 });
    const [outcome] = runner.run([
      {
        computedIn: 'f32',
        circuit: ghz,
        request: { shots: 1000, seed: 3 },
        onProgress: () => {},
        signal: never(),
      },
    ]);
    const counts = countsByLabel(runOf(await outcome!).counts);
    const [zeros = 0, ones = 0] = ['0', '1'].map((bit) => counts.get(bit.repeat(NUM_QUBITS)));
    expect(zeros + ones).toBe(1000);
    expect(Math.abs(zeros - ones)).toBeLessThan(200);
  });

  test('ends where an adapter is not there', async () => {
    const [first, second] = await members();
    const { pin: _, ...unpinned } = second!;
    await expect(start([first!, unpinned])).rejects.toThrow(/exit code|WebGPU/);
  });
});
