import { describe, expect, test, vi } from 'vitest';
import { sliceSizesOfType } from '../../../../src/workloads/tpu/slice-request.ts';
import {
  type PlacementRequest,
  type Slice,
  TpuFleet,
} from '../../../../src/workloads/tpu/tpu-fleet.ts';

const NEVER = new AbortController().signal;

/** A job for all chips of us-east1-d, unless it says otherwise. */
function job(id: string, changes: Partial<PlacementRequest> = {}): PlacementRequest {
  return {
    id,
    zone: 'us-east1-d',
    tpuType: 'v6e',
    chips: 32,
    priority: 'normal',
    tier: 'standard',
    keyId: 'key',
    ...changes,
  };
}

/** Sends jobs; notes which were placed, in order. */
class Sender {
  readonly placed: string[] = [];
  readonly slices = new Map<string, Slice>();
  readonly errors = new Map<string, unknown>();
  readonly #fleet: TpuFleet;

  constructor(fleet: TpuFleet) {
    this.#fleet = fleet;
  }

  send(request: PlacementRequest, signal = NEVER): void {
    this.#fleet.place(request, signal).then(
      (slice) => {
        this.placed.push(request.id);
        this.slices.set(request.id, slice);
      },
      (error: unknown) => this.errors.set(request.id, error),
    );
  }

  /** Ends a job, and lets those hear who got its chips. */
  async end(id: string): Promise<void> {
    this.slices.get(id)?.[Symbol.dispose]();
    await settled();
  }
}

/** All promises that can go on have gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function stateOf(fleet: TpuFleet, zone = 'us-east1-d') {
  return fleet.snapshot().pools.find((pool) => pool.zone === zone);
}

describe('faultsOf', () => {
  const fleet = new TpuFleet();

  test('takes every type in every zone that has it, and any power of two up to its chips', () => {
    for (const { zone, tpuType, chips } of fleet.snapshot().pools) {
      expect(fleet.faultsOf({ zone, tpu_type: tpuType })).toEqual([]);
      for (let size = 1; size <= chips; size *= 2) {
        expect(fleet.faultsOf({ zone, tpu_type: tpuType, chips: size })).toEqual([]);
      }
    }
  });

  test('names the six zones for one that is not there', () => {
    const [fault, ...more] = fleet.faultsOf({ tpu_type: 'v4', zone: 'mars-north1-a' });
    expect(more).toEqual([]);
    expect(fault?.path).toBe('zone');
    for (const { zone } of fleet.snapshot().pools) expect(fault?.message).toContain(zone);
  });

  test('names the zones that have a type where this one has not', () => {
    const faults = fleet.faultsOf({ tpu_type: 'v6e', zone: 'us-central2-b', chips: 4 });
    expect(faults).toEqual([
      {
        path: 'zone',
        message:
          'us-central2-b has no v6e; these zones have it: europe-west4-a, us-east1-d, us-east5-b.',
      },
    ]);
  });

  test('names the types for one that is not there, beside a zone that is not', () => {
    const faults = fleet.faultsOf({ tpu_type: 'v5p', zone: '' });
    expect(faults.map(({ path }) => path)).toEqual(['tpu_type', 'zone']);
    expect(faults[0]?.message).toContain('v4, v5e, v6e');
  });

  test.each([0, 3, 64, -4, 1.5, Number.NaN])(
    'tells what slices there are instead of %d chips',
    (chips) => {
      const [fault] = fleet.faultsOf({ tpu_type: 'v6e', zone: 'us-east1-d', chips });
      expect(fault?.path).toBe('chips');
      expect(fault?.message).toContain('1, 2, 4, 8, 16, 32.');
    },
  );

  test('repeats no more of a name than a message should hold', () => {
    const [fault] = fleet.faultsOf({ tpu_type: 'v4', zone: 'z'.repeat(10_000) });
    expect(fault?.message.length).toBeLessThan(300);
  });
});

test('the largest slice of a type is that of its largest zone', () => {
  expect(sliceSizesOfType('v6e')).toEqual([1, 2, 4, 8, 16, 32, 64]);
});

describe('placement', () => {
  test('gives free chips at once, and takes them back once', async () => {
    const fleet = new TpuFleet();
    const slice = await fleet.place(job('a', { chips: 8 }), NEVER);
    expect(slice).toMatchObject({ zone: 'us-east1-d', tpuType: 'v6e', chips: 8 });
    expect(stateOf(fleet)).toMatchObject({ availableChips: 24, inUseChips: 8, jobsPlaced: 1 });
    expect(fleet.snapshot()).toMatchObject({ chips: 320, availableChips: 312, jobsPlaced: 1 });
    slice[Symbol.dispose]();
    slice[Symbol.dispose]();
    expect(fleet.snapshot()).toMatchObject({ availableChips: 320, inUseChips: 0, jobsPlaced: 0 });
  });

  test('waits while the zone is full, and not for another zone', async () => {
    const fleet = new TpuFleet();
    const sender = new Sender(fleet);
    for (const id of ['a', 'b', 'c']) sender.send(job(id));
    sender.send(job('elsewhere', { zone: 'us-east5-b' }));
    await settled();
    expect(sender.placed).toEqual(['a', 'elsewhere']);
    expect(['a', 'b', 'c'].map((id) => fleet.queuePosition(id))).toEqual([undefined, 0, 1]);
    expect(['a', 'b', 'c'].map((id) => fleet.isPlaced(id))).toEqual([true, false, false]);
    expect(fleet.queueLength).toBe(2);
    expect(stateOf(fleet)).toMatchObject({ jobsPlaced: 1, jobsWaiting: 2 });
    await sender.end('a');
    expect(sender.placed).toEqual(['a', 'elsewhere', 'b']);
    expect(fleet.queuePosition('c')).toBe(0);
    expect(['a', 'b', 'c'].map((id) => fleet.isPlaced(id))).toEqual([false, true, false]);
  });

  test.each([-3_600_000, 3_600_000])(
    'keeps its order when the clock of the machine is set by %d ms',
    async (setBy) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      try {
        const fleet = new TpuFleet();
        const sender = new Sender(fleet);
        sender.send(job('all'));
        sender.send(job('low', { priority: 'low' }));
        vi.setSystemTime(Date.now() + setBy);
        sender.send(job('normal'));
        sender.send(job('high', { priority: 'high', tier: 'enterprise' }));
        await settled();
        const ids = ['high', 'normal', 'low'];
        // An hour forward would have aged the one of low priority past all others.
        expect(ids.map((id) => fleet.queuePosition(id))).toEqual([0, 1, 2]);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test('lets no small job past a large one that waits for chips', async () => {
    const fleet = new TpuFleet();
    const sender = new Sender(fleet);
    sender.send(job('half', { chips: 16 }));
    sender.send(job('all', { keyId: 'large' }));
    for (let i = 0; i < 50; i++) sender.send(job(`small ${i}`, { chips: 1, keyId: `key ${i}` }));
    await settled();
    expect(sender.placed).toEqual(['half']);
    await sender.end('half');
    expect(sender.placed).toEqual(['half', 'all']);
    await sender.end('all');
    expect(sender.placed).toHaveLength(2 + 32);
    expect(stateOf(fleet)?.availableChips).toBe(0);
  });

  test('goes by level: high before normal, Enterprise before Standard, low last', async () => {
    const fleet = new TpuFleet({ now: () => 0 });
    const sender = new Sender(fleet);
    sender.send(job('first'));
    sender.send(job('low', { priority: 'low', keyId: '1' }));
    sender.send(job('standard', { keyId: '2' }));
    sender.send(job('enterprise', { tier: 'enterprise', keyId: '3' }));
    sender.send(job('high', { priority: 'high', tier: 'enterprise', keyId: '4' }));
    await settled();
    for (const id of ['first', 'high', 'enterprise', 'standard']) await sender.end(id);
    expect(sender.placed).toEqual(['first', 'high', 'enterprise', 'standard', 'low']);
  });

  test('gives keys turns: a flood of one delays another by one job', async () => {
    const fleet = new TpuFleet({ now: () => 0 });
    const sender = new Sender(fleet);
    for (let i = 0; i < 20; i++) sender.send(job(`flood ${i}`, { keyId: 'flood' }));
    sender.send(job('other', { keyId: 'other' }));
    await settled();
    await sender.end('flood 0');
    await sender.end(sender.placed[1] ?? '');
    expect(sender.placed).toContain('other');
  });

  test('raises what has waited long above what is urgent', async () => {
    const clock = { now: 0 };
    const fleet = new TpuFleet({ now: () => clock.now });
    const sender = new Sender(fleet);
    sender.send(job('first', { keyId: 'other' }));
    sender.send(job('low', { priority: 'low', keyId: 'patient' }));
    clock.now = 120_000;
    sender.send(job('high', { priority: 'high', tier: 'enterprise', keyId: 'urgent' }));
    await settled();
    await sender.end('first');
    expect(sender.placed).toEqual(['first', 'low']);
  });

  test('forgets a job that is aborted while it waits, and serves who stood behind it', async () => {
    const fleet = new TpuFleet();
    const sender = new Sender(fleet);
    const controller = new AbortController();
    const reason = new Error('cancelled');
    sender.send(job('half', { chips: 16 }));
    sender.send(job('all'), controller.signal);
    sender.send(job('behind', { chips: 16 }));
    await settled();
    controller.abort(reason);
    await settled();
    expect(sender.errors.get('all')).toBe(reason);
    expect(sender.placed).toEqual(['half', 'behind']);
    expect(fleet.queuePosition('all')).toBeUndefined();
  });

  test('takes nothing for a job that is aborted before it comes', async () => {
    const fleet = new TpuFleet();
    const reason = new Error('cancelled');
    await expect(fleet.place(job('a'), AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(fleet.snapshot()).toMatchObject({ availableChips: 320, jobsWaiting: 0 });
  });

  test('keeps the chips of a job whose signal aborts after it was placed, until it ends', async () => {
    const fleet = new TpuFleet();
    const controller = new AbortController();
    const slice = await fleet.place(job('a'), controller.signal);
    controller.abort();
    expect(stateOf(fleet)?.availableChips).toBe(0);
    slice[Symbol.dispose]();
    expect(stateOf(fleet)?.availableChips).toBe(32);
  });

  test('refuses a job that would have to wait when as many wait as may', async () => {
    const fleet = new TpuFleet({ queueLimit: 2 });
    const sender = new Sender(fleet);
    for (const id of ['a', 'b', 'c', 'd']) sender.send(job(id));
    sender.send(job('elsewhere', { zone: 'us-east5-b' }));
    sender.send(job('again', { readmitted: true }));
    await settled();
    expect(sender.placed).toEqual(['a', 'elsewhere']);
    expect([...sender.errors.keys()]).toEqual(['d']);
    expect(sender.errors.get('d')).toMatchObject({ code: 'WORKLOADS_QUEUE_FULL', retryAfterS: 1 });
    expect(fleet.queueLength).toBe(3);
  });

  test('keeps the room that was promised to a job, until it comes or is withdrawn', async () => {
    const fleet = new TpuFleet({ queueLimit: 1 });
    const sender = new Sender(fleet);
    sender.send(job('first'));
    fleet.admit('promised');
    expect(() => fleet.admit('other')).toThrow(
      expect.objectContaining({ code: 'WORKLOADS_QUEUE_FULL' }),
    );
    fleet.withdraw('promised');
    fleet.admit('other');
    sender.send(job('other'));
    await settled();
    expect(fleet.queuePosition('other')).toBe(0);
    expect(() => fleet.admit('another')).toThrow();
  });

  test('gives promised room back once the job has come', async () => {
    const fleet = new TpuFleet({ queueLimit: 1 });
    fleet.admit('a');
    const slice = await fleet.place(job('a'), NEVER);
    fleet.admit('b');
    slice[Symbol.dispose]();
    expect(fleet.queueLength).toBe(0);
  });

  test('tells a refused caller to come back after as long as slices are held', async () => {
    const clock = { now: 0 };
    const fleet = new TpuFleet({ now: () => clock.now, queueLimit: 0 });
    const slice = await fleet.place(job('a'), NEVER);
    clock.now = 7_400;
    slice[Symbol.dispose]();
    expect(() => fleet.admit('b')).toThrow(expect.objectContaining({ retryAfterS: 8 }));
  });
});
