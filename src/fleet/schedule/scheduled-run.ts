/** A run as the scheduler sees it: whose it is, how urgent, where it may run, and how much work it is. */
import { type AngleFormulas, dependentAngles } from '../../circuit/angle-formulas.ts';
import {
  type DynamicCircuit,
  hasMidCircuitMeasurement,
  isNoisy,
  numOperationsOf,
  savesOf,
} from '../../circuit/circuit.ts';
import { withoutNoise } from '../../circuit/noise/noise-facts.ts';
import { numFlipPatterns } from '../../circuit/observable.ts';
import { askedFields, type OutputMethod, type RequestedOutputs } from '../../circuit/outputs.ts';
import { circuitCost } from '../../compiler/cost-model.ts';
import {
  expectedEvolutions,
  expectedTrajectories,
  type NoiseOdds,
  noiseOdds,
} from '../../compiler/noise/expected-trajectories.ts';
import type { BondLimits, PauliLimits } from '../../compiler/program.ts';
import type { DecoderChoice } from '../../decoding/decoders.ts';
import type { Stratum } from '../../decoding/fault-strata.ts';
import type { ShotRange } from '../../engine/engine.ts';
import { expectedUndecided } from '../../engine/exact-counts.ts';
import type { ErrorCounting } from '../error-counting.ts';
import { isNarrow } from '../run-together.ts';
import { gradientMs } from './gradient-cost.ts';
import type { LaneId, Precision } from './lane.ts';

/** Urgency that the caller gave to a run, as it took effect. */
export type Priority = 'low' | 'normal' | 'high';

/** Tier of the API key. */
export type Tier = 'standard' | 'enterprise';

/** Hardware that may execute a run: the CPU, adapters, or adapters and the CPU where they do not take it. */
export type MayRunOn = 'cpu' | 'adapter' | 'adapter-or-cpu';

const LEVEL_OF_PRIORITY: Readonly<Record<Priority, number>> = { high: 0, normal: 2, low: 4 };

/** Level at which a run starts to wait; within a priority, Enterprise work is ahead. */
export function levelOf(priority: Priority, tier: Tier): number {
  return LEVEL_OF_PRIORITY[priority] + (tier === 'enterprise' ? 0 : 1);
}

/** Methods that hold states of 2^n amplitudes, by which the width of a run is its number of qubits. */
export const STATE_METHODS = ['statevector', 'trajectories', 'density_matrix'] as const;

export type StateMethod = (typeof STATE_METHODS)[number];

/**
 * Simulation method of a run: on one state, on a state for each noise that the shots drew, on a density matrix, on the
 * stabilizers of a state, on a chain of tensors or one for each noise, on a list of non-zero amplitudes, or on observables.
 */
export type RunMethod = OutputMethod;

/** Whether a method's states have 2^n amplitudes. */
export function isStateMethod(method: RunMethod): method is StateMethod {
  return STATE_METHODS.some((name) => name === method);
}

/** Memory and time of a run by a method whose states do not have 2^n amplitudes. */
export interface MethodFigures {
  /** Bytes of all states that the run holds. */
  readonly bytes: number;
  /** Milliseconds on the machine of the cost model, without shots. */
  readonly ms: number;
  /** Milliseconds for each shot. */
  readonly msPerShot: number;
}

/** Method of a run, and the facts that it depends on. */
export interface MethodRequest {
  /** By default trajectories for a circuit with noise, and otherwise one state. */
  readonly method?: RunMethod;
  /** Set for the methods whose states do not have 2^n amplitudes. */
  readonly figures?: MethodFigures;
  /** Limits of the bonds of matrix product states. */
  readonly bonds?: BondLimits;
  /** Limits of the strings of Pauli propagation. */
  readonly paulis?: PauliLimits;
}

/**
 * Outputs of a run and the method that computes them. Without `angles` it requests the run's own circuit; with them,
 * `numCircuits` circuits that differ from it in their angles and seeds.
 */
export interface CircuitRequest extends RequestedOutputs, MethodRequest {
  /** Shots of each circuit; 0 by default. */
  readonly shots?: number;
  /** Integer in [0, 2^53 − 1], 0 by default. Circuit k draws with seed `seed` + k. */
  readonly seed?: number;
  /** As in `RunRequest`; of one circuit only. */
  readonly shotRange?: ShotRange;
  /** Requests tallies of errors in place of counts, of the shots of `shotRange`; of one circuit only. */
  readonly errorCounting?: ErrorCounting;
  /** Requests tallies of shots with given numbers of faults, a stratum for each chunk of `shotRange`. */
  readonly strata?: readonly Stratum[];
  readonly numCircuits?: number;
  /** Radians, circuit after circuit; or the rows of numbers that angles follow from by `formulas`. */
  readonly angles?: Float64Array;
  /** Replaces `seed`: circuit k draws with `seeds[k]`. */
  readonly seeds?: ArrayLike<number>;
  /** Formulas of a circuit's angles in its row of `angles`; without it, the row is the angles. */
  readonly formulas?: AngleFormulas;
  /** Indices in a row of the variables of differentiation; all unless given. Derivatives by others are invalid. */
  readonly gradientInputs?: readonly number[];
  /**
   * Requests the counts that each circuit has when it is run by itself with its seed, also where not all qubits are
   * measured.
   */
  readonly countsOfSingles?: boolean;
}

/** A request for circuits that differ in their angles and seeds. */
export interface BatchRunRequest extends CircuitRequest {
  readonly numCircuits: number;
  readonly angles: Float64Array;
}

/** Whether a request has angles for the circuits of a batch. */
export function isBatch(request: CircuitRequest): request is BatchRunRequest {
  return request.angles !== undefined;
}

/** A run that the scheduler places. */
export interface ScheduledRun {
  /** Unique among the runs that wait or run. */
  readonly id: string;
  /** The processor it was sent to. */
  readonly processor: string;
  /** The API key whose run it is. */
  readonly key: string;
  /** 0 to 5, as `levelOf` gives it; 0 goes first. */
  readonly level: number;
  readonly mayRunOn: MayRunOn;
  readonly precision: Precision;
  readonly work: RunWork;
  /** Whether it takes a place on devices of the fleet. */
  readonly needsDevice: boolean;
  /** Lanes that could not finish it. */
  readonly failedOn: ReadonlySet<LaneId>;
}

/** The facts that estimates of run times are made from. */
export interface RunWork {
  /**
   * Qubits of the state that a run holds; a density matrix is a state of twice the qubits of its circuit. For the
   * methods whose states do not have 2^n amplitudes, qubits of the smallest state vector that takes no less memory.
   */
  readonly numQubits: number;
  readonly numOperations: number;
  /** Cost of all gates by the compiler's cost model, for 2^26 amplitudes. */
  readonly gateCost: number;
  /** Whether shots may branch before the end, so that the number of states is not known. */
  readonly isBranching: boolean;
  readonly shots: number;
  /** Exact outputs that need trips of their own through the state. */
  readonly numReadouts: number;
  /** Circuits of a batch run, each of this work. Absent for one circuit. */
  readonly numCircuits?: number;
  /**
   * Part of the circuits of a batch run, 0 to 1, whose counts an adapter is expected to leave to double precision. It
   * runs these again on a thread of the CPU.
   */
  readonly undecided?: number;
  /** Absent for a run on one state. */
  readonly method?: Exclude<RunMethod, 'statevector'>;
  /** Present for trajectories. */
  readonly trajectories?: TrajectoryWork;
  /**
   * Milliseconds of one circuit on a thread of the machine of the cost model, where its method has figures of its own, and
   * for gradients.
   */
  readonly methodMs?: number;
  /** Present where errors are counted; not all decoders take equally long. */
  readonly decoder?: DecoderChoice;
  /** Present for a run that asks for gradients. */
  readonly hasGradients?: true;
}

/** Expected trajectories of a run. */
export interface TrajectoryWork {
  /** Different ones. */
  readonly numStates: number;
  /** Evolutions of the whole circuit that these take together. */
  readonly numEvolutions: number;
  /** Whether norms of states are computed on the way. */
  readonly needsNorms: boolean;
}

/** States that a run is taken to hold whose shots branch at measurements. */
export const BRANCHES = 8;

/** The part of the work that the circuit decides; the request decides the rest. */
export interface CircuitWork extends Pick<RunWork, 'numOperations' | 'gateCost' | 'isBranching'> {
  /** Qubits of the circuit. */
  readonly numQubits: number;
  /** Absent for a circuit without noise. */
  readonly noise?: NoiseOdds;
  /** Set for a circuit with snapshots. */
  readonly hasSaves?: true;
}

/** Work of circuits that are on their way; admission and queue both ask for it. */
const known = new WeakMap<DynamicCircuit, CircuitWork>();

/** The work of a circuit. */
export function circuitWork(circuit: DynamicCircuit): CircuitWork {
  let work = known.get(circuit);
  if (work === undefined) {
    work = {
      numQubits: circuit.numQubits,
      numOperations: numOperationsOf(circuit),
      gateCost: circuitCost(circuit),
      isBranching: hasMidCircuitMeasurement(withoutNoise(circuit)),
      ...(isNoisy(circuit) && { noise: noiseOdds(circuit) }),
      ...(savesOf(circuit).length > 0 && { hasSaves: true as const }),
    };
    known.set(circuit, work);
  }
  return work;
}

/** Notes the work of a circuit whose operations nobody has read yet. */
export function noteWork(circuit: DynamicCircuit, work: CircuitWork): void {
  known.set(circuit, work);
}

/** Method of a run. */
export function methodOf(
  { noise }: Pick<CircuitWork, 'noise'>,
  { method }: Pick<CircuitRequest, 'method'>,
): RunMethod {
  return method ?? (noise === undefined ? 'statevector' : 'trajectories');
}

/**
 * Qubits of the state that a run holds. A gradient holds two states as one of one qubit more; that of a density matrix
 * follows from shifted circuits.
 */
export function widthOfRun(
  circuit: Pick<CircuitWork, 'numQubits' | 'noise'>,
  request: MethodRequest & Pick<CircuitRequest, 'gradients'>,
): number {
  const method = methodOf(circuit, request);
  switch (method) {
    case 'statevector':
      return circuit.numQubits + (request.gradients === true ? 1 : 0);
    case 'trajectories':
      return circuit.numQubits;
    case 'density_matrix':
      return 2 * circuit.numQubits;
    case 'stabilizer':
    case 'matrix_product_state':
    case 'matrix_product_trajectories':
    case 'sparse':
    case 'pauli_propagation':
      return widthOfBytes(figuresOf(method, request).bytes);
  }
}

/** Bytes of an amplitude in double precision. */
const AMPLITUDE_BYTES = 16;

/** Qubits of the smallest state vector in double precision that takes no less memory; at least 1. */
function widthOfBytes(bytes: number): number {
  return Math.max(1, Math.ceil(Math.log2(bytes / AMPLITUDE_BYTES)));
}

function figuresOf(method: RunMethod, { figures }: MethodRequest): MethodFigures {
  if (figures === undefined) throw new Error(`unreachable: a run by ${method} without figures`);
  return figures;
}

/** The work of a run. */
export function runWork(circuit: CircuitWork, request: CircuitRequest): RunWork {
  const shots = shotsOf(request);
  const work = workByMethod(circuit, request, shots);
  const run = { ...work, shots, numReadouts: numReadoutsOf(request) };
  if (!isBatch(request)) return run;
  const isExact = work.method === undefined && shots > 0 && isNarrow(circuit.numQubits);
  const isDerived = request.gradients === true && work.method === undefined;
  return {
    ...run,
    numCircuits: request.numCircuits,
    ...(isDerived && { methodMs: gradientMsOf(circuit, request), hasGradients: true as const }),
    ...(isExact && { undecided: expectedUndecided(circuit, shots) }),
  };
}

/** Shots that a run draws itself, for each of its circuits. */
function shotsOf({ shots = 0, shotRange }: CircuitRequest): number {
  return shotRange === undefined ? shots : shotRange.to - shotRange.from;
}

/** Work of evolving by a method. */
function workByMethod(
  circuit: CircuitWork,
  request: CircuitRequest,
  shots: number,
): Omit<RunWork, 'shots' | 'numReadouts'> {
  const { noise, hasSaves: _, ...ofCircuit } = circuit;
  const work = { ...ofCircuit, numQubits: widthOfRun(circuit, request) };
  const method = methodOf(circuit, request);
  switch (method) {
    case 'statevector':
      return work;
    case 'trajectories':
      return { ...work, method, trajectories: trajectoryWork(circuit, shots) };
    case 'density_matrix':
      // Each gate acts on the rows and on the columns.
      return { ...work, method, gateCost: 2 * work.gateCost };
    case 'stabilizer':
    case 'matrix_product_state':
    case 'matrix_product_trajectories':
    case 'sparse':
    case 'pauli_propagation': {
      const { ms, msPerShot } = figuresOf(method, request);
      const { decoder } = request.errorCounting ?? {};
      const decodingMs = decoder === undefined ? 0 : decodingMsOf(noise, decoder);
      return {
        ...work,
        method,
        methodMs: ms + shots * (msPerShot + decodingMs),
        ...(decoder !== undefined && { decoder }),
      };
    }
  }
}

/**
 * Milliseconds of decoding a shot, for each of its errors: fitted to processor times of repetition and surface codes of
 * distances 3 to 7 with errors of 0.1 to 0.8 % (`bench/estimates.ts`). Denser errors take longer each.
 */
const DECODING_MS: Readonly<Record<DecoderChoice, number>> = {
  matching: 7e-4,
  union_find: 1.2e-3,
  // By surface and colour codes of distance 5: more for longer distances, less for shorter ones.
  bp_osd: 8e-2,
  lookup: 1e-4,
  none: 0,
};

const decodingMsOf = (noise: NoiseOdds | undefined, decoder: DecoderChoice): number =>
  (noise?.numFaults ?? 0) * DECODING_MS[decoder];

/** Milliseconds of a circuit with its gradients: by the adjoint method, or by shifted circuits where these are narrow. */
function gradientMsOf(circuit: CircuitWork, request: BatchRunRequest): number {
  const { observables = [], formulas, gradientInputs } = request;
  const openAngles =
    formulas === undefined
      ? circuit.numOperations
      : dependentAngles(formulas, gradientInputs).reduce((sum, isOpen) => sum + isOpen, 0);
  const { byShifts, adjoint } = gradientMs({ ...circuit, observables }, 2 * openAngles);
  return isNarrow(circuit.numQubits) ? Math.min(byShifts, adjoint) : adjoint;
}

function trajectoryWork({ noise, isBranching }: CircuitWork, shots: number): TrajectoryWork {
  const { sites, needsNorms } = noise ?? { sites: [], needsNorms: false };
  // Shots with the same errors may part at measurements.
  const branches = isBranching ? BRANCHES : 1;
  const most = (count: number) => Math.max(1, Math.min(shots, branches * count));
  return {
    numStates: most(expectedTrajectories(sites, shots)),
    numEvolutions: most(expectedEvolutions(sites, shots)),
    needsNorms,
  };
}

/**
 * Trips through the state for all exact outputs: one for each set of flipped qubits of observables, and three for its
 * variance, which reads the state and writes another; one for any other output.
 */
function numReadoutsOf(request: RequestedOutputs): number {
  const { observables = [], variances = false } = request;
  const others = askedFields(request).filter((field) => !OF_OBSERVABLES.has(field));
  return others.length + (variances ? 3 : 1) * numFlipPatterns(observables);
}

const OF_OBSERVABLES: ReadonlySet<keyof RequestedOutputs> = new Set([
  'observables',
  'variances',
  'gradients',
]);
