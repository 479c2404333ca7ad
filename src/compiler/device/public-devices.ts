/**
 * Public devices that circuits can be routed to: their couplers, native gates and median errors.
 *
 * None of them is hardware of this service; estimates from these data are modelled.
 */
import type { Coupler } from '../routing/coupling-map.ts';
import type { Device } from './device.ts';

/**
 * Definition of a published error rate r of gates on k qubits:
 *
 * - `average_infidelity`: 1 minus the average gate fidelity, as randomized benchmarking gives it.
 * - `pauli_error`: the probability of a Pauli error other than the identity.
 * - `depolarizing_parameter`: the weight of the fully mixed state, as Qiskit Aer's depolarizing error takes it.
 */
export type ErrorMeasure = 'average_infidelity' | 'pauli_error' | 'depolarizing_parameter';

/** Error rates: published medians over the device. */
export interface MedianErrors {
  /** Definition of the two rates of gates. */
  readonly measure: ErrorMeasure;
  readonly oneQubit: number;
  readonly twoQubit: number;
  /** Error rates of reading 0 as 1 and 1 as 0, or one rate for both. */
  readonly readout: readonly number[];
}

/** Median times of a device that publishes them. */
export interface MedianTimes {
  /** Microseconds. */
  readonly t1Us?: number;
  readonly t2Us?: number;
  /** Nanoseconds, by native gate, and of M. Gates that are not listed take no time. */
  readonly durationsNs: Readonly<Record<string, number>>;
  /** Whether the error rates of gates leave out the relaxation during the gates. */
  readonly relaxesInGates?: true;
}

/** A public device. */
export interface PublicDevice {
  readonly name: string;
  readonly numQubits: number;
  readonly couplers: readonly Coupler[];
  /** Native gates, by canonical name. */
  readonly nativeGates: readonly string[];
  /**
   * Native gates that the control electronics implement as a change of phase reference, without a pulse.
   */
  readonly virtualGates: readonly string[];
  readonly errors: MedianErrors;
  readonly times: MedianTimes;
  /** Source of errors and times. */
  readonly figures: string;
  /** Day of the calibration that errors and times come from, `YYYY-MM-DD`; absent where the source has none. */
  readonly date?: string;
  /** Source of the topology and the numbering. */
  readonly topology: string;
}

/** Ids of the devices. */
export const DEVICE_IDS = ['ibm-fez', 'ibm-brisbane', 'iqm-garnet', 'google-willow'] as const;
/** Id of a device. */
export type DeviceId = (typeof DEVICE_IDS)[number];

const HERON_LINKS = [
  [3, 7, 11, 15],
  [1, 5, 9, 13],
] as const;
const EAGLE_LINKS = [
  [0, 4, 8, 12],
  [2, 6, 10, 14],
] as const;
const HERON_ROWS = 8;
const EAGLE_ROWS = 7;

/** All devices. */
export const DEVICES: Readonly<Record<DeviceId, PublicDevice>> = {
  'ibm-fez': {
    name: 'IBM Fez (Heron r2)',
    numQubits: 156,
    couplers: heavyHex(
      Array.from({ length: HERON_ROWS }, (_, row) => ({
        columns: [0, 15],
        links: row === HERON_ROWS - 1 ? [] : HERON_LINKS[row % 2 === 0 ? 0 : 1],
      })),
    ),
    nativeGates: ['CZ', 'RZ', 'SX', 'X'],
    virtualGates: ['RZ'],
    errors: {
      measure: 'average_infidelity',
      oneQubit: 2.3e-4,
      twoQubit: 3.8e-3,
      readout: [7.6e-3],
    },
    times: { t1Us: 144.9, t2Us: 88, durationsNs: { SX: 24, X: 24, CZ: 84, M: 1560 } },
    figures:
      'medians of the calibration of ibm_fez that qiskit-ibm-runtime 0.51.0 carries as FakeFez; couplers marked as faulty are left out',
    date: '2025-02-26',
    topology:
      'Heavy-hex, eight rows of 16 qubits and four links between each two; shape and numbering as in the coupling map that IBM publishes for ibm_fez.',
  },
  'ibm-brisbane': {
    name: 'IBM Brisbane (Eagle r3)',
    numQubits: 127,
    couplers: heavyHex(
      Array.from({ length: EAGLE_ROWS }, (_, row) => ({
        columns: row === 0 ? [0, 13] : row === EAGLE_ROWS - 1 ? [1, 14] : [0, 14],
        links: row === EAGLE_ROWS - 1 ? [] : EAGLE_LINKS[row % 2 === 0 ? 0 : 1],
      })),
    ),
    nativeGates: ['ECR', 'RZ', 'SX', 'X'],
    virtualGates: ['RZ'],
    errors: {
      measure: 'average_infidelity',
      oneQubit: 2.4e-4,
      twoQubit: 7.7e-3,
      readout: [2e-2],
    },
    times: { t1Us: 232, t2Us: 150, durationsNs: { SX: 60, X: 60, ECR: 660, M: 1300 } },
    figures:
      'medians of the calibration of ibm_brisbane that qiskit-ibm-runtime 0.51.0 carries as FakeBrisbane',
    date: '2025-02-26',
    topology:
      "Heavy-hex, seven rows of 14 or 15 qubits and four links between each two; shape and numbering as in the coupling map that IBM publishes for its 127-qubit Eagle processors. Couplers are taken as working both ways: where the device's own direction is the other one, one-qubit gates turn an ECR round.",
  },
  'iqm-garnet': {
    name: 'IQM Garnet',
    numQubits: 20,
    couplers: squarePatch([
      [1, 2],
      [0, 4],
      [0, 4],
      [0, 4],
      [1, 3],
    ]),
    nativeGates: ['PRX', 'CZ'],
    virtualGates: [],
    errors: {
      measure: 'depolarizing_parameter',
      oneQubit: 1e-3,
      twoQubit: 5.8e-3,
      readout: [2.5e-2],
    },
    times: {
      t1Us: 37.6,
      t2Us: 9.63,
      durationsNs: { PRX: 20, CZ: 40 },
      relaxesInGates: true,
    },
    figures:
      "medians of the vendor's simulation profile IQMFakeGarnet in iqm-client 34.0.3, which names no day; depolarizing noise follows the relaxation during each gate, as in that profile",
    topology:
      "A patch of a square lattice, rows of 2, 5, 5, 5 and 3 qubits, as in the vendor's paper on its 20-qubit computer (arXiv:2408.12433); qubit 0 here is QB1 there.",
  },
  'google-willow': {
    name: 'Google Willow (August 2024)',
    numQubits: 105,
    couplers: squarePatch([
      [6, 8],
      [5, 8],
      [4, 10],
      [3, 10],
      [2, 12],
      [1, 12],
      [0, 14],
      [2, 13],
      [2, 12],
      [4, 11],
      [4, 10],
      [6, 9],
      [6, 8],
    ]),
    nativeGates: ['CZ', 'U'],
    virtualGates: [],
    errors: {
      measure: 'pauli_error',
      oneQubit: 4e-4,
      twoQubit: 3.4e-3,
      readout: [3.7e-3, 1.06e-2],
    },
    times: { t1Us: 70.2, durationsNs: { U: 25, CZ: 42, M: 600 } },
    figures:
      'medians of the calibration willow_pink in cirq-google 1.7.0, Pauli errors of one-qubit gates and of a cycle with a CZ; durations from its device specification; it has no T2, so that waiting qubits do not relax',
    date: '2024-08-16',
    topology:
      'A patch of a square lattice, with rows and columns as in the device specification willow_pink of August 2024 in Cirq; qubits are numbered row by row. U stands for its PhasedXZ gate, which makes any one-qubit gate.',
  },
};

/** A public device as one that circuits must fit. Its couplers are taken as working both ways. */
export function deviceOf({ numQubits, couplers, nativeGates }: PublicDevice): Device {
  return {
    numQubits,
    couplers,
    isSymmetric: true,
    nativeGates,
    abilities: { midCircuitMeasurement: true, reset: true, condition: true },
  };
}

/**
 * Probability that a Pauli string other than the identity follows a gate on k qubits, each alike.
 *
 * @see Nielsen, "A simple formula for the average gate fidelity of a quantum dynamical operation" (2002), for
 *   infidelities.
 */
export function pauliErrorOf(rate: number, numQubits: number, measure: ErrorMeasure): number {
  switch (measure) {
    case 'average_infidelity':
      return rate * (1 + 2 ** -numQubits);
    case 'pauli_error':
      return rate;
    case 'depolarizing_parameter':
      return rate * (1 - 4 ** -numQubits);
  }
}

/** A row of a heavy-hex lattice: adjacent qubits, and the columns with links to the next row. */
interface HeavyHexRow {
  /** First and last column of its qubits, which have no gaps. */
  readonly columns: readonly [first: number, last: number];
  /** Columns in which a separate qubit links this row to the next. */
  readonly links: readonly number[];
}

/**
 * Couplers of a heavy-hex lattice. Qubits are numbered row by row; linking qubits follow the upper of
 * their two rows.
 */
function heavyHex(rows: readonly HeavyHexRow[]): readonly Coupler[] {
  const couplers: Coupler[] = [];
  let next = 0;
  let above: readonly { readonly link: number; readonly column: number }[] = [];
  for (const { columns, links } of rows) {
    const start = next - columns[0];
    for (let column = columns[0]; column < columns[1]; column++) {
      couplers.push([start + column, start + column + 1]);
    }
    for (const { link, column } of above) couplers.push([link, start + column]);
    next = start + columns[1] + 1;
    above = links.map((column) => ({ link: next++, column }));
    for (const { link, column } of above) couplers.push([start + column, link]);
  }
  return couplers;
}

/**
 * Couplers of a section of a square lattice, in which qubits couple to their neighbours in row and
 * column. Qubits are numbered row by row.
 *
 * @param rows - First and last column of each row.
 */
function squarePatch(
  rows: readonly (readonly [first: number, last: number])[],
): readonly Coupler[] {
  const couplers: Coupler[] = [];
  let next = 0;
  let above: { readonly start: number; readonly columns: readonly [number, number] } | undefined;
  for (const columns of rows) {
    const start = next - columns[0];
    for (let column = columns[0]; column <= columns[1]; column++) {
      if (column < columns[1]) couplers.push([start + column, start + column + 1]);
      const isBelow =
        above !== undefined && column >= above.columns[0] && column <= above.columns[1];
      if (above !== undefined && isBelow) couplers.push([above.start + column, start + column]);
    }
    next = start + columns[1] + 1;
    above = { start, columns };
  }
  return couplers;
}
