/** Sampling bits and testing bits, as tasks. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  randomBits,
  randomnessTests,
} from '../../../../../src/workloads/agents/security/randomness.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

const report = z.object({
  num_bits: z.number(),
  ones_share: z.number(),
  tests_run: z.number(),
  tests_failed: z.number(),
  tests: z.array(
    z.object({
      test: z.string(),
      passed: z.boolean(),
      p_values: z.record(z.string(), z.number()),
      parameters: z.record(z.string(), z.number()),
      meets_recommendation: z.boolean(),
    }),
  ),
  not_run: z.array(z.object({ test: z.string(), reason: z.string() })),
  min_entropy: z
    .object({
      most_common_value: z.number(),
      markov: z.number(),
      least_bits_per_bit: z.number(),
    })
    .nullable(),
});
const sampled = z.object({
  bits_hex: z.string(),
  bits_returned: z.number(),
  bits_sampled: z.number(),
  seed: z.number(),
  pseudorandom: z.literal(true),
  note: z.string(),
  randomness: report.optional(),
});

async function runTests(input: JsonObject) {
  await using test = openTestContext();
  return report.parse(await test.run(randomnessTests, input));
}

async function sample(input: JsonObject) {
  await using test = openTestContext();
  return sampled.parse(await test.run(randomBits, input));
}

const PI =
  '1100100100001111110110101010001000100001011010001100001000110100110001001100011001100010100010111000';

function pOf({ tests }: z.output<typeof report>, name: string) {
  return tests.find(({ test: found }) => found === name)?.p_values['p_value'];
}

describe('randomness_tests', () => {
  test('gives the published P-values of the first 100 digits of π', async () => {
    const found = await runTests({
      bits: PI,
      block_length: 10,
      include_short: true,
    });
    expect(pOf(found, 'frequency')).toBeCloseTo(0.109599, 6);
    expect(pOf(found, 'block_frequency')).toBeCloseTo(0.706438, 6);
    expect(pOf(found, 'runs')).toBeCloseTo(0.500798, 6);
    const short = found.tests.filter(({ meets_recommendation }) => !meets_recommendation);
    expect(short.map(({ test: name }) => name)).toEqual(['block_frequency', 'spectral']);
  });

  test('leaves out what 100 bits do not suffice for, and says why', async () => {
    const found = await runTests({ bits: PI });
    expect(found.not_run).toEqual([
      { test: 'spectral', reason: 'It takes 1000 bits; there are 100.' },
    ]);
    expect(found.tests_run).toBe(3);
  });

  test('leaves out blocks of a wrong size', async () => {
    const bits = '01101'.repeat(200);
    const reasonsOf = async (input: JsonObject) =>
      (await runTests({ bits, ...input })).not_run.map(({ reason }) => reason);
    expect((await reasonsOf({ block_length: 10 })).join()).toMatch(/10 of 1000 do not/);
    expect((await reasonsOf({ block_length: 2_000 })).join()).toMatch(/2000 of 1000 do not/);
    // With the length chosen for them nothing is left out.
    expect(await reasonsOf({})).toEqual([]);
  });

  test('reads the same bits from hexadecimal digits', async () => {
    const hex = 'c90fdaa22168c234c4c6628b8';
    expect(await runTests({ hex })).toEqual(await runTests({ bits: PI }));
  });

  test('fails a sequence of zeros in every test that runs, and finds no entropy', async () => {
    const found = await runTests({ hex: '0'.repeat(10_000) });
    expect(found.tests_run).toBe(4);
    expect(found.tests_failed).toBe(4);
    expect(found.min_entropy?.least_bits_per_bit).toBe(0);
  });

  test('fails by alpha: the same P-value passes under a smaller one', async () => {
    // 59 ones of 100: P = erfc(1.8/√2) = 0.0719.
    const bits = '1'.repeat(59) + '0'.repeat(41);
    const passed = (found: z.output<typeof report>) =>
      found.tests.find(({ test: name }) => name === 'frequency')?.passed;
    expect(pOf(await runTests({ bits }), 'frequency')).toBeCloseTo(0.0719, 4);
    expect(passed(await runTests({ bits, alpha: 0.08 }))).toBe(false);
    expect(passed(await runTests({ bits, alpha: 0.07 }))).toBe(true);
  });

  test.each([1, 2, 3, 7, 8, 99])('stays finite with %i bits, short tests and all', async (n) => {
    for (const digit of ['0', '1']) {
      const found = await runTests({ bits: digit.repeat(n), include_short: true });
      for (const { p_values } of found.tests) {
        for (const p of Object.values(p_values)) {
          expect(p).toBeGreaterThanOrEqual(0);
          expect(p).toBeLessThanOrEqual(1);
        }
      }
      expect(found.min_entropy).toBeNull();
    }
  });

  test('ends with the signal', async () => {
    const ended = new AbortController();
    ended.abort(new Error('cancelled'));
    await using test = openTestContext({ signal: ended.signal });
    await expect(test.run(randomnessTests, { bits: PI })).rejects.toThrow('cancelled');
  });

  test.each([
    [{}, 'bits'],
    [{ bits: '01', hex: '0' }, 'hex'],
  ])('finds the fault of %j', (input, path) => {
    expect(randomnessTests.faultsOf(input)[0]?.path).toBe(path);
  });

  test.each([
    { bits: '' },
    { bits: '0102' },
    { bits: '01\n' },
    { bits: 5 },
    { bits: '0'.repeat(1_000_001) },
    { hex: '0x1f' },
    { hex: 'f'.repeat(250_001) },
    { bits: '01', alpha: 0 },
    { bits: '01', alpha: Number.NaN },
    { bits: '01', serial_pattern_length: 8 },
    { bits: '01', block_length: -5 },
  ])('refuses an input with another form', (input) => {
    expect(randomnessTests.input.safeParse(input).success).toBe(false);
  });
});

describe('random_bits', () => {
  test('samples bits that pass, and says that they are no secret', async () => {
    const { randomness, ...found } = await sample({ bits: 40_000, seed: 3 });
    expect(found.bits_hex).toMatch(/^[0-9a-f]{10000}$/);
    expect(found.bits_returned).toBe(40_000);
    expect(found.note).toMatch(/must not be guessed/);
    expect(randomness?.tests_run).toBe(4);
    expect(randomness?.tests_failed).toBe(0);
    expect(randomness?.min_entropy?.most_common_value).toBeGreaterThan(0.97);
  });

  test.each([1, 3, 8])(
    'gives as many bits as asked for with %i qubits a circuit',
    async (qubits) => {
      await using test = openTestContext();
      const found = sampled.parse(await test.run(randomBits, { bits: 1_001, qubits, seed: 4 }));
      expect(found.randomness?.num_bits).toBe(1_001);
      expect(found.bits_hex).toHaveLength(250);
      expect(test.told.circuits).toBe(Math.ceil(1_001 / qubits));
      expect(Math.abs(found.randomness!.ones_share - 0.5)).toBeLessThan(
        4 * Math.sqrt(0.25 / 1_001),
      );
    },
  );

  test('follows from its seed, and neighbouring seeds have nothing in common', async () => {
    const first = await sample({ bits: 4_000, seed: 5, tests: false });
    expect(first).toEqual(await sample({ bits: 4_000, seed: 5, tests: false }));
    expect(first.randomness).toBeUndefined();
    const second = await sample({ bits: 4_000, seed: 6, tests: false });
    // Nor is one the other shifted by a circuit.
    const bits = second.bits_hex.slice(100, 120);
    expect(first.bits_hex).not.toContain(bits);
  });

  test('goes from batch to batch without a seam', async () => {
    // 2^19 counters of a batch are 2,048 circuits of eight qubits.
    const long = await sample({ bits: 8 * 5_000, qubits: 8, seed: 9, tests: false });
    const short = await sample({ bits: 8 * 2_000, qubits: 8, seed: 9, tests: false });
    expect(long.bits_hex.startsWith(short.bits_hex)).toBe(true);
    const words = long.bits_hex.match(/../g) ?? [];
    expect(new Set(words).size).toBe(256);
    // No run of bits is repeated: draws of one batch would be those of the one before.
    expect(long.bits_hex.indexOf(long.bits_hex.slice(0, 40), 1)).toBe(-1);
  });

  test('returns a bounded part of many bits', async () => {
    const found = await sample({ bits: 100_000, seed: 1, tests: false });
    expect(found.bits_sampled).toBe(100_000);
    expect(found.bits_returned).toBe(65_536);
    expect(found.bits_hex).toHaveLength(16_384);
  });

  test('feeds the tests, which then find the same', async () => {
    const { randomness, bits_hex } = await sample({ bits: 2_000, seed: 2 });
    expect(randomBits.feeds).toEqual({ bits_hex: 'hex' });
    expect(await runTests({ hex: bits_hex })).toEqual(randomness);
  });

  test.each([{ bits: 0 }, { bits: 1_000_001 }, { bits: 10, qubits: 9 }, { bits: 10, qubits: 0 }])(
    'refuses %j',
    (input) => {
      expect(randomBits.input.safeParse(input).success).toBe(false);
    },
  );
});
