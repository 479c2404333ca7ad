/** What a caller may ask of the classifier: its limits, and what becomes of a request within them. */
import type { Fault } from '../../../errors/coded-error.ts';
import { InvalidInferenceError } from '../../errors.ts';
import type { ParametricCircuit } from '../../training/parametric-circuit.ts';
import { GHZ_REUPLOADING, NUM_FEATURES } from './ansatz.ts';
import { QNN_HYBRID_ID } from './build-artefact.ts';

/** Limits of a request; those of qubits and layers are for circuits of callers' own. */
export const INFERENCE_LIMITS = {
  maxRows: 256,
  maxShots: 8192,
  maxQubits: 12,
  maxLayers: 8,
  /** Of a measured length, centimetres. */
  maxLength: 100,
} as const;

/** A caller's own circuit of the family `ghz-reuploading`. */
export interface OwnCircuit {
  /** 3 a qubit and layer; their number decides the layers. */
  readonly theta: readonly number[];
  /** 4 unless given. */
  readonly numQubits?: number;
  /** In [−1, 1]; class 1 above it, 0 unless given. */
  readonly threshold?: number;
}

/** Rows to classify. */
export interface ClassificationRequest {
  /** Four numbers each: centimetres, or with a circuit of the caller's own in [−1, 1]. */
  readonly rows: readonly (readonly number[])[];
  /** Where row k stands in what the caller sent: `input`, `inputs[3]`. */
  readonly pathOf: (row: number) => string;
  readonly own?: OwnCircuit;
  /** The card's number unless given. */
  readonly shots?: number;
  /** Where shots stand in what the caller sent; `shots` unless given. */
  readonly shotsPath?: string;
  /** Integer in [0, 2^53 − 1]; row k is drawn with `seed` + k. */
  readonly seed: number;
}

/** The circuits of callers, by width and depth: one object each, so that shapes are told apart fast. */
const ownCircuits = new Map<string, ParametricCircuit>();

/** The caller's circuit. */
export function ownCircuitOf({ theta, numQubits = NUM_FEATURES }: OwnCircuit): {
  readonly circuit: ParametricCircuit;
  readonly numLayers: number;
} {
  const numLayers = theta.length / (GHZ_REUPLOADING.parametersPerQubit * numQubits);
  const key = `${numQubits}x${numLayers}`;
  const circuit = ownCircuits.get(key) ?? GHZ_REUPLOADING.build({ numQubits, numLayers });
  ownCircuits.set(key, circuit);
  return { circuit, numLayers };
}

/**
 * Refuses what breaks a limit.
 *
 * @throws {InvalidInferenceError} naming every fault, the first 20 of them kept.
 */
export function checkClassification(request: ClassificationRequest): void {
  const faults = faultsOfClassification(request);
  if (faults.length > 0) throw new InvalidInferenceError(QNN_HYBRID_ID, faults);
}

/** Every limit that is broken; of rows the first ones, as far as an answer has room. */
export function faultsOfClassification(request: ClassificationRequest): readonly Fault[] {
  const { rows, pathOf, own, shots, shotsPath = 'shots' } = request;
  const faults: Fault[] = [...faultsOfShots(shots, shotsPath), ...(own ? faultsOfOwn(own) : [])];
  if (rows.length < 1 || rows.length > INFERENCE_LIMITS.maxRows) {
    const message = `has ${rows.length} rows; one inference takes 1 to ${INFERENCE_LIMITS.maxRows}.`;
    faults.push({ path: 'inputs', message });
  }
  // As many rows as are taken at most, and all of those, so that the number of faults is true.
  for (const [i, row] of rows.slice(0, INFERENCE_LIMITS.maxRows).entries()) {
    faults.push(...faultsOfRow(row, pathOf(i), own !== undefined));
  }
  return faults;
}

function faultsOfShots(shots: number | undefined, path: string): readonly Fault[] {
  const { maxShots } = INFERENCE_LIMITS;
  if (shots === undefined || isWhole(shots, 1, maxShots)) return [];
  return [{ path, message: `${shots} is not a whole number from 1 to ${maxShots}.` }];
}

function faultsOfRow(row: readonly number[], path: string, isScaled: boolean): readonly Fault[] {
  if (row.length !== NUM_FEATURES) {
    return [{ path, message: `has ${row.length} values; it takes ${NUM_FEATURES}.` }];
  }
  const { maxLength } = INFERENCE_LIMITS;
  return row.flatMap((value, f) => {
    const place = `${path}[${f}]`;
    if (isScaled) {
      // Written so that NaN is refused too.
      if (value >= -1 && value <= 1) return [];
      const message = `${value} is not in [-1, 1]; with parameters.theta the deployed scaler is not applied.`;
      return [{ path: place, message }];
    }
    if (value > 0 && value <= maxLength) return [];
    const message = `${value} is no length of a flower: it must be above 0 and at most ${maxLength} cm.`;
    return [{ path: place, message }];
  });
}

function faultsOfOwn({
  theta,
  numQubits = NUM_FEATURES,
  threshold = 0,
}: OwnCircuit): readonly Fault[] {
  const { maxQubits, maxLayers } = INFERENCE_LIMITS;
  const faults: Fault[] = [];
  if (!isWhole(numQubits, 1, maxQubits)) {
    const message = `${numQubits} is not a whole number from 1 to ${maxQubits}, the most qubits of a custom circuit.`;
    faults.push({ path: 'parameters.qubits', message });
  } else {
    const perLayer = GHZ_REUPLOADING.parametersPerQubit * numQubits;
    const numLayers = theta.length / perLayer;
    if (!isWhole(numLayers, 1, maxLayers)) {
      const counts = Array.from({ length: maxLayers }, (_, layer) => (layer + 1) * perLayer);
      const message = `has ${theta.length} numbers; a circuit of ${numQubits} qubits takes ${perLayer} a layer and at most ${maxLayers} layers: ${counts.join(', ')}.`;
      faults.push({ path: 'parameters.theta', message });
    }
  }
  // Twice, because an angle w·x + b is at most the sum of two of them.
  const wrong = theta.findIndex((angle) => !Number.isFinite(2 * angle));
  if (wrong >= 0) {
    const message = `${theta[wrong]} is not a finite number, or too large for an angle.`;
    faults.push({ path: `parameters.theta[${wrong}]`, message });
  }
  if (!(threshold >= -1 && threshold <= 1)) {
    faults.push({ path: 'parameters.threshold', message: `${threshold} is not in [-1, 1].` });
  }
  return faults;
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
