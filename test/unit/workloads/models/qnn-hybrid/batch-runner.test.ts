/** Choice of a batch's processor, and the longest wait for it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CircuitRun } from '../../../../../src/fleet/processor.ts';
import { BatchRunner } from '../../../../../src/workloads/models/qnn-hybrid/batch-runner.ts';
import { FakeProcessor } from '../../../../service/support/fake-processor.ts';

const TASK: CircuitRun = {
  id: 'batch-1',
  circuit: { numQubits: 1, numBits: 1, operations: [{ kind: 'measure', qubits: [0], bits: [0] }] },
  request: { numCircuits: 1, angles: new Float64Array(0), shots: 10 },
  priority: 'normal',
  keyId: 'key-1',
  tier: 'standard',
};
const FOREVER = Number.POSITIVE_INFINITY;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function parts() {
  const fleet = new FakeProcessor({ id: 'gpu-fleet' });
  const simulator = new FakeProcessor({ id: 'statevector-sim' });
  fleet.isHolding = true;
  const runner = new BatchRunner('a-model', [fleet, simulator]);
  const caller = new AbortController();
  const run = (maxWaitMs = FOREVER) => runner.run(TASK, {}, maxWaitMs, caller.signal);
  return { fleet, simulator, runner, run, caller };
}

test('what waits leaves a processor that goes, for the next one', async () => {
  const { fleet, simulator, run } = parts();
  const found = run();
  fleet.setMaintenance({ reason: 'New fans.' });
  await vi.advanceTimersByTimeAsync(300);
  expect((await found).processor).toBe('statevector-sim');
  expect(fleet.heldBatches).toEqual([]);
  expect(simulator.batches).toHaveLength(1);
});

test('what waits is refused with every reason where no processor is left', async () => {
  const { fleet, simulator, run } = parts();
  const refused = expect(run()).rejects.toMatchObject({
    code: 'WORKLOADS_MODEL_UNAVAILABLE',
    message: expect.stringMatching(/New fans\..*New disk\./),
  });
  fleet.setMaintenance({ reason: 'New fans.' });
  simulator.setMaintenance({ reason: 'New disk.' });
  await vi.advanceTimersByTimeAsync(300);
  await refused;
});

test('what has begun is left to finish', async () => {
  const { fleet, run } = parts();
  const found = run(1000);
  fleet.heldBatches[0]?.hooks.onStarted?.();
  fleet.setMaintenance({ reason: 'New fans.' });
  await vi.advanceTimersByTimeAsync(5000);
  fleet.heldBatches[0]?.finish();
  expect((await found).processor).toBe('gpu-fleet');
});

test('what begins all over again is waiting again', async () => {
  const { fleet, run } = parts();
  const found = run();
  fleet.heldBatches[0]?.hooks.onStarted?.();
  fleet.heldBatches[0]?.hooks.onStartedOver?.();
  fleet.setMaintenance({ reason: 'New fans.' });
  await vi.advanceTimersByTimeAsync(300);
  expect((await found).processor).toBe('statevector-sim');
});

test('a request that has not begun in time gets the time to come back', async () => {
  const { fleet, simulator, run } = parts();
  fleet.expectedWaitMs = 12_300;
  const refused = expect(run(1000)).rejects.toMatchObject({
    code: 'WORKLOADS_MODEL_UNAVAILABLE',
    message: expect.stringContaining('turn did not come'),
    retryAfterS: 13,
  });
  await vi.advanceTimersByTimeAsync(900);
  expect(fleet.heldBatches).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(400);
  await refused;
  expect(fleet.heldBatches).toEqual([]);
  expect(simulator.batches).toEqual([]);
});

test('its caller’s signal ends it, with the signal’s reason', async () => {
  const { fleet, run, caller } = parts();
  const reason = new Error('gone');
  const ended = expect(run()).rejects.toBe(reason);
  caller.abort(reason);
  await ended;
  expect(fleet.heldBatches).toEqual([]);
  await expect(run()).rejects.toBe(reason);
});

test('closing ends what waits and runs, and takes nothing new', async () => {
  const { fleet, runner, run } = parts();
  const waiting = run();
  const running = run();
  fleet.heldBatches[1]?.hooks.onStarted?.();
  const stopping = {
    code: 'WORKLOADS_MODEL_UNAVAILABLE',
    message: expect.stringContaining('stopping'),
    retryAfterS: 5,
  };
  const ended = Promise.all([
    expect(waiting).rejects.toMatchObject(stopping),
    expect(running).rejects.toMatchObject(stopping),
  ]);
  runner.close();
  await ended;
  await expect(run()).rejects.toMatchObject(stopping);
});

test('no timer is left when nothing waits', async () => {
  const { fleet, run } = parts();
  fleet.isHolding = false;
  await run();
  expect(vi.getTimerCount()).toBe(0);
});

test('closing lets what runs finish within the grace', async () => {
  vi.useRealTimers();
  const { fleet, runner, run } = parts();
  const running = run();
  const tooLong = run();
  const closed = runner.close(60);
  await expect(run()).rejects.toMatchObject({ message: expect.stringContaining('stopping') });
  fleet.heldBatches[0]?.finish();
  expect((await running).processor).toBe('gpu-fleet');
  await expect(tooLong).rejects.toMatchObject({ message: expect.stringContaining('stopping') });
  await closed;
  expect(fleet.heldBatches).toEqual([]);
});
