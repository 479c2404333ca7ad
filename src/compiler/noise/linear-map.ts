/** Linear maps as operations of a circuit. Only circuits that are scheduled as they are have them: passes expect unitaries. */
import type { Operation, UnitaryOperation } from '../../circuit/circuit.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import { ACTS_DIAGONALLY, ACTS_GENERALLY, type BlockForm } from '../block.ts';

/** A map as of a `MapKernel`: `matrix` on the values `rows` of the targets, `rest` times the others. */
export interface LinearMap extends UnitaryOperation {
  readonly rows: readonly number[];
  readonly rest: number;
}

/** Whether an operation is a linear map. */
export function isLinearMap(operation: Operation): operation is LinearMap {
  return 'rest' in operation;
}

/** The form of a map as a block. */
export function mapForm({ matrix, rows, rest, targets }: LinearMap): BlockForm {
  const actions = targets.map((_, t) =>
    isKept(rows, matrix, 1 << t) ? ACTS_DIAGONALLY : ACTS_GENERALLY,
  );
  return { kind: 'map', entries: matrix, actions, rows, rest };
}

/** Whether no entry connects values that differ in a bit. */
function isKept(rows: readonly number[], matrix: ComplexMatrix, bit: number): boolean {
  const size = rows.length;
  return rows.every((row, i) =>
    rows.every((column, j) => {
      if (((row ^ column) & bit) === 0) return true;
      const at = 2 * (i * size + j);
      return matrix[at] === 0 && matrix[at + 1] === 0;
    }),
  );
}
