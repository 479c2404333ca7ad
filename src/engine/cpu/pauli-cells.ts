/** Cells of eight amplitudes and blocks of cells, by which the kernels for Pauli strings read a state. */
import { type StoredState, stateBytes } from './command.ts';
import type { PauliGeometry } from './pauli-plan.ts';
import { GROUP_SHIFT } from './precision.ts';

/** Qubits of a cell. */
const CELL_QUBITS = 3;
/** Bytes of a cell of a table: eight doubles. */
const CELL_BYTES = 64;

/**
 * How a state is divided into cells and blocks.
 *
 * @param blockShift - log2 of the bytes of a block.
 */
export function pauliGeometry(
  { numQubits, precision: { laneQubits } }: StoredState,
  blockShift: number,
  halves: boolean,
): PauliGeometry {
  const blockQubits = Math.min(numQubits, blockShift - GROUP_SHIFT + laneQubits);
  return { cellQubits: CELL_QUBITS, cellBytes: CELL_BYTES, blockQubits, laneQubits, halves };
}

/** Bytes of a block. */
export function blockBytes(state: StoredState, { blockQubits }: PauliGeometry): number {
  return stateBytes({ ...state, numQubits: blockQubits });
}

/** The state as whole cells: one of fewer qubits is extended by qubits that are |0⟩. */
export function cellsOf(state: StoredState): StoredState {
  return state.numQubits >= CELL_QUBITS ? state : { ...state, numQubits: CELL_QUBITS };
}

/** Copies a state of less than a cell to where there is room for one. */
export function copyCell(
  memory: SharedArrayBuffer,
  state: StoredState,
  cell: StoredState,
  to: number,
): number {
  const bytes = new Uint8Array(memory, to, stateBytes(cell)).fill(0);
  bytes.set(new Uint8Array(memory, state.at, stateBytes(state)));
  return to;
}
