/** Input fields that both tasks of the robotics agent share. */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';
import { seedField, shotsField } from '../../procedures/input-fields.ts';

/** Most QAOA layers. */
export const MAX_LAYERS = 4;
/** Most samples of the final circuit. */
export const MAX_SHOTS = 100_000;
/** Largest cost or distance. */
export const MAX_COST = 1e9;

/** Input fields of the circuit and its samples. */
export const qaoaFields = {
  layers: z
    .int()
    .min(1)
    .max(MAX_LAYERS)
    .default(2)
    .describe('Number of QAOA layers, each a phase and a mixing step; default 2'),
  shots: shotsField(MAX_SHOTS, 1_024).describe(
    'Number of samples of the final circuit; default 1024',
  ),
  seed: seedField,
};

/** Faults of a matrix that is not square, one for each row of wrong length. */
export function matrixFaults(
  matrix: readonly (readonly number[])[],
  path: string,
): readonly Fault[] {
  return matrix.flatMap((row, i) => {
    if (row.length === matrix.length) return [];
    const message = `The row has ${row.length} numbers, but there are ${matrix.length} rows; the matrix is square.`;
    return [{ path: `${path}[${i}]`, message }];
  });
}
