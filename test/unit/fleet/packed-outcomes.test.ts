import { describe, expect, test } from 'vitest';
import type { CompilationReport } from '../../../src/compiler/compile.ts';
import { OutcomePacker, OutcomeUnpacker } from '../../../src/fleet/workers/sent-run.ts';
import type { RunOutcome } from '../../../src/fleet/workers/worker-messages.ts';

function report(kernels: number): CompilationReport {
  return {
    gatesBefore: 2,
    gatesAfter: 1,
    depthBefore: 2,
    depthAfter: 1,
    twoQubitGates: { before: 1, after: 0 },
    widerGates: { before: 0, after: 0 },
    passes: [{ name: 'p', operationsBefore: 2, operationsAfter: 1 }],
    kernels,
    fusedBlocks: 0,
    sweeps: 1,
    bytesMoved: 64,
  };
}

/** Of a register of that many words, with that many outcomes, each number in it another one. */
function outcome(compilation: CompilationReport, numOutcomes = 2, wordsPerOutcome = 1) {
  const numWords = numOutcomes * wordsPerOutcome;
  return {
    outputs: {
      countsByRow: [
        {
          numBits: 32 * wordsPerOutcome - 1,
          wordsPerOutcome,
          outcomes: Uint32Array.from({ length: numWords }, (_, i) => 2 ** 31 + i),
          occurrences: Uint32Array.from({ length: numOutcomes }, (_, i) => 1 + i),
        },
      ],
      statePasses: [3],
    },
    executionMs: 0.75,
    samplingMs: 0.5,
    compilation,
    reused: 'shape' as const,
    compileMs: 0.125,
    ownMs: 1.5,
  } satisfies RunOutcome;
}

/** As they come out on the other side of a thread. */
function cross(packer: OutcomePacker, unpacker: OutcomeUnpacker, now = 0) {
  return unpacker.unpack(structuredClone(packer.take(now)));
}

describe('packed outcomes', () => {
  test('come out as they went in, in their order', () => {
    const [packer, unpacker] = [new OutcomePacker(), new OutcomeUnpacker()];
    const outcomes = [
      outcome(report(1), 3, 2),
      outcome(report(2), 0, 1),
      outcome(report(3), 1, 0),
      outcome(report(4), 5),
      outcome(report(5)),
    ];
    for (const [i, one] of outcomes.entries()) expect(packer.add(7 + i, one, 100 + i)).toBe(true);
    expect(cross(packer, unpacker, 110)).toEqual(
      outcomes.map((one, i) => ({ id: 7 + i, begunAgoMs: 10 - i, outcome: one })),
    );
    expect(packer.isEmpty).toBe(true);
    expect(cross(packer, unpacker)).toEqual([]);
  });

  test('bring a report once, also over several messages', () => {
    const [packer, unpacker] = [new OutcomePacker(), new OutcomeUnpacker()];
    const [a, b] = [report(1), report(2)];
    for (const one of [a, b, a]) packer.add(0, outcome(one), 0);
    const first = packer.take(0);
    expect(first.reports).toEqual([a, b]);
    unpacker.unpack(structuredClone(first));
    packer.add(0, outcome(b), 0);
    const second = packer.take(0);
    expect(second.reports).toEqual([]);
    const [{ outcome: found } = { outcome: undefined }] = unpacker.unpack(second);
    expect(found?.compilation).toEqual(b);
  });

  test('have the right report however many there are, and whenever it comes again', () => {
    const [packer, unpacker] = [new OutcomePacker(), new OutcomeUnpacker()];
    const reports = Array.from({ length: 200 }, (_, i) => report(i));
    // Each again 63, 64 and 65 reports later: at both ends of what the other side remembers.
    const order = reports.flatMap((_, i) => [i, i - 63, i - 64, i - 65].filter((j) => j >= 0));
    const found: number[] = [];
    for (const [k, i] of order.entries()) {
      packer.add(k, outcome(reports[i]!), 0);
      if (k % 7 !== 0 && k < order.length - 1) continue;
      for (const { outcome: one } of cross(packer, unpacker)) found.push(one.compilation.kernels);
    }
    expect(found).toEqual(order);
  });

  test('have arrays of their own, which can be given away', () => {
    const [packer, unpacker] = [new OutcomePacker(), new OutcomeUnpacker()];
    packer.add(0, outcome(report(1)), 0);
    packer.add(1, outcome(report(1)), 0);
    const arrays = cross(packer, unpacker).flatMap(({ outcome: { outputs } }) => [
      outputs.countsByRow[0].outcomes,
      outputs.countsByRow[0].occurrences,
    ]);
    expect(new Set(arrays.map(({ buffer }) => buffer)).size).toBe(4);
    for (const { buffer, byteLength } of arrays) expect(buffer.byteLength).toBe(byteLength);
  });

  test.each([
    ['a state', { statevectors: new Float64Array(8) }],
    ['probabilities', { probabilities: new Float64Array(4) }],
    ['expectations', { expectations: Float64Array.of(1) }],
  ])('are none with %s', (_, more) => {
    const packer = new OutcomePacker();
    const one = outcome(report(1));
    expect(packer.add(0, { ...one, outputs: { ...one.outputs, ...more } }, 0)).toBe(false);
    expect(packer.isEmpty).toBe(true);
  });

  test('are none with counts that an array of their own carries for less', () => {
    const packer = new OutcomePacker();
    expect(packer.add(0, outcome(report(1), 2049), 0)).toBe(false);
    expect(packer.add(0, outcome(report(1), 2048), 0)).toBe(true);
  });
});
