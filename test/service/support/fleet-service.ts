/** The service over a real fleet of CPU engines, with its jobs in SQLite. Bodies are read in this process. */
import type { DeviceId } from '../../../src/compiler/device/public-devices.ts';
import { readMachine } from '../../../src/fleet/cpu-processors.ts';
import { Fleet } from '../../../src/fleet/fleet.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import { SqliteIdempotencyStore } from '../../../src/jobs/sqlite-idempotency-store.ts';
import { SqliteJobStore } from '../../../src/jobs/sqlite-job-store.ts';
import { createSqliteKeyStore } from '../../../src/service/keys/sqlite-key-store.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { openKinds } from './test-kinds.ts';
import { openTestService, type TestOverrides, type TestService } from './test-service.ts';

/** The service, and what it runs its jobs with. */
export interface FleetService extends AsyncDisposable {
  readonly service: TestService;
  readonly fleet: Fleet;
  readonly runner: JobRunner;
}

/**
 * Opens the service on two threads; it runs circuits of up to 20 qubits.
 *
 * @param emulators - Devices to emulate, too.
 * @param maxGates - Most operations of a circuit.
 */
export async function openFleetService(
  settings: TestOverrides['settings'] = {},
  emulators: readonly DeviceId[] = [],
  maxGates = 10_000,
): Promise<FleetService> {
  const database = openDatabase(':memory:');
  const now = () => Math.round(performance.timeOrigin + performance.now());
  const fleet = new Fleet({
    machine: readMachine(),
    engine: 'auto',
    numThreads: 2,
    memoryBytes: 256 * 1024 * 1024,
    maxQubits: 20,
    maxShots: 1_000_000,
    maxGates,
    queueLimit: 100,
    emulators,
    now,
    discover: async () => ({ adapters: [] }),
  });
  const { kinds, readers } = openKinds({ fleet, now, jobs: () => runner });
  const runner: JobRunner = new JobRunner({
    store: new SqliteJobStore(database),
    handlers: kinds,
    now,
    onUnexpectedError: (error) => {
      throw error;
    },
  });
  await fleet.start();
  const service = await openTestService({
    fleet,
    devices: fleet.deviceDirectory,
    jobs: runner,
    kinds,
    readers,
    idempotency: new SqliteIdempotencyStore(database),
    keys: createSqliteKeyStore(database),
    now,
    settings,
  });
  return {
    service,
    fleet,
    runner,
    async [Symbol.asyncDispose]() {
      await runner.shutdown(0);
      await service[Symbol.asyncDispose]();
      await fleet.close();
    },
  };
}
