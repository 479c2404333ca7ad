/**
 * Transfers of windows: all are read before any is written, several are in flight, and none follows
 * a fault.
 */
import { expect, test } from 'vitest';
import { DeviceLostError } from '../../../../../src/engine/errors.ts';
import {
  type Run,
  runTransfers,
  type StagingBuffers,
  type TransferWindow,
} from '../../../../../src/engine/webgpu/spread/transfers.ts';

const pause = async () => undefined;

/** A device that is an array; what it is asked for comes turns of the microtask queue later. */
class FakeDevice {
  readonly memory: Uint8Array<ArrayBuffer>;
  mostUnderWay = 0;
  #underWay = 0;
  readonly context = { settle: async () => undefined };

  constructor(...bytes: readonly number[]) {
    this.memory = Uint8Array.from(bytes);
  }

  async fetch([run]: readonly Run[]) {
    const { offset, size } = run!;
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.#underWay);
    const bytes = this.memory.slice(offset, offset + size);
    await Promise.resolve();
    return { bytes, done: () => this.#underWay-- };
  }

  async room([run]: readonly Run[]) {
    const { offset, size } = run!;
    const bytes = new Uint8Array(size);
    return { bytes, done: () => this.memory.set(bytes, offset) };
  }

  /** Checked: windows only fetch, make room and settle. */
  get staging(): StagingBuffers {
    return this as unknown as StagingBuffers;
  }
}

/** A range of a device; the fake ones have no buffers. */
const run = (offset: number, size: number): readonly Run[] => [
  { buffer: undefined as unknown as GPUBuffer, offset, size },
];

function* swaps(a: FakeDevice, b: FakeDevice): Generator<TransferWindow> {
  for (const i of a.memory.keys()) {
    yield [
      { from: a.staging, source: run(i, 1), to: b.staging, target: run(i, 1) },
      { from: b.staging, source: run(i, 1), to: a.staging, target: run(i, 1) },
    ];
  }
}

test('two devices swap what they have, with several windows on their way', async () => {
  const [a, b] = [new FakeDevice(1, 2, 3, 4, 5, 6), new FakeDevice(7, 8, 9, 10, 11, 12)];
  await runTransfers([swaps(a, b)], pause);
  expect([...a.memory, ...b.memory]).toEqual([7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6]);
  expect(a.mostUnderWay).toBeGreaterThan(1);
});

test('a device that takes its mapped bytes along when it is lost is a lost device', async () => {
  const [a, b] = [new FakeDevice(1), new FakeDevice(2)];
  const fetch = b.fetch.bind(b);
  b.fetch = async (runs) => {
    const landing = await fetch(runs);
    structuredClone(landing.bytes.buffer, { transfer: [landing.bytes.buffer] });
    return landing;
  };
  b.context.settle = () => Promise.reject(new DeviceLostError('unplugged'));
  const lost = { code: 'ENGINE_DEVICE_LOST' };
  await expect(runTransfers([swaps(a, b)], pause)).rejects.toMatchObject(lost);
});

test('what fails on one way ends the others', async () => {
  const [a, b, c, d] = [0, 1, 2, 3].map(() => new FakeDevice(...Array(100).fill(0)));
  a!.fetch = () => Promise.reject(new Error('broken'));
  let numPauses = 0;
  const counted = async () => void numPauses++;
  await expect(runTransfers([swaps(a!, b!), swaps(c!, d!)], counted)).rejects.toThrow('broken');
  expect(numPauses).toBeLessThan(20);
});
