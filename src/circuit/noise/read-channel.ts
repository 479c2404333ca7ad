/** Reads noise channels, and reports their faults. */
import { pathOf } from '../../errors/fault-path.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import { counted, type FaultList, LIMIT_EXCEEDED } from '../errors.ts';
import { matrixFromRows } from '../matrix-rows.ts';
import type { Channel } from './channel.ts';
import {
  CHANNEL_FIELDS,
  type ChannelField,
  type ChannelObject,
  COMPLETENESS_TOLERANCE,
  MAX_KRAUS_QUBITS,
  MAX_PAULI_QUBITS,
} from './channel-object.ts';
import {
  amplitudeDamping,
  completenessDefect,
  depolarizing,
  flip,
  krausChannel,
  loss,
  pauliChannel,
  phaseDamping,
  resetTo,
  thermalRelaxation,
} from './named-channels.ts';

/** A valid channel. */
export interface ReadChannel {
  readonly numQubits: number;
  /** Undefined where it does nothing. */
  readonly channel: Channel | undefined;
}

/** Sum of probabilities past 1 that rounding of decimal fractions explains. */
const SUM_TOLERANCE = 1e-9;

/** Number of qubits that a channel acts on; undefined where its operands decide. */
export function ownWidth(object: ChannelObject): number | undefined {
  switch (object.type) {
    case 'depolarizing':
      return object.num_qubits;
    case 'pauli':
      return Object.keys(object.probabilities ?? {})[0]?.length ?? 1;
    case 'kraus':
      return Math.ceil(Math.log2(Math.max(2, object.matrices?.[0]?.length ?? 2)));
    default:
      return 1;
  }
}

/**
 * Reads a channel; returns undefined after reporting its faults.
 *
 * @param numOperands - Number of qubits, for a channel that takes its own from there.
 * @param path - Path of the channel: `noise.gates[2].channel`.
 */
export function readChannel(
  object: ChannelObject,
  numOperands: number,
  path: string,
  faults: FaultList,
): ReadChannel | undefined {
  const before = faults.count;
  checkFields(object, path, faults);
  const reader = new ChannelReader(object, path, faults);
  const numQubits = ownWidth(object) ?? numOperands;
  const channel = faults.count === before ? reader.read(numQubits) : undefined;
  return faults.count === before ? { numQubits, channel } : undefined;
}

/** Reports fields that are missing and fields of other channels. */
function checkFields(object: ChannelObject, path: string, faults: FaultList): void {
  const { type, ...fields } = object;
  const { needed, others } = CHANNEL_FIELDS[type];
  for (const field of needed) {
    if (object[field] === undefined) {
      faults.add(`${path}.${field}`, `Missing; ${type} takes ${needed.join(', ')}.`);
    }
  }
  // The cast is safe: these are the fields of a channel.
  for (const field of Object.keys(fields) as ChannelField[]) {
    if (object[field] === undefined || needed.includes(field) || others.includes(field)) continue;
    faults.add(`${path}.${field}`, `${type} takes ${[...needed, ...others].join(', ')} only.`);
  }
}

/** Reads a channel whose needed fields are all there. */
class ChannelReader {
  readonly #object: ChannelObject;
  readonly #path: string;
  readonly #faults: FaultList;

  constructor(object: ChannelObject, path: string, faults: FaultList) {
    this.#object = object;
    this.#path = path;
    this.#faults = faults;
  }

  /** Returns the channel; undefined where it does nothing, and after a fault. */
  read(numQubits: number): Channel | undefined {
    switch (this.#object.type) {
      case 'bit_flip':
        return this.#withFractions(['probability'], ([p]) => flip('X', p));
      case 'phase_flip':
        return this.#withFractions(['probability'], ([p]) => flip('Z', p));
      case 'bit_phase_flip':
        return this.#withFractions(['probability'], ([p]) => flip('Y', p));
      case 'pauli':
        return this.#pauli(numQubits);
      case 'depolarizing':
        if (!this.#isWidth(numQubits)) return undefined;
        return this.#withFractions(['probability'], ([p]) => depolarizing(numQubits, p));
      case 'amplitude_damping':
        return this.#withFractions(['gamma'], ([gamma]) => amplitudeDamping(gamma, 0));
      case 'generalized_amplitude_damping':
        return this.#withFractions(['gamma', 'excited'], amplitudeDampingOf);
      case 'phase_damping':
        return this.#withFractions(['gamma'], ([gamma]) => phaseDamping(gamma));
      case 'thermal_relaxation':
        return this.#thermalRelaxation();
      case 'reset':
        return this.#reset();
      case 'loss':
        return this.#withFractions(['probability'], ([p]) => loss(p));
      case 'kraus':
        return this.#kraus(numQubits);
    }
  }

  /** Makes a channel of numbers from 0 to 1, or reports those that are not. */
  #withFractions(
    fields: readonly ChannelField[],
    make: (values: readonly [number, number]) => Channel | undefined,
  ): Channel | undefined {
    const before = this.#faults.count;
    const [first = 0, second = 0] = fields.map((field) => this.#fraction(field));
    return this.#faults.count === before ? make([first, second]) : undefined;
  }

  /** A field that is a number from 0 to 1; 0 where it is absent or wrong. */
  #fraction(field: ChannelField): number {
    const value = this.#object[field] ?? 0;
    if (typeof value === 'number' && value >= 0 && value <= 1) return value;
    this.#faults.add(`${this.#path}.${field}`, `${field} must be from 0 to 1, not ${value}.`);
    return 0;
  }

  #isWidth(numQubits: number): boolean {
    if (Number.isInteger(numQubits) && numQubits >= 1 && numQubits <= MAX_PAULI_QUBITS) return true;
    const isGiven = this.#object.num_qubits !== undefined;
    const place = isGiven ? `${this.#path}.num_qubits` : this.#path;
    const limit = `depolarizing acts on 1 to ${MAX_PAULI_QUBITS} qubits`;
    const code = numQubits > MAX_PAULI_QUBITS ? LIMIT_EXCEEDED : undefined;
    this.#faults.add(
      place,
      `${limit}, not ${numQubits}: its 4^k − 1 Pauli strings are listed.`,
      code,
    );
    return false;
  }

  #pauli(numQubits: number): Channel | undefined {
    const before = this.#faults.count;
    const path = `${this.#path}.probabilities`;
    const entries = Object.entries(this.#object.probabilities ?? {});
    if (entries.length === 0) {
      this.#faults.add(path, 'pauli needs at least one string, for example {"X": 0.01}.');
    }
    let sum = 0;
    for (const [letters, probability] of entries) {
      const place = pathOf(path, letters);
      const fault = faultOfPauli(letters, probability, numQubits);
      if (fault !== undefined) {
        const code = letters.length > MAX_PAULI_QUBITS ? LIMIT_EXCEEDED : undefined;
        this.#faults.add(place, fault, code);
      }
      sum += probability;
    }
    if (this.#faults.count > before) return undefined;
    if (sum > 1 + SUM_TOLERANCE) {
      this.#faults.add(
        path,
        `The probabilities add up to ${Number(sum.toPrecision(12))}; at most 1 is possible.`,
      );
      return undefined;
    }
    const scale = Math.max(1, sum);
    const errors = entries.map(([letters, probability]) => ({
      ...masksOf(letters),
      probability: probability / scale,
    }));
    return pauliChannel(
      numQubits,
      errors.filter(({ flips, signs }) => flips + signs > 0),
    );
  }

  #thermalRelaxation(): Channel | undefined {
    const before = this.#faults.count;
    const excited = this.#fraction('excited');
    const { t1_us: t1 = 0, t2_us: t2 = 0, duration_ns: duration = 0 } = this.#object;
    checkRelaxationTimes(t1, t2, this.#path, this.#faults);
    if (!(duration >= 0 && duration < Infinity)) {
      const message = `duration_ns must be 0 or more, not ${duration}.`;
      this.#faults.add(`${this.#path}.duration_ns`, message);
    }
    if (this.#faults.count > before) return undefined;
    return thermalRelaxation(1000 * t1, 1000 * t2, duration, excited);
  }

  #reset(): Channel | undefined {
    const { value = 0 } = this.#object;
    if (value !== 0 && value !== 1) {
      this.#faults.add(`${this.#path}.value`, `value must be 0 or 1, not ${value}.`);
      return undefined;
    }
    return this.#withFractions(['probability'], ([p]) => resetTo(value, p));
  }

  #kraus(numQubits: number): Channel | undefined {
    const { matrices = [] } = this.#object;
    const path = `${this.#path}.matrices`;
    if (numQubits > MAX_KRAUS_QUBITS) {
      const limit = `the limit for Kraus matrices is ${MAX_KRAUS_QUBITS}`;
      this.#faults.add(`${path}[0]`, `Matrices on ${numQubits} qubits; ${limit}.`, LIMIT_EXCEEDED);
      return undefined;
    }
    const most = 4 ** numQubits;
    if (matrices.length === 0 || matrices.length > most) {
      const count = `1 to ${most} matrices`;
      const problem = `A channel on ${counted(numQubits, 'qubit')} has ${count}, not ${matrices.length}.`;
      this.#faults.add(path, problem, matrices.length > most ? LIMIT_EXCEEDED : undefined);
      return undefined;
    }
    const read: ComplexMatrix[] = [];
    for (const [i, rows] of matrices.entries()) {
      const matrix = matrixFromRows(rows, numQubits, `${path}[${i}]`, this.#faults);
      if (matrix !== undefined) read.push(matrix);
    }
    if (read.length < matrices.length) return undefined;
    const defect = completenessDefect(read);
    if (!(defect <= COMPLETENESS_TOLERANCE)) {
      const found = `Σ K†K differs from 1 by ${defect.toPrecision(2)} in its worst entry`;
      this.#faults.add(path, `Not complete: ${found}; the tolerance is ${COMPLETENESS_TOLERANCE}.`);
      return undefined;
    }
    return krausChannel(read);
  }
}

const amplitudeDampingOf = ([gamma, excited]: readonly [number, number]) =>
  amplitudeDamping(gamma, excited);

/** Reports relaxation times that no qubit has. */
export function checkRelaxationTimes(
  t1: number,
  t2: number,
  path: string,
  faults: FaultList,
): void {
  const before = faults.count;
  for (const [field, time] of [
    ['t1_us', t1],
    ['t2_us', t2],
  ] as const) {
    if (time > 0 && time < Infinity) continue;
    faults.add(`${path}.${field}`, `${field} must be greater than 0, not ${time}.`);
  }
  if (faults.count === before && t2 > 2 * t1 * (1 + SUM_TOLERANCE)) {
    const reason = 'relaxation alone dephases that fast';
    faults.add(`${path}.t2_us`, `T2 is at most 2·T1 = ${2 * t1} µs, not ${t2}: ${reason}.`);
  }
}

/** Fault of a Pauli string and its probability; undefined if there is none. */
function faultOfPauli(letters: string, probability: number, length: number): string | undefined {
  if (!/^[IXYZ]+$/.test(letters)) {
    return 'A Pauli string consists of the letters I, X, Y and Z.';
  }
  if (letters.length > MAX_PAULI_QUBITS) {
    return `${letters.length} letters; the limit is ${MAX_PAULI_QUBITS} qubits.`;
  }
  if (letters.length !== length) {
    return `${counted(letters.length, 'letter')}, but the first string has ${length}; all have as many.`;
  }
  if (probability >= 0 && probability <= 1) return undefined;
  return `A probability is from 0 to 1, not ${probability}.`;
}

/** Masks of a Pauli string, whose leftmost letter is the most significant bit. */
function masksOf(letters: string): { readonly flips: number; readonly signs: number } {
  let flips = 0;
  let signs = 0;
  for (const letter of letters) {
    flips = 2 * flips + Number(letter === 'X' || letter === 'Y');
    signs = 2 * signs + Number(letter === 'Z' || letter === 'Y');
  }
  return { flips, signs };
}
