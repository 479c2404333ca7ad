/** BB84 against the error rates that quantum mechanics gives, and against wrong inputs. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bb84, wilsonInterval } from '../../../../../src/workloads/agents/security/bb84.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

const basis = z.enum(['Z', 'X']);
const result = z.object({
  qubits_intercepted: z.number(),
  sifted_bits: z.number(),
  sample_bits: z.number(),
  sample_errors: z.number(),
  error_rate: z.number().nullable(),
  error_rate_interval_95: z.tuple([z.number(), z.number()]).nullable(),
  error_rate_expected: z.number(),
  error_rate_of_all_sifted: z.number(),
  aborted: z.boolean(),
  eavesdropper_suspected: z.boolean(),
  sifted_key_bits: z.number(),
  secret_key_bits: z.number(),
  eve_knows_share: z.number(),
  first_qubits: z.array(
    z.object({
      alice_bit: z.number(),
      alice_basis: basis,
      intercepted: z.boolean(),
      eve_basis: basis.optional(),
      eve_bit: z.number().optional(),
      bob_basis: basis,
      bob_bit: z.number(),
      sifted: z.boolean(),
    }),
  ),
  seed: z.number(),
  pseudorandom: z.literal(true),
  note: z.string(),
});

async function run(input: object) {
  await using test = openTestContext();
  return result.parse(await test.run(bb84, { ...input }));
}

const BITS = 20_000;
/** Four standard errors of a share near p among the sifted half. */
const within = (p: number) => 4 * Math.sqrt((p * (1 - p)) / (BITS / 2)) + 1e-12;

describe('bb84', () => {
  test('has no error at all without Eve and noise', async () => {
    const found = await run({ bits: BITS, seed: 1 });
    expect(found.error_rate_of_all_sifted).toBe(0);
    expect(found.error_rate).toBe(0);
    expect(found.aborted).toBe(false);
    expect(found.qubits_intercepted).toBe(0);
    expect(found.eve_knows_share).toBe(0);
    expect(found.secret_key_bits).toBe(found.sifted_key_bits);
    expect(found.sifted_key_bits).toBe(found.sifted_bits - found.sample_bits);
    expect(Math.abs(found.sifted_bits / BITS - 0.5)).toBeLessThan(4 * Math.sqrt(0.25 / BITS));
  });

  test('has a quarter of errors when Eve intercepts all, and she knows three quarters', async () => {
    const found = await run({ bits: BITS, eavesdrop: true, seed: 2 });
    expect(found.error_rate_expected).toBe(0.25);
    expect(Math.abs(found.error_rate_of_all_sifted - 0.25)).toBeLessThan(within(0.25));
    expect(Math.abs(found.eve_knows_share - 0.75)).toBeLessThan(within(0.75));
    expect([found.aborted, found.eavesdropper_suspected]).toEqual([true, true]);
    expect([found.sifted_key_bits, found.secret_key_bits]).toEqual([0, 0]);
    expect(found.error_rate).toBe(found.sample_errors / found.sample_bits);
    const [low, high] = found.error_rate_interval_95 ?? [1, 0];
    expect(low).toBeLessThan(0.25);
    expect(high).toBeGreaterThan(0.25);
  });

  test.each([
    [0.2, 0, 0.05],
    [0.5, 0, 0.125],
    [0, 0.1, 0.05],
    [0, 1, 0.5],
    [1, 0.2, 0.3],
  ])('intercepting %f over a channel that mixes %f gives an error rate of %f', async (...given) => {
    const [intercept_fraction, noise, rate] = given;
    const found = await run({ bits: BITS, intercept_fraction, noise, seed: 3 });
    expect(found.error_rate_expected).toBeCloseTo(rate, 12);
    expect(Math.abs(found.error_rate_of_all_sifted - rate)).toBeLessThan(within(rate));
    expect(found.aborted).toBe(rate > 0.11);
  });

  test('keeps 1 − 2h(e) of the bits at a tolerable error rate', async () => {
    const found = await run({ bits: BITS, noise: 0.04, sample_size: 5_000, seed: 4 });
    const e = found.error_rate ?? Number.NaN;
    const h = -e * Math.log2(e) - (1 - e) * Math.log2(1 - e);
    expect(found.sample_bits).toBe(5_000);
    expect(found.secret_key_bits).toBe(Math.floor(found.sifted_key_bits * (1 - 2 * h)));
  });

  test('tells qubits so that bases explain bits', async () => {
    const { first_qubits } = await run({ bits: 4_000, intercept_fraction: 0.5, seed: 5 });
    for (const qubit of first_qubits) {
      expect(qubit.sifted).toBe(qubit.alice_basis === qubit.bob_basis);
      expect(qubit.intercepted).toBe(qubit.eve_basis !== undefined);
      if (qubit.eve_basis === qubit.alice_basis) expect(qubit.eve_bit).toBe(qubit.alice_bit);
      if (qubit.eve_basis === qubit.bob_basis) expect(qubit.bob_bit).toBe(qubit.eve_bit);
      if (!qubit.intercepted && qubit.sifted) expect(qubit.bob_bit).toBe(qubit.alice_bit);
    }
    expect(first_qubits.filter(({ intercepted }) => intercepted).length).toBeGreaterThan(0);
  });

  test('cannot decide where no bit is sampled, and gives no more than there are', async () => {
    const all = await run({ bits: 16, sample_size: 1_000, seed: 6 });
    expect(all.sample_bits).toBe(all.sifted_bits);
    expect(all.sifted_key_bits).toBe(0);
  });

  test('measures qubits that are alike as shots of one circuit, each circuit with a seed of its own', async () => {
    await using test = openTestContext();
    const { circuits } = test.context;
    const seeds = new Set<number | undefined>();
    const shots: number[] = [];
    const run: typeof circuits.run = (circuit, request) => {
      seeds.add(request.seed);
      shots.push(request.shots ?? 0);
      return circuits.run(circuit, request);
    };
    const context = { ...test.context, circuits: { ...circuits, run } };
    await bb84.run({ bits: 20_000, eavesdrop: true }, context);
    expect(seeds.size).toBe(16);
    expect(shots).toHaveLength(16);
    expect(shots.slice(0, 8).reduce((sum, each) => sum + each, 0)).toBe(20_000);
    expect(shots.slice(8).reduce((sum, each) => sum + each, 0)).toBe(20_000);
    expect(test.told.units).toBe(16);
  });

  test('draws which of the qubits that are alike read what', async () => {
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, seed) => run({ bits: 1_000, noise: 1, seed })),
    );
    const first = all.flatMap(({ first_qubits }) => first_qubits.map(({ bob_bit }) => bob_bit));
    const ones = first.filter((bit) => bit === 1).length;
    expect(Math.abs(ones / first.length - 0.5)).toBeLessThan(4 * Math.sqrt(0.25 / first.length));
  });

  test('a noise model acts on preparation, way and measurement, and not on Eve', async () => {
    const noise = {
      gates: [{ gates: ['ID'], channel: { type: 'bit_flip', probability: 0.1 } }],
      readout: [{ p1_given_0: 0.02, p0_given_1: 0.02 }],
    };
    const alone = await run({ bits: BITS, noise, seed: 5 });
    // A bit flip changes bits of the basis Z alone; misread bits are those of both.
    const inZ = 0.1 * 0.98 + 0.9 * 0.02;
    const rate = (inZ + 0.02) / 2;
    expect(alone.error_rate_expected).toBeCloseTo(rate, 12);
    expect(Math.abs(alone.error_rate_of_all_sifted - rate)).toBeLessThan(within(rate));
    const watched = await run({ bits: BITS, noise, eavesdrop: true, seed: 5 });
    // In half of the cases Eve's basis is the other one, and Bob's bit is random.
    expect(watched.error_rate_expected).toBeCloseTo(rate / 2 + 1 / 4, 12);
    expect(Math.abs(watched.eve_knows_share - 0.75)).toBeLessThan(within(0.75));
    expect(bb84.faultsOf({ bits: 100, noise: { gates: [{}] } })[0]?.path).toMatch(/^noise/);
    expect(bb84.faultsOf({ bits: 100, noise: { model: 'none' } })[0]?.path).toBe('noise.model');
  });

  test('gives the same for the same seed, other bits for another', async () => {
    const input = { bits: 500, eavesdrop: true, seed: 8 };
    const first = await run(input);
    expect(await run(input)).toEqual(first);
    expect((await run({ ...input, seed: 9 })).first_qubits).not.toEqual(first.first_qubits);
    expect(first.note).toMatch(/pseudorandom/);
  });

  test('refuses to be told twice what Eve does', () => {
    const both = bb84.input.parse({ bits: 100, eavesdrop: true, intercept_fraction: 0.5 });
    expect(bb84.faultsOf(both)[0]?.path).toBe('intercept_fraction');
  });

  test.each([
    { bits: 15 },
    { bits: 1e9 },
    { bits: 100.5 },
    { bits: 100, intercept_fraction: 1.1 },
    { bits: 100, noise: -0.1 },
    { bits: 100, noise: Number.NaN },
    { bits: 100, sample_size: 0 },
    { bits: 100, eve: true },
    {},
  ])('refuses %j', (input) => {
    expect(bb84.input.safeParse(input).success).toBe(false);
  });
});

test.each([
  // Newcombe (1998), table I: Wilson's method without continuity correction.
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])('the interval of %i of %i is %f to %f', (hits, trials, low, high) => {
  const interval = wilsonInterval(hits, trials) ?? [];
  expect(interval[0]).toBeCloseTo(low, 4);
  expect(interval[1]).toBeCloseTo(high, 4);
});

test('no trials have no interval', () => {
  expect(wilsonInterval(0, 0)).toBeNull();
});
