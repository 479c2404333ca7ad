/** Single and double precision as plain data. */
import type { Rounding } from '../rotation.ts';

/** Memory layout of a precision: groups of `lanes` amplitudes, 32 bytes each. */
export interface Precision extends Rounding {
  readonly name: 'f32' | 'f64';
  readonly realBytes: 4 | 8;
  /** Amplitudes of a group; real parts first, then imaginary parts. */
  readonly lanes: 4 | 2;
  /** log2 of `lanes`: the number of qubits inside a group. */
  readonly laneQubits: 2 | 1;
}

/** Bytes of a group, in either precision. */
export const GROUP_BYTES = 32;
/** log2 of GROUP_BYTES. */
export const GROUP_SHIFT = 5;

/** Targets of the widest dense block. */
export const MAX_DENSE_QUBITS = 6;

/** Both precisions, by name. */
export const PRECISIONS: Readonly<Record<'f32' | 'f64', Precision>> = {
  f32: {
    name: 'f32',
    realBytes: 4,
    lanes: 4,
    laneQubits: 2,
    negligible: 1e-10,
    round: Math.fround,
  },
  f64: { name: 'f64', realBytes: 8, lanes: 2, laneQubits: 1, negligible: 1e-19, round: (x) => x },
};
