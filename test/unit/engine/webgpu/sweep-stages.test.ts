/** The number of stages of a sweep: each costs a trip through workgroup memory. */
import { expect, test } from 'vitest';
import type { Kernel } from '../../../../src/compiler/program.ts';
import { placeSweep } from '../../../../src/engine/webgpu/sweep/place-sweep.ts';

/** Qubits that fit the registers together. */
const HELD = [6, 7, 8, 9] as const;
/** [[3, -4], [4, 3]] / 5 on two qubits: no entry is 0. */
const MATRICES = Float64Array.from(
  [9, -12, -12, 16, 12, 9, -16, -12, 12, -16, 9, -12, 16, 12, 12, 9].flatMap((x) => [x / 25, 0]),
);

function stagesOf(kernels: readonly Kernel[], tileQubits: number): number {
  const resident = Array.from({ length: tileQubits }, (_, qubit) => qubit);
  const shape = { numQubits: 14, chunkQubits: 14 };
  const sizes = { tileQubits, tilesPerGroup: 1, maxTiles: 16, indexBits: 31 };
  const sweep = { kind: 'sweep' as const, resident, kernels };
  return placeSweep(sweep, { matrices: MATRICES }, { shape, ...sizes }, new Set(), 0).words[0]![0]!;
}

const chain = HELD.flatMap((_, i) =>
  HELD.map((_, k): Kernel => {
    const targets = [HELD[(i + k) % 4]!, HELD[(i + k + 1) % 4]!];
    return { kind: 'dense', targets, controls: [], offset: 0 };
  }),
);

test.each([10, 11, 12])(
  'is one where four qubits are in all blocks, on tiles of %i qubits',
  (tile) => {
    expect(stagesOf(chain, tile)).toBe(1);
  },
);

test('is no more than one a block where no two fit together', () => {
  const apart = [4, 5, 6, 7, 8, 9].map(
    (qubit): Kernel => ({
      kind: 'dense',
      targets: [qubit, ((qubit + 1) % 6) + 4],
      controls: [],
      offset: 0,
    }),
  );
  expect(stagesOf(apart, 10)).toBeLessThanOrEqual(apart.length);
});
