import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CircuitOutcome, FromWorker } from '../../../src/fleet/workers/worker-messages.ts';
import { WorkerOutbox } from '../../../src/fleet/workers/worker-outbox.ts';

const posted: FromWorker[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  posted.length = 0;
});

afterEach(() => vi.useRealTimers());

const OUTCOME: CircuitOutcome = {
  run: {
    counts: {
      numBits: 1,
      wordsPerOutcome: 1,
      outcomes: Uint32Array.of(1),
      occurrences: Uint32Array.of(9),
    },
    statePasses: 1,
    timing: { evolutionMs: 0, samplingMs: 0 },
  },
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
};

function openOutbox(): WorkerOutbox {
  const outbox = new WorkerOutbox((message) => posted.push(message));
  outbox.open();
  return outbox;
}

/** The circuits that are answered in a message. */
function answered(message: FromWorker | undefined): readonly number[] {
  if (message?.kind !== 'news') return [];
  const facts = [...(message.packed?.facts ?? [])];
  return [...facts.filter((_, i) => i % 10 === 0), ...message.ended.map(({ id }) => id)];
}

describe('WorkerOutbox', () => {
  test('sends the ends of a list together', () => {
    const outbox = openOutbox();
    for (let id = 0; id < 100; id++) {
      outbox.begin(id, performance.now(), id === 0);
      outbox.done(id, OUTCOME, performance.now());
    }
    expect(posted).toEqual([]);
    outbox.close();
    expect(posted.map(answered)).toEqual([Array.from({ length: 100 }, (_, id) => id)]);
  });

  test('is due once what was gathered has waited for some milliseconds', () => {
    const outbox = openOutbox();
    vi.advanceTimersByTime(4);
    expect(outbox.isDue).toBe(false);
    vi.advanceTimersByTime(1);
    expect(outbox.isDue).toBe(true);
    outbox.begin(0, performance.now(), false);
    outbox.send();
    expect(outbox.isDue).toBe(false);
    outbox.close();
  });

  test('tells within 20 ms of a circuit that runs long, with what ended before it', () => {
    const outbox = openOutbox();
    outbox.begin(0, performance.now(), true);
    vi.advanceTimersByTime(3);
    outbox.done(0, OUTCOME, performance.now());
    outbox.begin(1, performance.now(), false);
    vi.advanceTimersByTime(20);
    expect(posted).toHaveLength(1);
    expect(posted[0]).toMatchObject({ kind: 'news', begun: { id: 1, agoMs: 7 } });
    expect(answered(posted[0])).toEqual([0]);
    outbox.done(1, OUTCOME, performance.now());
    outbox.close();
    expect(posted[1]).not.toHaveProperty('begun');
  });

  test('says nothing of a circuit that is known to run, but that it lives', () => {
    const outbox = openOutbox();
    outbox.begin(4, performance.now(), true);
    vi.advanceTimersByTime(990);
    expect(posted).toEqual([]);
    vi.advanceTimersByTime(2010);
    const life = { kind: 'progress', id: 4, fraction: 0 };
    expect(posted).toEqual([life, life, life]);
    outbox.close();
  });

  test('sends progress at most every 50 ms, and the last fraction as a sign of life', () => {
    const outbox = openOutbox();
    outbox.begin(4, performance.now(), true);
    for (let i = 0; i < 20; i++) {
      vi.advanceTimersByTime(10);
      outbox.progress(i / 100);
    }
    vi.advanceTimersByTime(1000);
    const fractions = posted.flatMap((m) => (m.kind === 'progress' ? m.fraction : []));
    expect(fractions).toEqual([0.04, 0.09, 0.14, 0.19, 0.19]);
    outbox.close();
  });

  test('is silent once its list is closed', () => {
    const outbox = openOutbox();
    outbox.begin(0, performance.now(), true);
    outbox.done(0, OUTCOME, performance.now());
    outbox.close();
    vi.advanceTimersByTime(5000);
    expect(posted).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('transfers the large results of a batch task, and not its small ones', () => {
    const transfers: ArrayBuffer[][] = [];
    const outbox = new WorkerOutbox((_, transfer) => transfers.push([...transfer]));
    const counts = new Uint32Array(2 ** 12);
    const batch = { counts, expectations: new Float64Array(8) };
    outbox.open();
    outbox.done(0, { batch, compileMs: 1, executionMs: 1 }, performance.now());
    outbox.close();
    expect(transfers).toEqual([[counts.buffer]]);
  });

  test('transfers the buffer of a wide state, once where two arrays share it', () => {
    const transfers: ArrayBuffer[][] = [];
    const outbox = new WorkerOutbox((_, transfer) => transfers.push([...transfer]));
    const wide = new Float64Array(2 ** 12);
    const run = { ...OUTCOME.run, statevector: wide, probabilities: wide };
    outbox.done(0, { ...OUTCOME, run }, 0);
    outbox.send();
    expect(transfers).toEqual([[wide.buffer]]);
  });
});
