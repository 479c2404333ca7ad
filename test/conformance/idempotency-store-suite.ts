/** The conformance suite of IdempotencyStore; each implementation has a short file that runs it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClaimRequest, IdempotencyStore } from '../../src/jobs/idempotency.ts';

/** A store for one test, and how to dispose of it. */
export interface OpenedStore {
  readonly store: IdempotencyStore;
  readonly close: () => void | Promise<void>;
}

const DAY_MS = 86_400_000;

function request(changes: Partial<ClaimRequest> = {}): ClaimRequest {
  return {
    keyId: 'key-1',
    idempotencyKey: 'order-7',
    bodyHash: 'h1',
    jobId: 'circ_1',
    now: 1_000_000,
    ...changes,
  };
}

/** Runs the suite over the store that `open` gives. */
export function describeIdempotencyStore(
  name: string,
  open: () => OpenedStore | Promise<OpenedStore>,
): void {
  describe(`${name} as an idempotency store`, () => {
    let store: IdempotencyStore;
    let close: OpenedStore['close'];
    beforeEach(async () => {
      ({ store, close } = await open());
    });
    afterEach(() => close());

    test('the first claim of a key succeeds, a repeat learns the job of the first', async () => {
      expect(await store.claim(request())).toStrictEqual({ kind: 'claimed' });
      expect(await store.claim(request({ jobId: 'circ_2' }))).toStrictEqual({
        kind: 'replay',
        jobId: 'circ_1',
      });
    });

    test('of 50 at once exactly one claims the key and the others learn its job', async () => {
      const claims = await Promise.all(
        Array.from({ length: 50 }, (_, i) => store.claim(request({ jobId: `circ_${i}` }))),
      );
      const winner = claims.findIndex((claim) => claim.kind === 'claimed');
      const others = claims.filter((claim) => claim.kind === 'replay');
      expect(others).toHaveLength(49);
      expect(new Set(others.map((claim) => claim.jobId))).toStrictEqual(
        new Set([`circ_${winner}`]),
      );
    });

    test('a settled key replays the stored answer, and the first answer stays', async () => {
      await store.claim(request());
      await store.settle('key-1', 'order-7', '{"success":true}');
      await store.settle('key-1', 'order-7', 'another');
      expect(await store.claim(request({ jobId: 'circ_2' }))).toStrictEqual({
        kind: 'replay',
        jobId: 'circ_1',
        response: '{"success":true}',
      });
    });

    test('another body under the same key is a conflict, before and after the answer', async () => {
      await store.claim(request());
      const other = request({ bodyHash: 'h2' });
      await expect(store.claim(other)).rejects.toMatchObject({ code: 'JOBS_IDEMPOTENCY_CONFLICT' });
      await store.settle('key-1', 'order-7', '"answer"');
      await expect(store.claim(other)).rejects.toMatchObject({ code: 'JOBS_IDEMPOTENCY_CONFLICT' });
    });

    test('the same idempotency key of another API key is another key', async () => {
      await store.claim(request());
      await store.settle('key-1', 'order-7', '"answer"');
      const other = request({ keyId: 'key-2', bodyHash: 'h2' });
      expect(await store.claim(other)).toStrictEqual({ kind: 'claimed' });
    });

    test('a released claim is free for any request', async () => {
      await store.claim(request());
      await store.release('key-1', 'order-7');
      expect(await store.claim(request({ bodyHash: 'h2' }))).toStrictEqual({ kind: 'claimed' });
    });

    test('releasing a settled key does nothing', async () => {
      await store.claim(request());
      await store.settle('key-1', 'order-7', '"answer"');
      await store.release('key-1', 'order-7');
      expect(await store.claim(request())).toMatchObject({ kind: 'replay', response: '"answer"' });
    });

    test('settling and releasing a key that nobody claimed does nothing', async () => {
      await store.settle('key-1', 'order-7', '"answer"');
      await store.release('key-1', 'order-7');
      expect(await store.claim(request())).toStrictEqual({ kind: 'claimed' });
    });

    test('a key is kept for 24 hours less a millisecond and is free after 24', async () => {
      await store.claim(request());
      await store.settle('key-1', 'order-7', '"answer"');
      const late = await store.claim(request({ now: 1_000_000 + DAY_MS - 1 }));
      expect(late).toMatchObject({ kind: 'replay' });
      const next = request({ now: 1_000_000 + DAY_MS, bodyHash: 'h2', jobId: 'circ_2' });
      expect(await store.claim(next)).toStrictEqual({ kind: 'claimed' });
      expect(await store.claim(next)).toStrictEqual({ kind: 'replay', jobId: 'circ_2' });
    });

    test('pruning deletes every expired key and no other', async () => {
      const numExpired = 450;
      const requests = Array.from({ length: numExpired + 1 }, (_, i) =>
        request({ idempotencyKey: `k${i}`, now: i }),
      );
      await Promise.all(requests.map((each) => store.claim(each)));
      expect(await store.prune(DAY_MS + numExpired - 1)).toBe(numExpired);
      expect(await store.prune(DAY_MS + numExpired - 1)).toBe(0);
      const kept = await store.claim(request({ idempotencyKey: `k${numExpired}`, now: 500 }));
      expect(kept).toMatchObject({ kind: 'replay' });
      const freed = await store.claim(request({ idempotencyKey: 'k0', now: 500 }));
      expect(freed).toMatchObject({ kind: 'claimed' });
    });
  });
}
