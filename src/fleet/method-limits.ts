/** Methods that processors have, the limits of each, and the memory that states need. */
import type { DynamicCircuit } from '../circuit/circuit.ts';
import { MAX_CIRCUIT_QUBITS, sizeText } from '../circuit/circuit-limits.ts';
import type { PauliSum } from '../circuit/observable.ts';
import { MAX_WRITTEN_QUBITS, type OutputName } from '../circuit/outputs.ts';
import {
  expectedEvolutions,
  expectedTrajectories,
} from '../compiler/noise/expected-trajectories.ts';
import type { BondLimits, PauliLimits } from '../compiler/program.ts';
import { FEW_SHOTS } from '../engine/stabilizer/frame-sampler.ts';
import {
  CORE_BYTES,
  MAX_CORE_QUBITS,
  MAX_NEAR_CLIFFORD_QUBITS,
} from '../engine/stabilizer/run-near-clifford.ts';
import { AMPLITUDE_BYTES } from './memory-shares.ts';
import type { MethodName, RunMethodName } from './method-names.ts';
import type { ProcessorSpec } from './processor.ts';
import type { Precision } from './schedule/lane.ts';
import type {
  CircuitWork,
  MethodFigures,
  MethodRequest,
  RunMethod,
  StateMethod,
} from './schedule/scheduled-run.ts';

/** Facts that a choice depends on. */
export interface MethodQuestion {
  readonly circuit: DynamicCircuit;
  readonly work: CircuitWork;
  readonly shots: number;
  readonly asked: MethodName;
  /** A sentence that says why this method is asked for, where the request does not name it. */
  readonly whyAsked?: string;
  readonly outputs: readonly OutputName[];
  /** Those whose values are asked for; undefined where they are not known. */
  readonly observables?: readonly PauliSum[];
  /** Limits of matrix product states that the caller sets. */
  readonly bonds?: Partial<BondLimits>;
  /** Limits of Pauli propagation that the caller sets. */
  readonly paulis?: Partial<PauliLimits>;
  /**
   * Present if angles differ between the points of a batch, so that the circuit's own say nothing: a circuit with
   * angles as most points have them.
   */
  readonly typicalPoint?: () => DynamicCircuit;
  /** Whether estimates may take longer than a few milliseconds; true unless given. */
  readonly mayTakeLong?: boolean;
}

/** Estimate of a circuit by a method whose states do not have 2^n amplitudes. */
export type MethodCandidate = CandidateMethod & (ExactCandidate | TruncatedCandidate);

interface CandidateMethod extends MethodRequest {
  readonly method: Exclude<RunMethod, StateMethod>;
  readonly figures: MethodFigures;
  /** The states with their memory. */
  readonly what: string;
  /** A sentence that says whether they are exact. */
  readonly precision: string;
}

interface ExactCandidate {
  readonly isExact: true;
}

interface TruncatedCandidate {
  readonly isExact: false;
  /** A clause for a refusal. */
  readonly whyNotExact: string;
}

/** Why such a method does not take a circuit. */
export interface Refusal {
  /** A clause. */
  readonly why: string;
  /** Whether a limit of size decides. */
  readonly isLimit?: boolean;
  /** Whether stabilizers do not take it because of a gate or noise, so that sums over stabilizer states may. */
  readonly isNotClifford?: boolean;
}

/** A method that a processor has, and the widest circuit that it takes. */
export interface MethodLimit {
  readonly method: RunMethodName;
  readonly maxQubits: number;
  /** With noise; 0 if it takes none. */
  readonly maxNoisyQubits: number;
  /** In double precision, where single precision takes wider ones. */
  readonly maxDoubleQubits?: number;
  /** Limits of circuits that are Clifford but for a few gates. */
  readonly nearClifford?: {
    readonly maxQubits: number;
    readonly maxStates: number;
    readonly maxActiveQubits: number;
  };
}

/** Methods that a processor's callers may ask for; hardware has none. */
export function methodsOf(given: ProcessorSpec): readonly MethodLimit[] {
  const spec = simulatedSpec(given);
  const { family, maxQubits, maxNoisyQubits = maxQubits } = spec;
  const statevector = { method: 'statevector', maxQubits, maxNoisyQubits } as const;
  switch (family) {
    case 'statevector':
    case 'gpu-fleet':
      return [statevector];
    case 'qvm':
      return [
        statevector,
        densityLimit(spec),
        stabilizerLimit(spec),
        MATRIX_PRODUCT_LIMIT,
        SPARSE_LIMIT,
        PAULI_LIMIT,
      ];
    case 'emulator':
      return [statevector, densityLimit(spec)];
    case 'superconducting':
      return [];
  }
}

/** Bytes of a tableau: 2n rows of 2n bits. */
export const tableauBytes = (numQubits: number): number => numQubits ** 2 / 2;

/** Qubits of the widest tableau that fits into `bytes`. */
export const maxTableauQubits = (bytes: number): number =>
  Math.min(MAX_CIRCUIT_QUBITS, Math.floor(Math.sqrt(2 * bytes)));

/** Core qubits of the widest near-Clifford program that fits into `bytes`, beside its frame. */
export const maxCoreQubits = (bytes: number): number =>
  Math.max(0, Math.min(MAX_CORE_QUBITS, Math.ceil(Math.log2(bytes / CORE_BYTES)) - 1));

/** Most active qubits: a state of each of the fewest shots that are sampled together fits into `bytes` twice. */
export const maxActiveQubits = (bytes: number): number =>
  Math.max(0, Math.min(MAX_CORE_QUBITS, Math.floor(Math.log2(bytes / (2 * FEW_SHOTS * 16)))));

function stabilizerLimit(spec: ProcessorSpec): MethodLimit {
  const maxQubits = maxTableauQubits(stateBytesOf(spec));
  const nearClifford = {
    maxQubits: Math.min(maxQubits, MAX_NEAR_CLIFFORD_QUBITS),
    maxStates: 2 ** maxCoreQubits(stateBytesOf(spec)),
    maxActiveQubits: maxActiveQubits(stateBytesOf(spec)),
  };
  return { method: 'stabilizer', maxQubits, maxNoisyQubits: maxQubits, nearClifford };
}

/** Memory and time of a matrix product state depend on its bonds, not on its qubits. */
const MATRIX_PRODUCT_LIMIT: MethodLimit = {
  method: 'matrix_product_state',
  maxQubits: MAX_CIRCUIT_QUBITS,
  maxNoisyQubits: MAX_CIRCUIT_QUBITS,
};

/** Memory and time of a sparse state depend on its amplitudes that are not 0. */
const SPARSE_LIMIT: MethodLimit = {
  method: 'sparse',
  maxQubits: MAX_CIRCUIT_QUBITS,
  maxNoisyQubits: MAX_CIRCUIT_QUBITS,
};

/** Memory and time of Pauli propagation depend on the strings of observables. */
const PAULI_LIMIT: MethodLimit = {
  method: 'pauli_propagation',
  maxQubits: MAX_CIRCUIT_QUBITS,
  maxNoisyQubits: MAX_CIRCUIT_QUBITS,
};

/** A processor with the limits of its simulator, which are less than the qubits of an emulated device. */
export function simulatedSpec(spec: ProcessorSpec): ProcessorSpec {
  const { maxUsedQubits: maxQubits = spec.maxQubits } = spec.device?.emulation ?? {};
  return { ...spec, maxQubits };
}

/** A density matrix is a state of twice the qubits. */
function densityLimit({ maxQubits: widest, maxSingleQubits = widest }: ProcessorSpec): MethodLimit {
  const maxDoubleQubits = Math.floor(widest / 2);
  const maxQubits = Math.max(maxDoubleQubits, Math.floor(maxSingleQubits / 2));
  return { method: 'density_matrix', maxQubits, maxNoisyQubits: maxQubits, maxDoubleQubits };
}

/**
 * Precision of a run: the processor's, but single for a density matrix that it has room for only so.
 *
 * @param width - Qubits of the state that the run holds.
 */
export function precisionOfRun(
  { maxQubits, precision }: Pick<ProcessorSpec, 'maxQubits' | 'precision'>,
  method: RunMethod,
  width: number,
): Precision {
  return method === 'density_matrix' && width > maxQubits ? 'f32' : (precision ?? 'f64');
}

/** Name of a run's method, which is that of its states: trajectories have no name of their own. */
export function nameOfMethod(method: RunMethod): RunMethodName {
  switch (method) {
    case 'trajectories':
      return 'statevector';
    case 'matrix_product_trajectories':
      return 'matrix_product_state';
    case 'statevector':
    case 'density_matrix':
    case 'stabilizer':
    case 'matrix_product_state':
    case 'sparse':
    case 'pauli_propagation':
      return method;
  }
}

/** Memory of wider states is given by the number of amplitudes. */
const MAX_SPELLED_QUBITS = 64;

/** `4 MiB`, or `2 GiB in single precision` where the processor's has no room. */
export function densitySize(numQubits: number, spec: ProcessorSpec): string {
  const width = 2 * numQubits;
  const precision = precisionOfRun(spec, 'density_matrix', width);
  const size = sizeOf(width, { precision });
  const isPlain = precision === spec.precision || width > MAX_SPELLED_QUBITS;
  return isPlain ? size : `${size} in single precision`;
}

/** Memory of a state vector: `4 MiB`. */
export function sizeOf(numQubits: number, { precision }: Pick<ProcessorSpec, 'precision'>): string {
  if (numQubits > MAX_SPELLED_QUBITS) return `2^${numQubits} amplitudes`;
  const bytes = AMPLITUDE_BYTES[precision ?? 'f64'] * 2 ** numQubits;
  return sizeText(bytes);
}

/** Qubits of the widest circuit like this one that a method takes. */
export function limitFor(work: CircuitWork, { maxQubits, maxNoisyQubits }: MethodLimit): number {
  return work.noise === undefined ? maxQubits : maxNoisyQubits;
}

/** Bytes for the states of one run in double precision. */
export function stateBytesOf({ maxQubits }: Pick<ProcessorSpec, 'maxQubits'>): number {
  return AMPLITUDE_BYTES.f64 * 2 ** maxQubits;
}

/** Formats bytes to three digits: `1.46 MiB`. */
export function roundedSize(bytes: number): string {
  const unit = 2 ** (10 * Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  return sizeText(Number((bytes / unit).toPrecision(3)) * unit);
}

/** `256`, or `2^30` for large numbers. */
export function countText(count: number): string {
  return count < 2 ** 16 ? `${count}` : `2^${Math.round(Math.log2(count))}`;
}

/** Refuses a state vector that a method does not write out. */
export function tooLongState(
  method: RunMethod,
  { circuit, outputs }: Pick<MethodQuestion, 'circuit' | 'outputs'>,
): Refusal | undefined {
  if (!outputs.includes('statevector') || circuit.numQubits <= MAX_WRITTEN_QUBITS) return undefined;
  const why = `${method} writes out state vectors of up to ${MAX_WRITTEN_QUBITS} qubits`;
  return { why, isLimit: true };
}

/** Logarithm of the most states that the shots of a run are taken to split into at outcomes. */
const MAX_SPLITS = 20;

/**
 * States that the shots of a run are expected to part into at noise and at outcomes in mid-circuit, and evolutions of the whole
 * circuit that these take together.
 *
 * @param numSplits - Number of such outcomes.
 */
export function statesOfShots(
  { work, shots }: Pick<MethodQuestion, 'work' | 'shots'>,
  numSplits: number,
): { readonly numStates: number; readonly numEvolutions: number } {
  const parted = 2 ** Math.min(numSplits, MAX_SPLITS);
  const { sites } = work.noise ?? { sites: [] };
  const most = (count: number) => Math.min(Math.max(1, shots), parted * count);
  return {
    numStates: most(expectedTrajectories(sites, shots)),
    numEvolutions: most(expectedEvolutions(sites, shots)),
  };
}
