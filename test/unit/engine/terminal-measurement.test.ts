import { describe, expect, test } from 'vitest';
import type { Measure, Program } from '../../../src/compiler/program.ts';
import { CountsBuilder } from '../../../src/engine/counts-builder.ts';
import { Pacer } from '../../../src/engine/pacer.ts';
import {
  measuredWords,
  physicalBitsOf,
  recordSamples,
} from '../../../src/engine/terminal-measurement.ts';
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
    basisIndices: Uint32Array.from(basisIndices),
    occurrences: Uint32Array.from(basisIndices, (_, i) => i + 1),
  };
  recordSamples(counts, samples, measuredWords(program, 0), Uint32Array.from(before));
  const { outcomes, occurrences } = await counts.finish(new Pacer(NEVER, () => {}));
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

  test('read the same bits off physical basis indices', () => {
    const layout = [2, 0, 1];
    const [word] = measuredWords(programOf(layout, 3, [[2, 1]]), 0);
    const bits = physicalBitsOf(word, layout);
    expect([0, 1, 2, 4, 7].map((index) => bits.at(index))).toEqual([0, 0, 0, 2, 2]);
    expect(physicalBitsOf(undefined, layout).at(7)).toBe(0);
  });
});
