import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sliceSizesOf } from '../../src/workloads/tpu/slice-request.ts';
import { type Slice, TpuFleet } from '../../src/workloads/tpu/tpu-fleet.ts';
import { TPU_POOLS, type TpuPool } from '../../src/workloads/tpu/tpu-zones.ts';
import { numCases } from '../support/seeds.ts';

/** Something that happens to a fleet; whom it happens to depends on who is there. */
const step = fc.record({
  kind: fc.constantFrom('arrive', 'arrive', 'arrive', 'arrive', 'end', 'end', 'abort', 'wait'),
  // Two zones, so that both fill up.
  pool: fc.constantFrom(...TPU_POOLS.slice(4)),
  key: fc.constantFrom('a', 'b', 'c'),
  priority: fc.constantFrom('low' as const, 'normal' as const, 'high' as const),
  tier: fc.constantFrom('standard' as const, 'enterprise' as const),
  which: fc.nat(1000),
});

interface Sent {
  readonly id: string;
  readonly pool: TpuPool;
  readonly chips: number;
  /** Jobs of one flow are equals. */
  readonly flow: string;
  readonly controller: AbortController;
}

/** All promises that can go on have gone on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('chips are never assigned twice and never lost, and jobs of equal rank are placed in order of arrival', async () => {
  const seen = { waited: 0, aborted: 0, placed: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      let now = 0;
      const fleet = new TpuFleet({ now: () => now });
      const waiting = new Map<string, Sent>();
      const held = new Map<string, { readonly sent: Sent; readonly slice: Slice }>();
      const placed: Sent[] = [];

      const arrive = (
        sent: Sent,
        options: Pick<(typeof steps)[number], 'key' | 'priority' | 'tier'>,
      ) => {
        waiting.set(sent.id, sent);
        const { zone, tpuType } = sent.pool;
        const { priority, tier } = options;
        const request = {
          id: sent.id,
          zone,
          tpuType,
          chips: sent.chips,
          priority,
          tier,
          keyId: options.key,
        };
        fleet.place(request, sent.controller.signal).then(
          (slice) => {
            waiting.delete(sent.id);
            held.set(sent.id, { sent, slice });
            placed.push(sent);
          },
          () => waiting.delete(sent.id),
        );
      };
      const check = (changed: TpuPool | undefined) => {
        const { pools, availableChips, chips } = fleet.snapshot();
        for (const pool of pools) {
          const inUse = [...held.values()]
            .filter(({ sent }) => sent.pool.zone === pool.zone)
            .reduce((sum, { sent }) => sum + sent.chips, 0);
          expect(inUse).toBeLessThanOrEqual(pool.chips);
          expect(pool.inUseChips).toBe(inUse);
          expect(pool.availableChips + pool.inUseChips).toBe(pool.chips);
          const ofPool = [...waiting.values()].filter(({ pool: own }) => own.zone === pool.zone);
          expect(pool.jobsWaiting).toBe(ofPool.length);
          const positions = ofPool
            .map(({ id }) => fleet.queuePosition(id))
            .sort((a, b) => Number(a) - Number(b));
          expect(positions).toEqual([...positions.keys()]);
          // Who is first in a line waits for nothing but chips.
          const first = ofPool.find(({ id }) => fleet.queuePosition(id) === 0);
          if (pool.zone === changed?.zone && first !== undefined) {
            expect(first.chips).toBeGreaterThan(pool.availableChips);
          }
        }
        expect(availableChips).toBe(
          chips - [...held.values()].reduce((sum, { sent }) => sum + sent.chips, 0),
        );
      };

      for (const [i, { kind, pool, which, ...whose }] of steps.entries()) {
        let changed: TpuPool | undefined;
        if (kind === 'arrive') {
          const sizes = sliceSizesOf(pool).slice(2);
          const flow = `${pool.zone} ${whose.key} ${whose.priority} ${whose.tier}`;
          const chips = sizes[which % sizes.length] ?? 4;
          arrive({ id: `${i}`, pool, chips, flow, controller: new AbortController() }, whose);
          changed = pool;
        } else if (kind === 'end') {
          const chosen = [...held.values()][which % Math.max(1, held.size)];
          if (chosen !== undefined) {
            held.delete(chosen.sent.id);
            chosen.slice[Symbol.dispose]();
            chosen.slice[Symbol.dispose]();
            changed = chosen.sent.pool;
          }
        } else if (kind === 'abort') {
          const chosen = [...waiting.values()][which % Math.max(1, waiting.size)];
          chosen?.controller.abort();
          if (chosen !== undefined) seen.aborted++;
          changed = chosen?.pool;
        } else {
          now += which * 40;
        }
        await settled();
        seen.waited += waiting.size;
        check(changed);
      }

      // Everybody who still waits is placed once those before them have ended.
      for (let left = held.size + waiting.size; left > 0; left--) {
        const [chosen] = held.values();
        if (chosen === undefined) throw new Error('somebody waits, and nobody has chips');
        held.delete(chosen.sent.id);
        chosen.slice[Symbol.dispose]();
        await settled();
      }
      expect(fleet.snapshot()).toMatchObject({
        availableChips: 320,
        jobsPlaced: 0,
        jobsWaiting: 0,
      });
      for (const flow of new Set(placed.map((sent) => sent.flow))) {
        const ids = placed.filter((sent) => sent.flow === flow).map(({ id }) => Number(id));
        expect(ids).toEqual([...ids].sort((a, b) => a - b));
      }
      seen.placed += placed.length;
    }),
    { seed: 8, numRuns: numCases(18) },
  );
  expect(seen.waited).toBeGreaterThan(numCases(125));
  expect(seen.aborted).toBeGreaterThan(numCases(12));
  expect(seen.placed).toBeGreaterThan(numCases(125));
});
