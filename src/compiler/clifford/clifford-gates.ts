/** Gates of circuits as gates of stabilizer programs, remembered by name and angles. */
import type { GateOperation, UnitaryOperation } from '../../circuit/circuit.ts';
import { matrixOfOperations, targetMatrix } from '../../circuit/operation-matrix.ts';
import {
  type ComplexMatrix,
  dimension,
  identity,
  maxAbsDifference,
} from '../../math/complex-matrix.ts';
import { gatesWith, imagesOf, type LocalGate } from './pauli-images.ts';

/** Operands, controls included, up to which the whole matrix of a gate is looked at. */
const MAX_OPERANDS = 6;
/** Under more controls than this a gate is Clifford only if it does nothing. */
const MAX_CONTROLS = 2;
const TOLERANCE = 1e-9;
/** Gates that are remembered; a circuit of random angles would fill the memory. */
const MAX_KNOWN = 10_000;

/** The gates that a gate is, on its operands, controls first; undefined if it is not Clifford. */
export type CliffordGates = readonly LocalGate[] | undefined;

/** Recognises the Clifford gates of one circuit. */
export class CliffordRecognition {
  readonly #byName = new Map<string, CliffordGates>();
  readonly #byMatrix = new Map<ComplexMatrix, Map<number, CliffordGates>>();

  /** The gates that a gate is, on its operands, controls first; undefined if it is not Clifford. */
  gatesOf(operation: GateOperation | UnitaryOperation): CliffordGates {
    const numControls = operation.controls.length;
    if (operation.kind === 'gate') {
      const key = `${operation.gate} ${numControls} ${operation.angles}`;
      const known = this.#byName.get(key);
      if (known !== undefined || this.#byName.has(key)) return known;
      const gates = gatesOf(operation);
      if (this.#byName.size < MAX_KNOWN) this.#byName.set(key, gates);
      return gates;
    }
    let known = this.#byMatrix.get(operation.matrix);
    if (known === undefined) {
      known = new Map();
      this.#byMatrix.set(operation.matrix, known);
    }
    if (!known.has(numControls)) known.set(numControls, gatesOf(operation));
    return known.get(numControls);
  }
}

function gatesOf(operation: GateOperation | UnitaryOperation): CliffordGates {
  const numControls = operation.controls.length;
  const matrix = targetMatrix(operation);
  const numOperands = numControls + Math.log2(dimension(matrix));
  if (numControls > MAX_CONTROLS || numOperands > MAX_OPERANDS) {
    const isNothing = maxAbsDifference(matrix, identity(dimension(matrix))) < TOLERANCE;
    return isNothing ? [] : undefined;
  }
  const operands = Array.from({ length: numOperands }, (_, i) => i);
  const local: UnitaryOperation = {
    kind: 'unitary',
    controls: operands.slice(0, numControls),
    targets: operands.slice(numControls),
    matrix,
  };
  const images = imagesOf(matrixOfOperations([local], numOperands));
  return images === undefined ? undefined : gatesWith(images);
}
