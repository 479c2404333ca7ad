/** Classification requests: limits and validation. */
import type { Fault } from '../../../errors/coded-error.ts';
import type { ParametricCircuit } from '../../algorithms/training/parametric-circuit.ts';
import { InvalidInferenceError } from '../../errors.ts';
import { QNN_HYBRID_ID } from './model-id.ts';
import { GHZ_REUPLOADING, NUM_FEATURES } from './reuploading-ansatz.ts';

/** Limits of a request; those of qubits and layers apply to circuits of callers' own. */
export const INFERENCE_LIMITS = {
  maxRows: 256,
  maxShots: 8192,
  maxQubits: 12,
  maxLayers: 8,
  /** Largest measured length, centimetres. */
  maxLength: 100,
} as const;

/** Number of parameters of the largest circuit of a caller's own. */
export const MAX_THETA_LENGTH =
  GHZ_REUPLOADING.parametersPerQubit * INFERENCE_LIMITS.maxQubits * INFERENCE_LIMITS.maxLayers;

/** A caller's own circuit of the family `ghz-reuploading`. */
export interface OwnCircuit {
  /** Three per qubit and layer; their count determines the number of layers. */
  readonly theta: readonly number[];
  /** 4 unless given. */
  readonly numQubits?: number;
  /** Decision threshold in [−1, 1]: class 1 above it; 0 unless given. */
  readonly threshold?: number;
}

/** Rows to classify. */
export interface ClassificationRequest {
  /** Rows of four numbers: centimetres, or with a circuit of the caller's own values in [−1, 1]. */
  readonly rows: readonly (readonly number[])[];
  /** Path of row k in the request body: `input`, `inputs[3]`. */
  readonly pathOf: (row: number) => string;
  readonly own?: OwnCircuit;
  /** Number of shots; the model card's number unless given. */
  readonly shots?: number;
  /** Path of the shots in the request body; `shots` unless given. */
  readonly shotsPath?: string;
  /** Integer in [0, 2^53 − 1]; row k is drawn with `seed` + k. */
  readonly seed: number;
}

/**
 * Circuits of callers' own by width and depth, one object per shape, so that shapes compare by identity.
 */
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
 * Validates a request.
 *
 * @throws {InvalidInferenceError} naming every fault; the first 20 are kept.
 */
export function checkClassification(request: ClassificationRequest): void {
  const { rows, pathOf, own, shots, shotsPath = 'shots' } = request;
  const faults = [
    ...faultsOfShots(shots, shotsPath),
    ...(own ? faultsOfOwnCircuit(own) : []),
    ...faultsOfRows(rows, pathOf, own ? 'scaled' : 'centimetres'),
  ];
  if (faults.length > 0) throw new InvalidInferenceError(QNN_HYBRID_ID, faults);
}

/** A value of a request; null if it could not be parsed, which is reported elsewhere. */
export type Readable<T> = T | null;
/** Values of a row; null if they could not be parsed. */
export type RowKind = Readable<'scaled' | 'centimetres'>;

/** A caller's own circuit, with null for values that could not be parsed. */
export interface ReadableOwnCircuit {
  readonly theta: Readable<readonly Readable<number>[]>;
  readonly numQubits?: Readable<number> | undefined;
  readonly threshold?: Readable<number> | undefined;
}

/** Whether the number of shots is accepted; undefined if none is given. */
export function faultsOfShots(shots: Readable<number> | undefined, path: string): readonly Fault[] {
  const { maxShots } = INFERENCE_LIMITS;
  if (shots === undefined || shots === null || isWhole(shots, 1, maxShots)) return [];
  return [{ path, message: `must be a whole number from 1 to ${maxShots}, not ${shots}.` }];
}

/** Faults of the rows, and of their number. */
export function faultsOfRows(
  rows: readonly Readable<readonly Readable<number>[]>[],
  pathOf: (row: number) => string,
  kind: RowKind,
): readonly Fault[] {
  const { maxRows } = INFERENCE_LIMITS;
  const faults: Fault[] = [];
  if (rows.length < 1 || rows.length > maxRows) {
    const message = `has ${rows.length} rows; one inference takes 1 to ${maxRows}.`;
    faults.push({ path: 'inputs', message });
  }
  // At most as many rows as a request may have, and all of those, so that the number of faults is exact.
  for (const [i, row] of rows.slice(0, maxRows).entries()) {
    if (row !== null) faults.push(...faultsOfRow(row, pathOf(i), kind));
  }
  return faults;
}

function faultsOfRow(
  row: readonly Readable<number>[],
  path: string,
  kind: RowKind,
): readonly Fault[] {
  if (row.length !== NUM_FEATURES) {
    return [{ path, message: `has ${row.length} values; it takes ${NUM_FEATURES}.` }];
  }
  const { maxLength } = INFERENCE_LIMITS;
  return row.flatMap((value, f) => {
    if (value === null || kind === null) return [];
    const place = `${path}[${f}]`;
    if (kind === 'scaled') {
      // The negated comparison refuses NaN, too.
      if (value >= -1 && value <= 1) return [];
      const message = `must be from -1 to 1, not ${value}: with parameters.theta the deployed scaler is not applied.`;
      return [{ path: place, message }];
    }
    if (value > 0 && value <= maxLength) return [];
    const message = `must be a length of a flower, above 0 and at most ${maxLength} cm, not ${value}.`;
    return [{ path: place, message }];
  });
}

/** Faults of a caller's own circuit. */
export function faultsOfOwnCircuit({
  theta,
  numQubits = NUM_FEATURES,
  threshold = 0,
}: ReadableOwnCircuit): readonly Fault[] {
  const { maxQubits } = INFERENCE_LIMITS;
  const faults: Fault[] = [];
  if (numQubits !== null && !isWhole(numQubits, 1, maxQubits)) {
    const message = `must be a whole number from 1 to ${maxQubits}, the most qubits of a custom circuit, not ${numQubits}.`;
    faults.push({ path: 'parameters.qubits', message });
  } else if (numQubits !== null && theta !== null) {
    faults.push(...faultsOfCount(theta.length, numQubits));
  }
  faults.push(...faultsOfAngles(theta ?? []));
  if (threshold !== null && !(threshold >= -1 && threshold <= 1)) {
    faults.push({
      path: 'parameters.threshold',
      message: `must be from -1 to 1, not ${threshold}.`,
    });
  }
  return faults;
}

function faultsOfCount(numParameters: number, numQubits: number): readonly Fault[] {
  const { maxLayers } = INFERENCE_LIMITS;
  const perLayer = GHZ_REUPLOADING.parametersPerQubit * numQubits;
  if (isWhole(numParameters / perLayer, 1, maxLayers)) return [];
  const counts = Array.from({ length: maxLayers }, (_, layer) => (layer + 1) * perLayer);
  const message = `has ${numParameters} numbers; a circuit of ${numQubits} qubits takes ${perLayer} a layer and at most ${maxLayers} layers: ${counts.join(', ')}.`;
  return [{ path: 'parameters.theta', message }];
}

/** Faults of the first MAX_THETA_LENGTH angles; `faultsOfCount` reports an excess. */
function faultsOfAngles(theta: readonly Readable<number>[]): readonly Fault[] {
  return theta.slice(0, MAX_THETA_LENGTH).flatMap((angle, i) => {
    // Twice, because an angle w·x + b is at most the sum of two of them.
    if (angle === null || Number.isFinite(2 * angle)) return [];
    const message = `must be a finite number below 1e308, not ${angle}.`;
    return [{ path: `parameters.theta[${i}]`, message }];
  });
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
