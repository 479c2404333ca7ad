/** Splitting programs over devices, and planning transfers; no device is needed. */
import { describe, expect, test } from 'vitest';
import type { Program, Step } from '../../../../../src/compiler/program.ts';
import { TimeSlicer } from '../../../../../src/engine/time-slicer.ts';
import { passesOf, spreadProgram } from '../../../../../src/engine/webgpu/spread/spread-program.ts';
import {
  drawInBlock,
  drawnBlocks,
  rankOf,
  spreadLayout,
  withoutRankBits,
} from '../../../../../src/engine/webgpu/spread/spread-sampling.ts';
import { windowsWhere } from '../../../../../src/engine/webgpu/spread/transfers.ts';
import { NEVER } from '../../../../support/engine-runs.ts';

/** Ten qubits on a device, in four chunks; qubits 10 and 11 tell four devices apart. */
const SHAPE = { numQubits: 10, chunkQubits: 8 };

function programOf(steps: readonly Step[], matrices = new Float64Array()): Program {
  const finalLayout = Array.from({ length: 12 }, (_, q) => q);
  return { hash: 'a test', numQubits: 12, numBits: 1, steps, matrices, finalLayout };
}

describe('on a device', () => {
  test('controls on its rank leave a kernel or nothing, and diagonals what is left of them', () => {
    const flip = { kind: 'permutation', targets: [0], rows: [1, 0], offset: 0 } as const;
    const step: Step = {
      kind: 'sweep',
      resident: [0, 1, 2, 3],
      kernels: [
        { ...flip, controls: [10, 3] },
        { kind: 'diagonal', targets: [11, 2], controls: [], offset: 2 },
      ],
    };
    const matrices = Float64Array.of(1, 0, 1, 0, ...[1, 2, 3, 4].flatMap((x) => [x, 10 * x]));
    const { parts } = spreadProgram(programOf([step], matrices), SHAPE, 4);
    const kernelsOf = ({ steps, matrices: pool }: Program) =>
      steps
        .flatMap((own) => (own.kind === 'sweep' ? own.kernels : []))
        .map((kernel) => {
          if (kernel.kind === 'probe') throw new Error('A program has no probes.');
          const { kind, targets, controls, offset } = kernel;
          return [kind, targets, controls, pool[2 * offset], pool[2 * offset + 2]];
        });
    const moved = ['permutation', [0], [3], 1, 1];
    expect(parts.map(kernelsOf)).toEqual([
      [['diagonal', [2], [], 1, 3]],
      [moved, ['diagonal', [2], [], 1, 3]],
      [['diagonal', [2], [], 2, 4]],
      [moved, ['diagonal', [2], [], 2, 4]],
    ]);
  });

  test('a tile that reaches beyond it is a bug', () => {
    const step: Step = { kind: 'sweep', resident: [0, 10], kernels: [] };
    expect(() => spreadProgram(programOf([step]), SHAPE, 4)).toThrow(/unreachable/);
  });
});

describe('an exchange', () => {
  const actionsOf = (pairs: readonly (readonly [number, number])[], maxRuns = 4) => {
    const spread = spreadProgram(programOf([{ kind: 'exchange', pairs }]), SHAPE, 4, maxRuns);
    const actions = spread.actions[0]!.map((action) => {
      if (action.kind === 'move') return action.pairs;
      const step = spread.parts[0]!.steps[action.step];
      return step?.kind === 'exchange' ? { inside: step.pairs } : step;
    });
    return { actions, passes: passesOf(spread.actions[0]!, spread, SHAPE, 2) };
  };

  test('inside devices is a step of theirs', () => {
    expect(actionsOf([[9, 1]])).toEqual({ actions: [{ inside: [[9, 1]] }], passes: 1 });
  });

  test('between devices of a qubit that tells chunks apart only moves', () => {
    expect(actionsOf([[11, 8]])).toEqual({ actions: [[[11, 8]]], passes: 1 });
    expect(actionsOf([[10, 7]])).toEqual({ actions: [[[10, 7]]], passes: 1 });
  });

  test('of a low place goes by way of a high one', () => {
    expect(actionsOf([[11, 2]])).toEqual({
      actions: [{ inside: [[9, 2]] }, [[11, 9]], { inside: [[9, 2]] }],
      passes: 3,
    });
  });

  test('of a low place only moves where that takes few copies', () => {
    expect(actionsOf([[11, 2]], 2 ** 7).actions).toEqual([[[11, 2]]]);
    expect(actionsOf([[11, 1]], 2 ** 7).actions).toHaveLength(3);
  });

  test('of several does all at once, each place in one pair', () => {
    const pairs = [
      [10, 9],
      [11, 0],
    ] as const;
    expect(actionsOf(pairs).actions).toEqual([
      { inside: [[8, 0]] },
      [
        [10, 9],
        [11, 8],
      ],
      { inside: [[8, 0]] },
    ]);
  });

  test('inside and between does both', () => {
    const pairs = [
      [9, 3],
      [10, 8],
    ] as const;
    expect(actionsOf(pairs).actions).toEqual([{ inside: [[9, 3]] }, [[10, 8]]]);
  });
});

describe('windows of a part of a state', () => {
  const CASES: readonly (readonly [readonly number[], number])[] = [
    [[], 64],
    [[9], 256],
    [[7], 1024],
    [[3], 4],
    [[0], 32],
    [[9, 6], 16],
    [[8, 9], 512],
    [[2, 5, 8], 64],
  ];

  test.each(CASES)('that fixes %j hold it once, %i at a time', (qubits, windowSize) => {
    for (let value = 0; value < 2 ** qubits.length; value++) {
      const fixed = qubits.map((qubit, i) => ({ qubit, isOne: ((value >> i) & 1) === 1 }));
      const windows = [...windowsWhere(SHAPE, fixed, windowSize)];
      const indices = windows.flatMap((runs) =>
        runs.flatMap(({ chunk, first, length }) =>
          Array.from({ length }, (_, i) => 256 * chunk + first + i),
        ),
      );
      const expected = Array.from({ length: 1024 }, (_, i) => i).filter((i) =>
        fixed.every(({ qubit, isOne }) => ((i >> qubit) & 1) === Number(isOne)),
      );
      expect(indices).toEqual(expected);
      const sizes = windows.map((runs) => runs.reduce((sum, { length }) => sum + length, 0));
      const size = Math.min(windowSize, expected.length);
      expect(sizes).toEqual(sizes.map(() => size));
    }
  });
});

test('a logical index is a rank and an index on that device', () => {
  // Logical qubits 1 and 4 tell devices apart, the second of them by the lower bit of the rank.
  const layout = [0, 7, 1, 2, 6, 3, 4, 5];
  const { ranks, inside, localLayout } = spreadLayout(layout, 6);
  expect(inside).toEqual([0, 2, 3, 5, 6, 7]);
  expect(localLayout).toEqual([0, 1, 2, 3, 4, 5]);
  for (let index = 0; index < 2 ** 8; index++) {
    const bits = (qubits: readonly number[]) =>
      qubits.reduce((sum, qubit, i) => sum + ((index >> qubit) & 1) * 2 ** i, 0);
    expect(rankOf(index, ranks, 0)).toBe(bits([4, 1]));
    expect(withoutRankBits(index, ranks, 0)).toBe(bits(inside));
  }
  // The same for numbers that begin above some qubits.
  const upper = ranks.filter(({ qubit }) => qubit >= 3);
  expect(rankOf(0b10010, upper, 3)).toBe(1);
  expect(withoutRankBits(0b10110, upper, 3)).toBe(0b1010);
});

describe('draws', () => {
  test('next to the norm stay at the last that is possible', async () => {
    const masses = [0.25, 0, 0.5, 0];
    const draws = Float64Array.of(0, 0.9, 1);
    const massOf = (block: number) => masses[block]!;
    const slicer = new TimeSlicer(NEVER, () => undefined);
    expect(await drawnBlocks(draws, 0.75, 4, massOf, slicer)).toEqual({
      numbers: [0, 2],
      starts: [0, 0.25],
      firstDraws: [0, 1, 3],
    });
    expect(await drawnBlocks(draws.slice(2), 0.75, 4, massOf, slicer)).toEqual({
      numbers: [2],
      starts: [0.25],
      firstDraws: [0, 1],
    });
  });

  test('inside a block pick the first up to which the masses exceed them', () => {
    const masses = [0, 0.25, 0, 0.25, 0.5, 0];
    const picks: [number, number][] = [];
    const rests = Float64Array.of(0, 0.2, 0.25, 0.5, 0.999, 1);
    drawInBlock(
      rests,
      6,
      (place) => masses[place]!,
      (place, count) => picks.push([place, count]),
    );
    expect(picks).toEqual([
      [1, 2],
      [3, 1],
      [4, 3],
    ]);
  });
});
