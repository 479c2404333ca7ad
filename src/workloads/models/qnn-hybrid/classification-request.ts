/** Classification requests: their limits, and how a valid one is read. */
import type { Fault } from '../../../errors/coded-error.ts';
import type { ParametricCircuit } from '../../algorithms/training/parametric-circuit.ts';
import { InvalidInferenceError } from '../../errors.ts';
import { QNN_HYBRID_ID } from './model-id.ts';
import { GHZ_REUPLOADING, NUM_FEATURES } from './reuploading-ansatz.ts';

/** Limits of a request; those of qubits and layers are for circuits of callers' own. */
export const INFERENCE_LIMITS = {
  maxRows: 256,
  maxShots: 8192,
  maxQubits: 12,
  maxLayers: 8,
  /** Of a measured length, centimetres. */
  maxLength: 100,
} as const;

/** Numbers of the largest circuit of a caller's own. */
export const MAX_THETA_LENGTH =
  GHZ_REUPLOADING.parametersPerQubit * INFERENCE_LIMITS.maxQubits * INFERENCE_LIMITS.maxLayers;

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
  const { rows, pathOf, own, shots, shotsPath = 'shots' } = request;
  const faults = [
    ...faultsOfShots(shots, shotsPath),
    ...(own ? faultsOfOwnCircuit(own) : []),
    ...faultsOfRows(rows, pathOf, own ? 'scaled' : 'centimetres'),
  ];
  if (faults.length > 0) throw new InvalidInferenceError(QNN_HYBRID_ID, faults);
}

/** A value of a request; null where there is one that could not be read, which is told elsewhere. */
export type Readable<T> = T | null;
/** Values of a row; null if they could not be read. */
export type RowKind = Readable<'scaled' | 'centimetres'>;

/** A caller's own circuit as far as it could be read. */
export interface ReadableOwnCircuit {
  readonly theta: Readable<readonly Readable<number>[]>;
  readonly numQubits?: Readable<number> | undefined;
  readonly threshold?: Readable<number> | undefined;
}

/** Whether it is a number of shots that is taken; undefined where none is given. */
export function faultsOfShots(shots: Readable<number> | undefined, path: string): readonly Fault[] {
  const { maxShots } = INFERENCE_LIMITS;
  if (shots === undefined || shots === null || isWhole(shots, 1, maxShots)) return [];
  return [{ path, message: `must be a whole number from 1 to ${maxShots}, not ${shots}.` }];
}

/** Every limit that rows break, their number among them. */
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
  // As many rows as are taken at most, and all of those, so that the number of faults is true.
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
      // Written so that NaN is refused too.
      if (value >= -1 && value <= 1) return [];
      const message = `must be from -1 to 1, not ${value}: with parameters.theta the deployed scaler is not applied.`;
      return [{ path: place, message }];
    }
    if (value > 0 && value <= maxLength) return [];
    const message = `must be a length of a flower, above 0 and at most ${maxLength} cm, not ${value}.`;
    return [{ path: place, message }];
  });
}

/** Every limit that a caller's own circuit breaks. */
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

/** As many as are taken at most; that there are more is told by their number. */
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
