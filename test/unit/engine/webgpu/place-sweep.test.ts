/** Sweeps as dispatches over chunks, on paper: states of up to 34 qubits that no test machine holds. */
import { describe, expect, test } from 'vitest';
import type { Qubit } from '../../../../src/circuit/circuit.ts';
import type { Sweep } from '../../../../src/compiler/program.ts';
import {
  chunkOrder,
  exchangeParts,
  onIndexBits,
} from '../../../../src/engine/webgpu/sweep/index-bits.ts';
import { placeSweep } from '../../../../src/engine/webgpu/sweep/place-sweep.ts';

const SHAPE = { numQubits: 34, chunkQubits: 27 };
const PLACING = {
  shape: SHAPE,
  tileQubits: 12,
  tilesPerGroup: 1,
  indexBits: 31,
  maxTiles: 2 ** 20,
};
const LOWEST = [0, 1, 2, 3];
const NONE: ReadonlySet<Qubit> = new Set();

/** CZ between two qubits, as a diagonal, in a sweep over these. */
function phaseSweep(resident: readonly Qubit[], a: Qubit, b: Qubit): Sweep {
  return {
    kind: 'sweep',
    resident: [...LOWEST, ...resident],
    kernels: [{ kind: 'diagonal', targets: [a, b], controls: [], offset: 0 }],
  };
}
const CZ = Float64Array.of(1, 0, 1, 0, 1, 0, -1, 0);

describe('a sweep of 34 qubits in chunks of 27', () => {
  test.each([[[]], [[28]], [[27, 33]], [[29, 31, 32]]])(
    'with the chunk qubits %j in its tile works on every amplitude once',
    (inTile) => {
      const sweep = phaseSweep(
        [...inTile].sort((a, b) => a - b),
        4,
        5,
      );
      const { dispatches, tileChunkQubits } = placeSweep(sweep, { matrices: CZ }, PLACING, NONE, 0);
      expect(tileChunkQubits).toBe(inTile.length);
      const amplitudes = new Map<number, number>();
      for (const { chunks, params } of dispatches) {
        expect(chunks.length).toBe(2 ** inTile.length);
        const [, firstTile = 0, endTile = 0] = params;
        for (const chunk of chunks) {
          const each = ((endTile - firstTile) * 2 ** PLACING.tileQubits) / chunks.length;
          amplitudes.set(chunk, (amplitudes.get(chunk) ?? 0) + each);
        }
      }
      expect([...amplitudes.keys()].sort((a, b) => a - b)).toEqual([...Array(128).keys()]);
      expect(new Set(amplitudes.values())).toEqual(new Set([2 ** 27]));
    },
  );

  test('is lowered once for each value of the qubits that no index holds', () => {
    const { words } = placeSweep(phaseSweep([], 4, 33), { matrices: CZ }, PLACING, NONE, 0);
    expect(words.length).toBe(2 ** 3);
    // Where qubit 33 is 0 the CZ does nothing.
    expect(new Set(words.map((part) => part.join())).size).toBe(2);
  });

  test('names the chunks of its tile by the highest bits of an index, ascending', () => {
    const { dispatches } = placeSweep(
      phaseSweep([28, 33], 28, 33),
      { matrices: CZ },
      PLACING,
      NONE,
      0,
    );
    const [first] = dispatches;
    expect(first?.chunks).toEqual([0, 2, 64, 66]);
  });

  test('reads and writes one tile while nothing else has been written', () => {
    const unwritten = new Set(Array(34).keys());
    const { dispatches, tile } = placeSweep(
      phaseSweep([28], 4, 5),
      { matrices: CZ },
      PLACING,
      unwritten,
      0,
    );
    expect(dispatches.map(({ chunks, params }) => [chunks, params[1], params[2]])).toEqual([
      [[0, 2], 0, 1],
    ]);
    expect(tile).toHaveLength(12);
  });

  test('is parted into dispatches of bounded size', () => {
    const sweep = phaseSweep([], 4, 5);
    const { dispatches } = placeSweep(
      sweep,
      { matrices: CZ },
      { ...PLACING, maxTiles: 2 ** 10 },
      NONE,
      0,
    );
    expect(dispatches).toHaveLength(128 * 2 ** (27 - 12 - 10));
  });
});

describe('an exchange', () => {
  const pairs: readonly (readonly [number, number])[] = [
    [33, 5],
    [32, 28],
    [31, 6],
    [30, 7],
  ];

  test('between chunk qubits moves chunks, and any other pair is stored elsewhere', () => {
    const { swaps, sweeps } = exchangeParts({ kind: 'exchange', pairs }, SHAPE, 2);
    expect(swaps).toEqual([[32, 28]]);
    expect(sweeps).toEqual([
      { kind: 'sweep', resident: [5, 6, 31, 33], kernels: [], store: [33, 31, 6, 5] },
      { kind: 'sweep', resident: [7, 30], kernels: [], store: [30, 7] },
    ]);
  });

  test('of chunk qubits swaps the bits of every chunk’s number', () => {
    const order = chunkOrder([[32, 28]], SHAPE);
    expect(order[0b0100000]).toBe(0b0000010);
    expect(order[0b0000010]).toBe(0b0100000);
    expect(order[0b0100010]).toBe(0b0100010);
    expect(new Set(order).size).toBe(128);
  });
});

describe('kernels where qubits 6 and 7 are constants', () => {
  const bitOf = [0, 1, 2, 3, 4, 5, undefined, undefined];
  const diagonal = Float64Array.from({ length: 16 }, (_, i) => i);

  test('keep the entries of a diagonal that agree with them', () => {
    const kernel = { kind: 'diagonal', targets: [6, 2, 7], controls: [1], offset: 0 } as const;
    const restricted = onIndexBits([kernel], { matrices: diagonal }, bitOf, (qubit) => qubit === 7);
    const [kept] = restricted.kernels;
    expect(kept).toMatchObject({ kind: 'diagonal', targets: [2], controls: [1] });
    const at = kept?.kind === 'diagonal' ? 2 * kept.offset : 0;
    // Entries 0b100 and 0b110 of the eight.
    expect([...restricted.pool.matrices.slice(at, at + 4)]).toEqual([8, 9, 12, 13]);
  });

  test('lose a control that is 1, and go where one is 0', () => {
    const kernel = { kind: 'dense', targets: [0], controls: [6, 3], offset: 0 } as const;
    expect(onIndexBits([kernel], { matrices: diagonal }, bitOf, () => true).kernels).toEqual([
      { ...kernel, controls: [3] },
    ]);
    expect(onIndexBits([kernel], { matrices: diagonal }, bitOf, () => false).kernels).toEqual([]);
  });
});
