import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CircuitBackend } from '../../../src/fleet/circuit-backend.ts';
import type {
  EngineReport,
  FromWorker,
  StartWorker,
} from '../../../src/fleet/workers/worker-messages.ts';
import type { ChildHandleEvents } from '../../../src/processes/supervised-child.ts';
import { FAKE_LANES, instruction, never } from '../../support/fleet-fixtures.ts';

const open: CircuitBackend[] = [];

// Where waiting ends sooner depends on for how long others have run by then: for no time at all.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((backend) => backend.close()));
});

/** An adapter of the test: how fast it was measured to be, and what it holds. */
interface Measured {
  readonly sweepBytesPerSecond?: number;
  readonly maxQubits?: number;
}

function reportOf({ sweepBytesPerSecond, maxQubits = 20 }: Measured): EngineReport {
  return {
    openMs: 1,
    target: {
      maxQubits,
      tileQubits: 10,
      contiguousQubits: 0,
      maxDenseQubits: 6,
      chunkQubits: 10,
      precision: 'f32',
    },
    ...(sweepBytesPerSecond !== undefined && {
      tuning: {
        tileQubits: 10,
        tilesPerGroup: 1,
        dispatchQubits: 22,
        // Copying says nothing of sweeps.
        copyBytesPerSecond: 1e12 / sweepBytesPerSecond,
        sweepBytesPerSecond,
        numMeasured: 1,
        numCandidates: 1,
        tookMs: 1,
      },
    }),
  };
}

/** A backend of idle adapters without processes, which run what they are given until they are lost. */
async function openAdapters(adapters: readonly Measured[]) {
  // Its threads stay closed: whatever runs, an adapter runs.
  const backend = new CircuitBackend({ ...FAKE_LANES, queueLimit: 10, ageingMs: 60_000 });
  open.push(backend);
  const given: number[] = [];
  let numTasks = 0;
  const processes: ChildHandleEvents<FromWorker>[] = [];
  const starter =
    (index: number): StartWorker =>
    (events) => {
      processes[index] = events;
      const report = reportOf(adapters[index] ?? {});
      queueMicrotask(() => events.onMessage({ kind: 'ready', report }));
      return {
        post: ({ kind }) => void (kind === 'run' && given.push(index)),
        setHolding: () => {},
        kill: () => events.onExit({ how: 'ended' }),
      };
    };
  const lanes = adapters.map((_, index) => {
    const lane = backend.addAdapter({ start: starter(index) }, () =>
      backend.setHealthy(lane, false),
    );
    return lane;
  });
  await setImmediate();
  for (const lane of lanes) backend.setHealthy(lane, true);

  return {
    /** The adapters that circuits were given to, in that order. */
    given,
    submit(numQubits = 18): void {
      const circuit = instruction('ANY', undefined, numQubits);
      const task = {
        id: `task-${numTasks++}`,
        processor: 'a',
        keyId: 'key',
        tier: 'standard',
        priority: 'normal',
        precision: 'f32',
        circuit,
        request: { shots: 1, seed: 1 },
        mayRunOn: 'adapter',
      } as const;
      backend.submit(task, {}, never()).catch(() => {});
    },
    lose: (index: number) => processes[index]?.onMessage({ kind: 'lost', how: 'injected' }),
  };
}

describe('of idle adapters', () => {
  test('the one that sweeps fastest is given a circuit, and none where waiting ends sooner', async () => {
    const rates = [undefined, 2e9, 3e9, undefined, 3e9];
    const { submit, given } = await openAdapters(
      rates.map((rate) => (rate === undefined ? {} : { sweepBytesPerSecond: rate })),
    );
    for (const _ of rates) submit();
    await setImmediate();
    expect(given).toEqual([2, 4, 1]);
  });

  test('the fastest that holds a circuit is given it', async () => {
    const { submit, given } = await openAdapters([
      { sweepBytesPerSecond: 1e9 },
      { sweepBytesPerSecond: 2e9 },
      { sweepBytesPerSecond: 3e9, maxQubits: 17 },
    ]);
    submit(18);
    submit(17);
    await setImmediate();
    expect(given).toEqual([1, 2]);
  });

  test('the fastest is given a circuit whose adapter was lost', async () => {
    const { submit, lose, given } = await openAdapters([
      { sweepBytesPerSecond: 1e9 },
      { sweepBytesPerSecond: 3e9 },
      { sweepBytesPerSecond: 2e9 },
    ]);
    submit();
    await setImmediate();
    lose(1);
    await setImmediate();
    expect(given).toEqual([1, 2]);
  });
});
