import { describe, expect, test } from 'vitest';
import type { Measure, Program } from '../../../src/compiler/program.ts';
import { CountsBuilder } from '../../../src/engine/counts-builder.ts';
import { planRun } from '../../../src/engine/run-plan.ts';
import {
  measuredWords,
  physicalBitsOf,
  recordSamples,
} from '../../../src/engine/terminal-measurement.ts';
import { TimeSlicer } from '../../../src/engine/time-slicer.ts';
import { NEVER } from '../../support/engine-runs.ts';

/** Physical qubit → bit, as pairs in the order written. */
type Writes = readonly (readonly [qubit: number, bit: number])[];

function programOf(finalLayout: readonly number[], numBits: number, writes: Writes): Program {
  const measures = writes.map(
    ([qubit, bit]): Measure => ({ kind: 'measure', qubits: [qubit], bits: [bit] }),
  );
  return {
    hash: 'measured',
    numQubits: finalLayout.length,
    numBits,
    steps: measures,
    matrices: new Float64Array(0),
    finalLayout,
  };
}

/** Outcomes as texts, highest word first, with their occurrences. */
async function outcomesOf(
  program: Program,
  basisIndices: readonly number[],
  before: readonly number[],
): Promise<readonly (readonly [string, number])[]> {
  const counts = new CountsBuilder(program.numBits);
  const samples = {
    basisIndices:
      program.numQubits > 32 ? Float64Array.from(basisIndices) : Uint32Array.from(basisIndices),
    occurrences: Uint32Array.from(basisIndices, (_, i) => i + 1),
  };
  recordSamples(
    counts,
    samples,
    planRun(program, () => 1),
    Uint32Array.from(before),
  );
  const { outcomes, occurrences } = await counts.finish(new TimeSlicer(NEVER, () => {}));
  const stride = before.length;
  return [...occurrences].map((occurrence, i) => [
    [...outcomes.slice(i * stride, (i + 1) * stride)]
      .reverse()
      .map((word) => word.toString(2))
      .join(' '),
    occurrence,
  ]);
}

describe('trailing measurements', () => {
  const inOrder: Writes = [
    [0, 0],
    [1, 1],
    [2, 2],
  ];

  test('of all qubits in order give the basis index', async () => {
    const program = programOf([0, 1, 2], 3, inOrder);
    expect(measuredWords(program, 0)[0]?.isBasisIndex).toBe(true);
    expect(await outcomesOf(program, [1, 6], [0])).toEqual([
      ['1', 1],
      ['110', 2],
    ]);
  });

  test('know logical qubits from physical ones', async () => {
    // Logical qubit 0 lies at place 2 and is read into bit 2.
    const program = programOf([2, 0, 1], 3, inOrder);
    expect(measuredWords(program, 0)[0]?.isBasisIndex).toBe(false);
    expect(await outcomesOf(program, [0b001, 0b110], [0])).toEqual([
      ['11', 2],
      ['100', 1],
    ]);
    const relabelled = programOf([2, 0, 1], 3, [
      [2, 0],
      [0, 1],
      [1, 2],
    ]);
    expect(measuredWords(relabelled, 0)[0]?.isBasisIndex).toBe(true);
  });

  test('of some qubits take basis states together', async () => {
    const program = programOf([0, 1, 2], 1, [[2, 0]]);
    expect(await outcomesOf(program, [0, 3, 4, 6], [0])).toEqual([
      ['0', 3],
      ['1', 7],
    ]);
  });

  test('keep the bits they do not write, and write over the others', async () => {
    const program = programOf([0, 1, 2], 5, inOrder);
    expect(await outcomesOf(program, [5], [0b11010])).toEqual([['11101', 1]]);
  });

  test('keep such bits in the same word as a highest bit that is set', async () => {
    const program = programOf([0, 1], 32, [
      [0, 31],
      [1, 0],
    ]);
    expect(await outcomesOf(program, [1], [0b10])).toEqual([[`1${'0'.repeat(29)}10`, 1]]);
  });

  test('of two writes to a bit count the last', async () => {
    const program = programOf([0, 1], 1, [
      [0, 0],
      [1, 0],
    ]);
    expect(await outcomesOf(program, [0b01, 0b10], [0])).toEqual([
      ['0', 1],
      ['1', 2],
    ]);
  });

  test('write several words', async () => {
    const program = programOf([0, 1], 70, [
      [0, 0],
      [1, 33],
      [0, 64],
    ]);
    expect(await outcomesOf(program, [1, 2], [0b110, 1, 0])).toEqual([
      ['0 11 110', 2],
      ['1 1 111', 1],
    ]);
  });

  test('of 32 qubits in order give the basis index', async () => {
    const places = Array.from({ length: 32 }, (_, q) => q);
    const program = programOf(
      places,
      32,
      places.map((q) => [q, q]),
    );
    expect(measuredWords(program, 0)[0]?.isBasisIndex).toBe(true);
    const all = 2 ** 32 - 1;
    expect(await outcomesOf(program, [5, 2 ** 31, all], [0])).toEqual([
      ['101', 1],
      [(2 ** 31).toString(2), 2],
      [all.toString(2), 3],
    ]);
  });

  test.each([33, 34])('of %i qubits reach the second word', async (numQubits) => {
    const places = Array.from({ length: numQubits }, (_, q) => q);
    const program = programOf(
      places,
      numQubits,
      places.map((q) => [q, q]),
    );
    const highest = 2 ** numQubits - 1;
    const indices = [1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 2 ** 31 + 6, highest];
    const wordsOf = (index: number) =>
      `${Math.floor(index / 2 ** 32).toString(2)} ${(index % 2 ** 32).toString(2)}`;
    expect(await outcomesOf(program, indices, [0, 0])).toEqual(
      indices.map((index, i) => [wordsOf(index), i + 1]),
    );
  });

  test('of a few of 34 qubits take their basis states together in one word', async () => {
    const reversed = Array.from({ length: 34 }, (_, q) => 33 - q);
    // Logical qubits 33, 31 and 2.
    const program = programOf(reversed, 32, [
      [0, 31],
      [2, 0],
      [31, 1],
    ]);
    const indices = [2 ** 2, 2 ** 31, 2 ** 31 + 2 ** 32, 2 ** 33, 2 ** 33 + 2 ** 31 + 3];
    expect(await outcomesOf(program, indices, [0b1000])).toEqual([
      ['1001', 2 + 3],
      ['1010', 1],
      [`1${'0'.repeat(27)}1000`, 4],
      [`1${'0'.repeat(27)}1001`, 5],
    ]);
  });

  test('read the same bits off physical basis indices', () => {
    const layout = [2, 0, 1];
    const [word] = measuredWords(programOf(layout, 3, [[2, 1]]), 0);
    const bits = physicalBitsOf(word, layout);
    expect([0, 1, 2, 4, 7].map((index) => bits.at(index))).toEqual([0, 0, 0, 2, 2]);
    expect(physicalBitsOf(undefined, layout).at(7)).toBe(0);
  });
});
