/** The CHSH test against what quantum mechanics says of Bell pairs and of Werner states. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { chsh } from '../../../../../src/workloads/agents/security/chsh.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

const result = z.object({
  s: z.number(),
  s_standard_error: z.number(),
  s_exact: z.number(),
  violates_classical_bound: z.boolean(),
  standard_errors_above_classical: z.number(),
  settings: z.array(
    z.object({
      name: z.string(),
      correlation: z.number(),
      correlation_exact: z.number(),
      counts: z.record(z.string(), z.number()),
    }),
  ),
  seed: z.number(),
});

async function run(input: Record<string, never> | object) {
  await using test = openTestContext();
  return result.parse(await test.run(chsh, { ...input }));
}

describe('chsh', () => {
  test('finds 2√2 at the default angles, exactly and within four standard errors', async () => {
    const { s, s_exact, s_standard_error, ...rest } = await run({ shots: 20_000, seed: 3 });
    expect(s_exact).toBeCloseTo(2 * Math.SQRT2, 12);
    // Each correlation is 1/√2: variance 1/2 a shot, four settings.
    expect(s_standard_error).toBeCloseTo(Math.sqrt(2 / 20_000), 3);
    expect(Math.abs(s - 2 * Math.SQRT2)).toBeLessThan(4 * s_standard_error);
    expect(rest.violates_classical_bound).toBe(true);
    expect(rest.standard_errors_above_classical).toBeCloseTo((s - 2) / s_standard_error, 9);
  });

  test('gives E = cos(α − β) in every setting', async () => {
    const angles = { a: 0.3, a_prime: 1.9, b: -0.7, b_prime: 2.4 };
    const { settings } = await run({ shots: 40_000, seed: 4, angles });
    const differences = [0.3 + 0.7, 0.3 - 2.4, 1.9 + 0.7, 1.9 - 2.4];
    for (const [i, { correlation, correlation_exact }] of settings.entries()) {
      expect(correlation_exact).toBeCloseTo(Math.cos(differences[i]!), 12);
      expect(Math.abs(correlation - Math.cos(differences[i]!))).toBeLessThan(4 / Math.sqrt(40_000));
    }
  });

  test.each([0, 0.5, 0.7, 0.9])('loses in proportion with visibility %f', async (visibility) => {
    const { s, s_exact, s_standard_error, settings } = await run({
      shots: 20_000,
      seed: 5,
      visibility,
    });
    expect(s_exact).toBeCloseTo(visibility * 2 * Math.SQRT2, 12);
    expect(Math.abs(s - s_exact)).toBeLessThan(4 * s_standard_error);
    for (const { counts } of settings) {
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(20_000);
    }
  });

  test('readout errors of a noise model shrink every correlation by (1 − 2p)²', async () => {
    const noise = { readout: [{ p1_given_0: 0.04, p0_given_1: 0.04 }] };
    const { s, s_exact, s_standard_error } = await run({ shots: 20_000, seed: 6, noise });
    expect(s_exact).toBeCloseTo(2 * Math.SQRT2 * 0.92 ** 2, 12);
    expect(Math.abs(s - s_exact)).toBeLessThan(4 * s_standard_error);
  });

  test('depolarizing noise after CX mixes the pair, beside the visibility', async () => {
    const channel = { type: 'depolarizing', probability: 0.15 };
    const noise = { gates: [{ gates: ['CX'], channel }] };
    const { s_exact } = await run({ shots: 10, seed: 1, noise, visibility: 0.9 });
    expect(s_exact).toBeCloseTo(2 * Math.SQRT2 * 0.9 * (1 - (16 / 15) * 0.15), 12);
  });

  test('a named model is taken, and an unknown one refused with its path', async () => {
    const noisy = await run({ shots: 10, seed: 1, noise: { model: 'ibm-brisbane' } });
    expect(noisy.s_exact).toBeLessThan(2.8);
    expect(noisy.s_exact).toBeGreaterThan(2.4);
    expect(chsh.faultsOf({ noise: { model: 'none' } })[0]?.path).toBe('noise.model');
  });

  test('stays finite where every pair agrees', async () => {
    const angles = { a: 0, a_prime: 0, b: 0, b_prime: 0 };
    const found = await run({ shots: 100, seed: 1, angles });
    expect(found.s).toBe(2);
    expect(found.standard_errors_above_classical).toBe(0);
    expect(found.violates_classical_bound).toBe(false);
  });

  test('makes no violation of one shot in each setting, whatever S is', async () => {
    let largest = 0;
    for (let seed = 0; seed < 40; seed++) {
      const found = await run({ shots: 1, seed });
      largest = Math.max(largest, found.s);
      expect(found.s_standard_error).toBeGreaterThan(1);
      expect(found.violates_classical_bound).toBe(false);
    }
    expect(largest).toBe(4);
  });

  test('makes no violation of luck with a state that has none', async () => {
    const found = await Promise.all(
      Array.from({ length: 40 }, (_, seed) => run({ shots: 20, visibility: 0.6, seed })),
    );
    expect(found.filter(({ s }) => s > 2).length).toBeGreaterThan(3);
    expect(found.filter((each) => each.violates_classical_bound)).toEqual([]);
  });

  test('finds the violation of a Bell pair in some hundred shots', async () => {
    for (let seed = 0; seed < 10; seed++) {
      expect((await run({ shots: 200, seed })).violates_classical_bound).toBe(true);
    }
  });

  test('gives the same counts for the same seed, others for another', async () => {
    const first = await run({ shots: 500, seed: 11, visibility: 0.8 });
    expect(await run({ shots: 500, seed: 11, visibility: 0.8 })).toEqual(first);
    const other = await run({ shots: 500, seed: 12, visibility: 0.8 });
    expect(other.settings).not.toEqual(first.settings);
  });

  test("draws with the context's seed where the input has none", async () => {
    expect((await run({ shots: 10 })).seed).toBe(7);
  });

  test.each([
    { visibility: 1.01 },
    { visibility: Number.NaN },
    { shots: 0 },
    { shots: 1e7 },
    { angles: { a: 0 } },
    { angle: 1 },
  ])('refuses %j', (input) => {
    expect(chsh.input.safeParse(input).success).toBe(false);
  });
});
