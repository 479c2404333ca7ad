import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MessageBuffer } from '../../../src/fleet/workers/serve-engine.ts';
import type { FromWorker, RunOutcome } from '../../../src/fleet/workers/worker-messages.ts';

const posted: FromWorker[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  posted.length = 0;
});

afterEach(() => vi.useRealTimers());

const OUTCOME: RunOutcome = {
  outputs: {
    countsByRow: [
      {
        numBits: 1,
        wordsPerOutcome: 1,
        outcomes: Uint32Array.of(1),
        occurrences: Uint32Array.of(9),
      },
    ],
    statePasses: [1],
  },
  executionMs: 0,
  samplingMs: 0,
  reused: 'nothing',
  compilation: {
    gatesBefore: 0,
    gatesAfter: 0,
    depthBefore: 0,
    depthAfter: 0,
    twoQubitGates: { before: 0, after: 0 },
    widerGates: { before: 0, after: 0 },
    passes: [],
    kernels: 0,
    fusedBlocks: 0,
    sweeps: 0,
    bytesMoved: 0,
  },
  compileMs: 0,
  ownMs: 0,
};

function openOutbox(): MessageBuffer {
  const buffer = new MessageBuffer((message) => posted.push(message));
  buffer.open();
  return buffer;
}

/** The circuits that are answered in a message. */
function answered(message: FromWorker | undefined): readonly number[] {
  if (message?.kind !== 'news') return [];
  const facts = [...(message.packed?.facts ?? [])];
  return [...facts.filter((_, i) => i % 12 === 0), ...message.ended.map(({ id }) => id)];
}

describe('MessageBuffer', () => {
  test('sends the ends of a list together', () => {
    const buffer = openOutbox();
    for (let id = 0; id < 100; id++) {
      buffer.begin(id, performance.now(), id === 0);
      buffer.done(id, OUTCOME, performance.now());
    }
    expect(posted).toEqual([]);
    buffer.close();
    expect(posted.map(answered)).toEqual([Array.from({ length: 100 }, (_, id) => id)]);
  });

  test('is due once what was gathered has waited for some milliseconds', () => {
    const buffer = openOutbox();
    vi.advanceTimersByTime(4);
    expect(buffer.isDue).toBe(false);
    vi.advanceTimersByTime(1);
    expect(buffer.isDue).toBe(true);
    buffer.begin(0, performance.now(), false);
    buffer.send();
    expect(buffer.isDue).toBe(false);
    buffer.close();
  });

  test('tells within 20 ms of a circuit that runs long, with what ended before it', () => {
    const buffer = openOutbox();
    buffer.begin(0, performance.now(), true);
    vi.advanceTimersByTime(3);
    buffer.done(0, OUTCOME, performance.now());
    buffer.begin(1, performance.now(), false);
    vi.advanceTimersByTime(20);
    expect(posted).toHaveLength(1);
    expect(posted[0]).toMatchObject({ kind: 'news', begun: { id: 1, agoMs: 7 } });
    expect(answered(posted[0])).toEqual([0]);
    buffer.done(1, OUTCOME, performance.now());
    buffer.close();
    expect(posted[1]).not.toHaveProperty('begun');
  });

  test('says nothing of a circuit that is known to run, but that it lives', () => {
    const buffer = openOutbox();
    buffer.begin(4, performance.now(), true);
    vi.advanceTimersByTime(990);
    expect(posted).toEqual([]);
    vi.advanceTimersByTime(2010);
    const life = { kind: 'progress', id: 4, fraction: 0 };
    expect(posted).toEqual([life, life, life]);
    buffer.close();
  });

  test('sends progress at most every 50 ms, and the last fraction as a sign of life', () => {
    const buffer = openOutbox();
    buffer.begin(4, performance.now(), true);
    for (let i = 0; i < 20; i++) {
      vi.advanceTimersByTime(10);
      buffer.progress(i / 100);
    }
    vi.advanceTimersByTime(1000);
    const fractions = posted.flatMap((m) => (m.kind === 'progress' ? m.fraction : []));
    expect(fractions).toEqual([0.04, 0.09, 0.14, 0.19, 0.19]);
    buffer.close();
  });

  test('is silent once its list is closed', () => {
    const buffer = openOutbox();
    buffer.begin(0, performance.now(), true);
    buffer.done(0, OUTCOME, performance.now());
    buffer.close();
    vi.advanceTimersByTime(5000);
    expect(posted).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('transfers the large results of a batch run, and not its small ones', () => {
    const transfers: ArrayBuffer[][] = [];
    const buffer = new MessageBuffer((_, transfer) => transfers.push([...transfer]));
    const counts = new Uint32Array(2 ** 12);
    const outputs = { counts, expectations: new Float64Array(8) };
    buffer.open();
    buffer.done(0, { outputs, compileMs: 1, executionMs: 1, ownMs: 2 }, performance.now());
    buffer.close();
    expect(transfers).toEqual([[counts.buffer]]);
  });

  test('transfers the buffer of a wide state, once where two arrays share it', () => {
    const transfers: ArrayBuffer[][] = [];
    const buffer = new MessageBuffer((_, transfer) => transfers.push([...transfer]));
    const wide = new Float64Array(2 ** 12);
    const outputs = { ...OUTCOME.outputs, statevectors: wide, probabilities: wide };
    buffer.done(0, { ...OUTCOME, outputs }, 0);
    buffer.send();
    expect(transfers).toEqual([[wide.buffer]]);
  });
});
