/** The memory that a state may take. */
export interface StateMemory {
  readonly bytes: number;
  readonly bytesPerAmplitude: number;
  /** The setting that gives it more; absent where none does. */
  readonly setting?: string;
}

/** Bounds a circuit must keep before anything is compiled or run. */
export interface CircuitLimits {
  readonly maxQubits: number;
  /** What decides `maxQubits`; absent where it is something else. */
  readonly stateMemory?: StateMemory;
  /** Operations, barriers not counted. */
  readonly maxGates: number;
  /** Rounds that a shot may take in loops on measured bits; DEFAULT_MAX_ROUNDS unless given. */
  readonly maxRounds?: number;
  /** Steps after which the reading of a program is given up with a StepsSpentError. */
  readonly maxSteps?: number;
}

/**
 * That something has more qubits than may be, as sentences: what they need and what there is, where memory
 * is the limit.
 *
 * @param what - A clause that names the number: `The circuit has 41 qubits`.
 */
export function tooManyQubits(
  what: string,
  numQubits: number,
  { maxQubits, stateMemory }: Pick<CircuitLimits, 'maxQubits' | 'stateMemory'>,
): string {
  const plain = `${what}; the limit max_qubits is ${maxQubits}.`;
  if (stateMemory === undefined || numQubits > MAX_EXPLAINED_QUBITS) return plain;
  const { bytes, bytesPerAmplitude, setting } = stateMemory;
  const needed = bytesPerAmplitude * 2 ** numQubits;
  // A limit may be set lower than memory asks for.
  if (needed <= bytes) return plain;
  const held = `this service holds ${maxQubits} qubits (${sizeText(bytesPerAmplitude * 2 ** maxQubits)})`;
  const advice = setting === undefined ? '' : ` ${setting} raises it.`;
  return `${numQubits} qubits need ${sizeText(needed)}; ${held}.${advice}`;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB'];

/** Of powers of two: whole in their unit. */
function sizeText(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${bytes / 2 ** (10 * unit)} ${UNITS[unit]}`;
}

/** Beyond this the figure means nothing to anybody. */
const MAX_EXPLAINED_QUBITS = 64;

/** Classical bits a circuit may have, whatever runs it: outcomes stay short enough to list. */
export const MAX_CLASSICAL_BITS = 1024;

/** Rounds that one shot may take in all loops on measured bits together. */
export const DEFAULT_MAX_ROUNDS = 10_000;

/** Bits for variables that depend on measured bits, and for conditions kept for later. */
export const MAX_SCRATCH_BITS = 2 ** 16;

/** Bits one condition may read: its value stays an exact 32-bit number on every engine. */
export const MAX_CONDITION_BITS = 32;

/** Targets of an explicit unitary: 4^6 entries fit every engine's fast memory. */
export const MAX_UNITARY_QUBITS = 6;

/** How far U†U of an explicit unitary may be from the identity, in its worst entry. */
export const UNITARITY_TOLERANCE = 1e-6;
