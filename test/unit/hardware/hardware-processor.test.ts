/** A vendor's device as a processor: jobs that wait, run, fail, are cancelled, and survive a restart. */
import { afterEach, expect, test } from 'vitest';
import { DEVICES, deviceOf } from '../../../src/compiler/device/public-devices.ts';
import type { DeviceRun, RunHooks, SavedRun } from '../../../src/fleet/processor.ts';
import {
  HardwareProcessor,
  type HardwareProcessorOptions,
} from '../../../src/hardware/hardware-processor.ts';
import { outcomeCounts } from '../../../src/hardware/outcome-counts.ts';
import type {
  DeviceDescription,
  HardwareProvider,
  VendorJob,
  VendorSubmission,
} from '../../../src/hardware/provider.ts';
import { UpstreamError, UpstreamRefusedError } from '../../../src/upstream/errors.ts';
import { countsByLabel } from '../../support/engine-runs.ts';
import { eventually } from '../../support/eventually.ts';

const UNREACHABLE = new UpstreamError(
  { kind: 'not-reached', how: 'ECONNREFUSED' },
  undefined,
  'Vendor',
);

/** A vendor whose jobs and faults a test decides. */
class FakeVendor implements HardwareProvider {
  readonly maxCircuits = 10;
  readonly vendor = 'Vendor';
  readonly device = 'device';
  readonly submitted: (VendorSubmission & { readonly id: string })[] = [];
  readonly states = new Map<string, VendorJob>();
  readonly cancelled: string[] = [];
  reason: string | undefined;
  /** Whether it does not answer what it is. */
  isAway = false;
  /** Thrown instead of the next answers of a method. */
  readonly faults: { readonly [method in 'describe' | 'submit' | 'poll' | 'cancel']: Error[] } = {
    describe: [],
    submit: [],
    poll: [],
    cancel: [],
  };
  /** Whether a submission that throws was taken nevertheless. */
  takesSilently = false;
  shots: number | undefined;

  async describe(): Promise<DeviceDescription> {
    this.#fault('describe');
    if (this.isAway) throw UNREACHABLE;
    const garnet = DEVICES['iqm-garnet'];
    return {
      name: 'device',
      device: deviceOf(garnet),
      basis: 'modelled',
      source: 'a test',
      maxShots: 500,
      queueDepth: 4,
      ...(this.reason !== undefined && { reason: this.reason }),
    };
  }

  async submit(submission: VendorSubmission): Promise<string> {
    const id = `v${this.submitted.length}`;
    if (this.faults.submit.length === 0 || this.takesSilently) {
      this.submitted.push({ ...submission, id });
      this.states.set(id, { status: 'queued', position: 2 });
    }
    this.#fault('submit');
    return id;
  }

  async find(tag: string): Promise<string | undefined> {
    return this.submitted.find((each) => each.tag === tag)?.id;
  }

  async poll(id: string): Promise<VendorJob> {
    this.#fault('poll');
    const state = this.states.get(id);
    if (state === undefined) throw new UpstreamRefusedError(404, 'Job not found', 'Vendor');
    return state;
  }

  counts(id: string, numBits: readonly number[], signal: AbortSignal) {
    const { shots = 0 } = this.submitted.find((each) => each.id === id) ?? {};
    const outcomes = [[1n, this.shots ?? shots]] as const;
    return Promise.all(numBits.map((bits) => outcomeCounts(outcomes, bits, signal)));
  }

  async cancel(id: string): Promise<void> {
    this.#fault('cancel');
    this.cancelled.push(id);
  }

  close(): void {}

  #fault(method: keyof FakeVendor['faults']): void {
    const fault = this.faults[method].shift();
    if (fault !== undefined) throw fault;
  }
}

let processor: HardwareProcessor | undefined;
afterEach(async () => {
  await processor?.close();
});

async function open(vendor: FakeVendor, changes: Partial<HardwareProcessorOptions> = {}) {
  processor = new HardwareProcessor({
    provider: vendor,
    maxJobs: 2,
    queueLimit: 10,
    maxGates: 1_000_000,
    maxShots: 1_000_000,
    refreshMs: 60_000,
    timeoutMs: 60_000,
    times: { firstPollMs: 1, longestPollMs: 2, firstRetryMs: 1, longestRetryMs: 2 },
    now: () => 1_800_000_000_000,
    ...changes,
  });
  await processor.check();
  return processor;
}

/** Cause of an abort that ends a job for good. */
class Cancelled extends Error {}

/** A run with a memory that a test reads, and another process's. */
function runOf(id: string, changes: Partial<DeviceRun> = {}, memory: { saved?: SavedRun } = {}) {
  const controller = new AbortController();
  const run: DeviceRun = {
    id,
    tag: id,
    shots: 100,
    priority: 'normal',
    keyId: 'key',
    tier: 'standard',
    fit: async () => ({
      circuits: [{ qasm: `circuit of ${id}`, numBits: 3 }],
      fitMs: 1,
      fitting: {
        gatesBefore: 1,
        gatesAfter: 1,
        depthBefore: 1,
        depthAfter: 1,
        twoQubitGates: { before: 0, after: 0 },
        widerGates: { before: 0, after: 0 },
        swaps: 0,
        initialLayout: [5],
      },
    }),
    memory: {
      load: async () => memory.saved,
      save: async (saved) => {
        memory.saved = saved;
      },
    },
    isCancelled: (reason) => reason instanceof Cancelled,
    ...changes,
  };
  const start = (on: HardwareProcessor, hooks: RunHooks = {}) =>
    on.runOnDevice(run, hooks, controller.signal);
  return { run, memory, start, cancel: (reason = new Cancelled()) => controller.abort(reason) };
}

const finish = (vendor: FakeVendor, id = 'v0') =>
  vendor.states.set(id, { status: 'completed', queueMs: 7, executionMs: 3 });

test('before the vendor has answered it is not available; then it has the vendor’s limits', async () => {
  const vendor = new FakeVendor();
  vendor.faults.describe.push(UNREACHABLE);
  const opened = await open(vendor, { refreshMs: 60_000 });
  expect(opened.availability()).toMatchObject({
    available: false,
    reason: 'Vendor could not be reached, or hung up (ECONNREFUSED).',
  });
  expect(opened.spec).toMatchObject({ id: 'superconducting-1', maxQubits: 0 });
  expect(() => opened.admit()).toThrow('is not available');
  await eventually(() => opened.availability().available);
  expect(opened.spec).toMatchObject({ maxQubits: 20, maxShots: 500, maxGates: 10_000 });
  expect(opened.report()).toMatchObject({ vendor: 'Vendor', device: 'device', queueDepth: 4 });
  expect(opened.load().queueDepth).toBe(4);
});

test('a device that goes away is looked at again: it is not available until it is back, and what it was stays known', async () => {
  const vendor = new FakeVendor();
  const opened = await open(vendor, { refreshMs: 1 });
  expect(opened.availability().available).toBe(true);
  vendor.isAway = true;
  await eventually(() => !opened.availability().available);
  expect(opened.availability().reason).toContain('Vendor could not be reached');
  expect(opened.spec).toMatchObject({ maxQubits: 20, maxShots: 500 });
  vendor.isAway = false;
  await eventually(() => opened.availability().available);
});

test('a device that takes no jobs is not available, for the vendor’s reason', async () => {
  const vendor = new FakeVendor();
  vendor.reason = 'The vendor says: maintenance';
  const opened = await open(vendor);
  expect(opened.availability()).toMatchObject({ available: false, reason: vendor.reason });
  // What circuits must fit is known nevertheless.
  expect(opened.spec.device?.nativeGates).toEqual(['PRX', 'CZ']);
});

test('a run is fitted, saved, submitted, saved with its id, followed and answered', async () => {
  const vendor = new FakeVendor();
  const opened = await open(vendor);
  const { start, memory } = runOf('circ_1');
  let started = 0;
  const result = start(opened, { onStarted: () => started++ });
  await eventually(() => opened.queuePosition('circ_1') === 2);
  expect(memory.saved).toMatchObject({ vendorJobId: 'v0', vendor: 'Vendor', device: 'device' });
  expect(vendor.submitted).toEqual([
    { id: 'v0', circuits: ['circuit of circ_1'], shots: 100, tag: 'circ_1' },
  ]);
  expect(started).toBe(0);
  vendor.states.set('v0', { status: 'running' });
  await eventually(() => started === 1);
  expect(opened.queuePosition('circ_1')).toBeUndefined();
  finish(vendor);
  const { counts, backend, timing } = await result;
  expect(counts.map(countsByLabel)).toEqual([new Map([['001', 100]])]);
  expect(backend).toEqual({
    execution: 'hardware',
    vendor: 'Vendor',
    device: 'device',
    vendorJobId: 'v0',
    basis: 'modelled',
  });
  expect(timing).toMatchObject({ vendorQueueMs: 7, executionMs: 3, fitMs: 1 });
  expect(started).toBe(1);
  expect(opened.load().running).toBe(0);
});

test('so many jobs are at the vendor at once; keys take turns among the others', async () => {
  const vendor = new FakeVendor();
  const opened = await open(vendor, { maxJobs: 1 });
  const runs = ['a1', 'a2', 'a3', 'b1'].map((id) => runOf(id, { keyId: id.slice(0, 1) }));
  const results = [];
  for (const { start, run } of runs) {
    results.push(start(opened));
    await eventually(() => run.id === 'a1' || opened.queuePosition(run.id) !== undefined);
  }
  expect(vendor.submitted.map(({ tag }) => tag)).toEqual(['a1']);
  expect(opened.queuePosition('b1')).toBeLessThan(opened.queuePosition('a3') ?? 0);
  for (let i = 0; i < runs.length; i++) {
    await eventually(() => vendor.submitted.length === i + 1);
    finish(vendor, `v${i}`);
  }
  await Promise.all(results);
  const order = vendor.submitted.map(({ tag }) => tag);
  expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a3'));
});

test('what waits keeps waiting while the vendor is away or in maintenance', async () => {
  const vendor = new FakeVendor();
  const opened = await open(vendor);
  opened.setMaintenance({ reason: 'fridge' });
  expect(opened.availability().reason).toBe('In maintenance: fridge');
  const waiting = runOf('circ_1');
  const result = waiting.start(opened, { readmitted: true });
  await eventually(() => opened.queuePosition('circ_1') === 0);
  expect(vendor.submitted).toEqual([]);
  opened.setMaintenance(undefined);
  await eventually(() => vendor.submitted.length === 1);
  vendor.faults.poll.push(UNREACHABLE, UNREACHABLE);
  finish(vendor);
  expect((await result).backend.vendorJobId).toBe('v0');
});

test('a new run is refused while the device is not available, and when too many wait', async () => {
  const vendor = new FakeVendor();
  const opened = await open(vendor, { queueLimit: 1, maxJobs: 1 });
  const results = [runOf('a').start(opened)];
  await eventually(() => vendor.submitted.length === 1);
  results.push(runOf('b').start(opened));
  await eventually(() => opened.queuePosition('b') === 0);
  expect(() => opened.admit()).toThrow('is full');
  opened.setMaintenance({ reason: 'fridge' });
  await expect(runOf('c').start(opened)).rejects.toThrow('fridge');
  opened.setMaintenance(undefined);
  finish(vendor);
  await eventually(() => vendor.submitted.length === 2);
  finish(vendor, 'v1');
  await Promise.all(results);
});

test.each([
  ['that was taken', true],
  ['that was not', false],
])('after a submission without an answer %s there is one job', async (_, takesSilently) => {
  const vendor = new FakeVendor();
  vendor.takesSilently = takesSilently;
  vendor.faults.submit.push(UNREACHABLE);
  const opened = await open(vendor);
  const result = runOf('circ_1').start(opened);
  await eventually(() => vendor.submitted.length === 1);
  finish(vendor);
  await result;
  expect(vendor.submitted).toHaveLength(1);
});

test('after a restart a job is followed by the vendor’s id, and not submitted again', async () => {
  const vendor = new FakeVendor();
  const memory: { saved?: SavedRun } = {};
  const first = await open(vendor);
  const before = runOf('circ_1', {}, memory);
  const left = before.start(first);
  await eventually(() => memory.saved?.vendorJobId === 'v0');
  const stop = new Error('the service stops');
  before.cancel(stop);
  await expect(left).rejects.toBe(stop);
  await first.close();
  expect(vendor.cancelled).toEqual([]);

  const fit = () => Promise.reject(new Error('it is fitted again'));
  const again = runOf('circ_1', { fit }, memory);
  const second = await open(vendor, { maxJobs: 1 });
  finish(vendor);
  const { backend, fitting } = await again.start(second, { readmitted: true });
  expect(backend.vendorJobId).toBe('v0');
  expect(fitting.initialLayout).toEqual([5]);
  expect(vendor.submitted).toHaveLength(1);
});

test('after a crash between submission and storing, the job is found by its tag', async () => {
  const vendor = new FakeVendor();
  const memory: { saved?: SavedRun } = {};
  const opened = await open(vendor);
  const crashed = runOf('circ_1', {}, memory);
  const left = crashed.start(opened);
  await eventually(() => memory.saved?.vendorJobId === 'v0');
  crashed.cancel(new Error('crash'));
  await expect(left).rejects.toThrow('crash');
  const { vendorJobId: _, ...saved } = memory.saved!;
  const fit = () => Promise.reject(new Error('it is fitted again'));
  const again = runOf('circ_1', { fit }, { saved });
  const result = again.start(opened, { readmitted: true });
  await eventually(() => again.memory.saved?.vendorJobId === 'v0');
  finish(vendor);
  expect((await result).fitting.initialLayout).toEqual([5]);
  expect(vendor.submitted).toHaveLength(1);
});

test('a run that is cancelled while it waits here is never submitted', async () => {
  const vendor = new FakeVendor();
  const opened = await open(vendor);
  opened.setMaintenance({ reason: 'fridge' });
  const { start, cancel } = runOf('circ_1');
  const result = start(opened, { readmitted: true });
  await eventually(() => opened.queuePosition('circ_1') === 0);
  cancel();
  await expect(result).rejects.toThrow(Cancelled);
  expect(opened.queuePosition('circ_1')).toBeUndefined();
  opened.setMaintenance(undefined);
  expect(opened.load().running).toBe(0);
  expect(vendor.submitted).toEqual([]);
});

test.each(['queued', 'running'] as const)(
  'a run that is cancelled while it is %s at the vendor is cancelled there, also at the second attempt',
  async (status) => {
    const vendor = new FakeVendor();
    vendor.faults.cancel.push(UNREACHABLE);
    const opened = await open(vendor);
    const { start, cancel, memory } = runOf('circ_1');
    const result = start(opened);
    await eventually(() => memory.saved?.vendorJobId === 'v0');
    vendor.states.set('v0', { status });
    cancel();
    await expect(result).rejects.toThrow(Cancelled);
    await eventually(() => vendor.cancelled.length === 1);
    expect(vendor.cancelled).toEqual(['v0']);
  },
);

test('a run that is cancelled while its submission is under way is cancelled at the vendor', async () => {
  const vendor = new FakeVendor();
  const opened = await open(vendor);
  const { start, cancel } = runOf('circ_1');
  const submit = vendor.submit.bind(vendor);
  vendor.submit = async (submission) => {
    cancel();
    return await submit(submission);
  };
  await expect(start(opened)).rejects.toThrow(Cancelled);
  await eventually(() => vendor.cancelled.length === 1);
});

test.each([
  ['failed', { status: 'failed', reason: 'too hot' }, 'Job v0 failed at Vendor: too hot'],
  ['cancelled there', { status: 'cancelled' }, 'Job v0 was cancelled at Vendor.'],
] as const)('a job that %s fails with the vendor’s reason', async (_, state, message) => {
  const vendor = new FakeVendor();
  const opened = await open(vendor);
  const result = runOf('circ_1').start(opened);
  await eventually(() => vendor.submitted.length === 1);
  vendor.states.set('v0', state);
  await expect(result).rejects.toThrow(message);
  await expect(result).rejects.toMatchObject({ code: 'HARDWARE_JOB_FAILED' });
  expect(opened.load().running).toBe(0);
});

test('a circuit that the vendor refuses fails with its reason', async () => {
  const vendor = new FakeVendor();
  vendor.faults.submit.push(new UpstreamRefusedError(400, 'no such gate', 'Vendor'));
  const opened = await open(vendor);
  await expect(runOf('circ_1').start(opened)).rejects.toThrow(
    'Vendor refused the request (HTTP 400): no such gate',
  );
});

test('a result with other shots than those asked for is not passed on', async () => {
  const vendor = new FakeVendor();
  vendor.shots = 99;
  const opened = await open(vendor);
  const result = runOf('circ_1').start(opened);
  await eventually(() => vendor.submitted.length === 1);
  finish(vendor);
  await expect(result).rejects.toThrow('99 shots instead of 100');
});

test.each([
  { kind: 'wrong-shape', path: 'data.counts' },
  { kind: 'too-large', limitBytes: 7 },
] as const)('a result whose answer stays $kind fails after six requests', async (fault) => {
  const vendor = new FakeVendor();
  const opened = await open(vendor);
  let numAsked = 0;
  vendor.counts = async () => {
    numAsked++;
    throw new UpstreamError(fault, undefined, 'Vendor');
  };
  const result = runOf('circ_1').start(opened);
  const refused = expect(result).rejects.toMatchObject({ code: 'HARDWARE_RESULT_UNUSABLE' });
  await eventually(() => vendor.submitted.length === 1);
  finish(vendor);
  await refused;
  expect(numAsked).toBe(6);
});

test('times and positions below zero, as of a vendor whose clocks differ, are not passed on', async () => {
  const vendor = new FakeVendor();
  const opened = await open(vendor);
  const result = runOf('circ_1').start(opened);
  await eventually(() => vendor.submitted.length === 1);
  vendor.states.set('v0', { status: 'queued', position: -4 });
  await eventually(() => opened.queuePosition('circ_1') === 0);
  vendor.states.set('v0', { status: 'completed', queueMs: -98_000, executionMs: -5 });
  const { timing } = await result;
  expect(timing).not.toHaveProperty('vendorQueueMs');
  expect(timing).not.toHaveProperty('executionMs');
  expect(timing.queueMs).toBeGreaterThanOrEqual(0);
});

test('an id that cannot be stored does not lose the job', async () => {
  const vendor = new FakeVendor();
  const faults: unknown[] = [];
  const opened = await open(vendor, { onFault: (error) => faults.push(error) });
  const full = new Error('the disk is full');
  const save = async ({ vendorJobId }: SavedRun) => {
    if (vendorJobId !== undefined) throw full;
  };
  const { start } = runOf('circ_1', { memory: { load: async () => undefined, save } });
  const result = start(opened);
  await eventually(() => vendor.submitted.length === 1);
  finish(vendor);
  expect((await result).backend.vendorJobId).toBe('v0');
  expect(faults).toEqual([full]);
});
