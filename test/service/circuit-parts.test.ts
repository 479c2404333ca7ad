/** The pure parts of submitting circuits: labels, results as text, stored requests, preferences. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measuredQubits } from '../../src/circuit/circuit.ts';
import { circuitFromGateObjects } from '../../src/circuit/gate-objects.ts';
import { formatPath } from '../../src/errors/fault-path.ts';
import { outputsOf } from '../../src/fleet/run-outputs.ts';
import { outcomeLabel } from '../../src/math/basis-index.ts';
import { circuitFactsOf, storedBody } from '../../src/service/circuits/read-circuit.ts';
import { circuitResultJson } from '../../src/service/circuits/result-json.ts';
import { encodeStored, requestHash } from '../../src/service/jobs/stored-request.ts';
import { parsePrefer } from '../../src/service/jobs/submit-job.ts';
import { runOf } from '../support/run-of.ts';
import { zeroResult } from './support/fake-processor.ts';
import { BELL } from './support/test-service.ts';

const ON_STATE = {
  method: 'statevector',
  methodReason: 'One state.',
  labelFormat: 'automatic',
  shotFormat: 'b8',
  seed: 1,
} as const;

describe('the label of an outcome', () => {
  test.each([
    [[0b011], 3, '011'],
    [[0xffffffff], 32, '1'.repeat(32)],
    [[1, 0], 33, `${'0'.repeat(32)}1`],
    [[0, 1], 33, `1${'0'.repeat(32)}`],
    [[2, 0, 1], 70, `${'0'.repeat(5)}1${'0'.repeat(62)}10`],
  ])('of words %j and %i bits is %s', (words, numBits, label) => {
    expect(outcomeLabel(Uint32Array.from(words), 0, words.length, numBits)).toBe(label);
  });

  test('has classical bit 0 rightmost, at any width', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), (numBits, at) => {
        const bit = at % numBits;
        const words = new Uint32Array(Math.ceil(numBits / 32));
        words[Math.floor(bit / 32)] = 2 ** (bit % 32);
        const label = outcomeLabel(words, 0, words.length, numBits);
        expect(label).toHaveLength(numBits);
        expect(label.lastIndexOf('1')).toBe(numBits - 1 - bit);
        expect(label.indexOf('1')).toBe(numBits - 1 - bit);
      }),
      { seed: 5 },
    );
  });
});

test('the text of a result is JSON that says what the typed arrays hold', () => {
  const circuit = circuitFromGateObjects([{ gate: 'M', qubits: [0], bits: [32] }], {
    limits: { maxQubits: 2, maxGates: 2 },
  });
  const task = { circuit, request: { shots: 8, seed: 1 } };
  const result = zeroResult(task);
  const run = {
    ...runOf(result),
    counts: {
      numBits: 33,
      wordsPerOutcome: 2,
      outcomes: Uint32Array.of(1, 0, 0x80000000, 1),
      occurrences: Uint32Array.of(3, 5),
    },
    statevector: Float64Array.of(-0, 1e-20, Math.SQRT1_2, -0.5),
    expectations: [0.25, -1],
  };
  const text = circuitResultJson(
    {
      numBits: 33,
      measuredQubits: measuredQubits(circuit),
      outputs: ['counts', 'statevector', 'expectation'],
      numRequested: 2,
      basisStates: [],
      results: [],
      warnings: [{ code: 'CIRCUIT_PRAGMA_IGNORED', message: 'The "a" is ignored.', line: 3 }],
      ...ON_STATE,
    },
    { ...result, outputs: outputsOf(run) },
  );
  expect(JSON.parse(text)).toMatchObject({
    counts: { [`${'0'.repeat(32)}1`]: 3, [`11${'0'.repeat(31)}`]: 5 },
    statevector: [
      [0, 1e-20],
      [Math.SQRT1_2, -0.5],
    ],
    expectation: { values: [0.25, -1], sum: -0.75 },
    measured_qubits: [...new Array(32).fill(null), 0],
    warnings: [{ code: 'CIRCUIT_PRAGMA_IGNORED', message: 'The "a" is ignored.', line: 3 }],
  });
});

test('counts are written with the labels of their outcomes, at any width', () => {
  const count = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  const counts = fc.integer({ min: 0, max: 100 }).chain((numBits) =>
    fc.record({
      numBits: fc.constant(numBits),
      rows: fc.array(fc.tuple(fc.array(count, { minLength: 4, maxLength: 4 }), count)),
      labelFormat: fc.constantFrom('automatic' as const, 'hex' as const),
    }),
  );
  fc.assert(
    fc.property(counts, ({ numBits, rows, labelFormat }) => {
      const wordsPerOutcome = Math.max(1, Math.ceil(numBits / 32));
      const masked = rows.map(([words]) =>
        words.slice(0, wordsPerOutcome).map((word, i) => {
          const bits = Math.min(32, numBits - 32 * i);
          return bits === 32 ? word : word % 2 ** bits;
        }),
      );
      const circuit = circuitFromGateObjects([{ gate: 'M', qubits: [0] }], {
        limits: { maxQubits: 1, maxGates: 1 },
      });
      const result = zeroResult({ circuit, request: { shots: 1, seed: 1 } });
      const outcomes = Uint32Array.from(masked.flat());
      const occurrences = Uint32Array.from(rows, ([, times]) => times);
      const run = { ...runOf(result), counts: { numBits, wordsPerOutcome, outcomes, occurrences } };
      const text = circuitResultJson(
        {
          numBits,
          measuredQubits: [],
          outputs: ['counts'],
          numRequested: 0,
          basisStates: [],
          results: [],
          warnings: [],
          ...ON_STATE,
          labelFormat,
          shotFormat: 'b8',
        },
        { ...result, outputs: outputsOf(run) },
      );
      const label = (words: readonly number[]) => {
        const bits = outcomeLabel(Uint32Array.from(words), 0, wordsPerOutcome, numBits);
        if (labelFormat === 'automatic' && numBits <= 64) return bits;
        const digits = numBits === 0 ? '' : BigInt(`0b${bits}`).toString(16);
        return `0x${digits.padStart(Math.ceil(numBits / 4), '0')}`;
      };
      const entries = rows.map(([, times], i) => `"${label(masked[i]!)}":${times}`);
      expect(text.startsWith(`{"counts":{${entries.join(',')}},`)).toBe(true);
    }),
    { seed: 6 },
  );
});

describe('a stored request', () => {
  const facts = { shots: 100, seed: 2 ** 53 - 1, qubits: 2, tier: 'enterprise' } as const;

  test('gives back facts and body', () => {
    const body = { ...BELL, circuit: [{ gate: ',"body":' }] };
    const text = encodeStored(facts, JSON.stringify(body));
    expect(circuitFactsOf(text)).toEqual(facts);
    expect(storedBody(text)).toEqual(body);
  });

  test('gives its facts without reading the body', () => {
    const text = encodeStored(facts, JSON.stringify(BELL));
    expect(circuitFactsOf(`${text.slice(0, text.indexOf('"body":') + 7)} not JSON`)).toEqual(facts);
  });

  test('of an earlier version, which knew no tiers, is that of a Standard key', () => {
    const text = `{"facts":{"shots":1,"seed":2,"qubits":3},"body":${JSON.stringify(BELL)}}`;
    const expected = { shots: 1, seed: 2, qubits: 3, tier: 'standard' };
    expect(circuitFactsOf(text)).toEqual(expected);
    expect(storedBody(text)).toEqual(BELL);
  });
});

describe('Prefer', () => {
  test.each([
    [undefined, undefined, undefined],
    ['respond-async', 0, 'respond-async'],
    ['Respond-Async', 0, 'respond-async'],
    ['wait=10', 10_000, 'wait=10'],
    ['wait="10"', 10_000, 'wait=10'],
    ['respond-async, wait=10', 10_000, 'respond-async, wait=10'],
    ['wait=5, wait=7', 5000, 'wait=5'],
    ['return=minimal; x=y , wait=3;z', 3000, 'wait=3'],
    ['foo="a, wait=0, b", wait=4', 4000, 'wait=4'],
    ['wait=-1', undefined, undefined],
    ['wait=1.5', undefined, undefined],
    ['wait=99999999999', 2_147_483_000, 'wait=99999999999'],
  ])('%s waits %s ms and applies %s', (header, waitMs, applied) => {
    expect(parsePrefer(header)).toEqual({ waitMs, applied });
  });
});

describe('the hash of a request', () => {
  test('does not depend on the order of fields, but on that of lists, values and the path', () => {
    const hash = requestHash('/a', { x: [1, 2], y: { p: 1, q: 2 } });
    expect(requestHash('/a', { y: { q: 2, p: 1 }, x: [1, 2] })).toBe(hash);
    expect(requestHash('/a', { x: [2, 1], y: { p: 1, q: 2 } })).not.toBe(hash);
    expect(requestHash('/a', { x: [1, 2], y: { p: 1, q: 3 } })).not.toBe(hash);
    expect(requestHash('/b', { x: [1, 2], y: { p: 1, q: 2 } })).not.toBe(hash);
  });
});

test.each([
  [['circuit', 3, 'qubit'], 'circuit[3].qubit'],
  [['query', 'limit'], 'query.limit'],
  [[], ''],
  [['a b'], '["a b"]'],
  [['x', '1'], 'x["1"]'],
  [['headers', 'idempotency-key'], 'headers.idempotency-key'],
])('the path %j is written %s', (parts, path) => {
  expect(formatPath(parts)).toBe(path);
});
