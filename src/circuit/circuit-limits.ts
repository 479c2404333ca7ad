/** Longest delay or duration of an operation: a thousand seconds, far beyond the coherence of any qubit. */
export const MAX_DURATION_NS = 1e12;

/** Memory that a service has for one state. */
export interface StateMemory {
  readonly bytes: number;
  readonly bytesPerAmplitude: number;
  /** Name of the setting that raises `bytes`; absent where none does. */
  readonly setting?: string;
}

/** Limits that a circuit must keep, checked before anything is compiled or run. */
export interface CircuitLimits {
  readonly maxQubits: number;
  /** Memory that `maxQubits` follows from; absent where another limit decides. */
  readonly stateMemory?: StateMemory;
  /** A sentence that names another processor for wider circuits. */
  readonly widerElsewhere?: string;
  /** Most operations. Barriers are counted apart, with the same limit. */
  readonly maxGates: number;
  /** Rounds that a shot may take in loops on measured bits; DEFAULT_MAX_ROUNDS unless given. */
  readonly maxRounds?: number;
  /** Steps of reading a program after which a StepsSpentError is thrown. */
  readonly maxSteps?: number;
  /** Counts the steps of reading, over all programs that share it. */
  readonly readingWork?: ReadingWork;
}

/** The limit of steps that the caller set is used up. The program has no fault. */
export class StepsSpentError extends Error {}

/** Work of reading programs so far. */
export interface ReadingWork {
  numSteps: number;
  numGates: number;
}

/**
 * Message that a circuit or state has too many qubits. If memory is the limit, it says how much is needed
 * and how much there is.
 *
 * @param what - A clause that names the number: `The circuit has 41 qubits`.
 */
export function tooManyQubits(
  what: string,
  numQubits: number,
  limits: Pick<CircuitLimits, 'maxQubits' | 'stateMemory' | 'widerElsewhere'>,
): string {
  const { maxQubits, stateMemory, widerElsewhere } = limits;
  const elsewhere = widerElsewhere === undefined ? '' : ` ${widerElsewhere}`;
  const plain = `${what}; the limit max_qubits is ${maxQubits}.${elsewhere}`;
  if (stateMemory === undefined || numQubits > MAX_EXPLAINED_QUBITS) return plain;
  const { bytes, bytesPerAmplitude, setting } = stateMemory;
  const needed = bytesPerAmplitude * 2 ** numQubits;
  // A limit may be set lower than memory allows.
  if (needed <= bytes) return plain;
  const held = `this service holds ${maxQubits} qubits (${sizeText(bytesPerAmplitude * 2 ** maxQubits)})`;
  const advice = setting === undefined ? '' : ` ${setting} raises it.`;
  return `${numQubits} qubits need ${sizeText(needed)}; ${held}.${advice}${elsewhere}`;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB'];

/** Formats bytes; a power of two is whole in its unit. */
export function sizeText(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${bytes / 2 ** (10 * unit)} ${UNITS[unit]}`;
}

/** Widest circuit whose memory is spelled out; beyond this the figure is meaningless. */
const MAX_EXPLAINED_QUBITS = 64;

/** Steps of reading programs that are allowed without any gates, at most. A step takes some 10 to 300 ns. */
export const MAX_FREE_STEPS = 2 ** 22;
/**
 * Further steps for each gate: calls and instructions of definitions, rounds of loops, bits read. Most programs take a
 * dozen; a comparison of a 20-bit register takes about 50. Small limits of gates allow as many for gates not yet there.
 */
export const STEPS_PER_GATE = 128;

const freeSteps = (maxGates: number) => Math.min(MAX_FREE_STEPS, STEPS_PER_GATE * (maxGates + 1));

/** Whether reading programs has taken more steps than it may take for their gates. */
export function hasTooManySteps({ numSteps, numGates }: ReadingWork, maxGates: number): boolean {
  return numSteps > freeSteps(maxGates) + STEPS_PER_GATE * numGates;
}

/** Message that it has. */
export function tooManySteps(what: string, { numGates }: ReadingWork, maxGates: number): string {
  const limit = `${freeSteps(maxGates)} and ${STEPS_PER_GATE} more for each gate`;
  return `${what} takes too many steps: the limit is ${limit}, and the gates so far are ${numGates}.`;
}

/** Qubits that a circuit may have on a processor that chooses the method by the circuit. */
export const MAX_CIRCUIT_QUBITS = 20_000;

/** Classical bits that a circuit may have on any engine, so that outcomes stay short enough to list. */
export const MAX_CLASSICAL_BITS = 2 ** 16;

/** Default limit of the rounds that one shot may take in all loops on measured bits together. */
export const DEFAULT_MAX_ROUNDS = 10_000;

/** Scratch bits for variables that depend on measured bits, and for stored conditions. */
export const MAX_SCRATCH_BITS = 2 ** 16;

/** Bits that one condition may read: its value stays an exact 32-bit number on every engine. */
export const MAX_CONDITION_BITS = 32;

/** Targets of an explicit unitary: 4^6 entries fit every engine's fast memory. */
export const MAX_UNITARY_QUBITS = 6;

/** Largest entry that |U†U − 1| of an explicit unitary may have. */
export const UNITARITY_TOLERANCE = 1e-6;
