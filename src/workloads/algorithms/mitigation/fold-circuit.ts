/**
 * Global unitary folding: U becomes U (U†U)^n, which is U without noise and has about 2n + 1 times the noise. Scale
 * factors between odd numbers fold the last gates of U once more.
 *
 * @see Giurgica-Tiron, Hindy, LaRose, Mari, Zeng, "Digital zero noise extrapolation for quantum error mitigation"
 *   (2020), section II A.
 */
import {
  type Circuit,
  type GateOperation,
  type Operation,
  type UnitaryOperation,
  withoutMeasurements,
} from '../../../circuit/circuit.ts';
import { namesOfGate } from '../../../circuit/noise/gate-pattern.ts';
import type { NoiseModel } from '../../../circuit/noise/read-noise-model.ts';
import { inverseOperation } from '../../../circuit/operation-matrix.ts';

/** A folded circuit, without measurements. */
export interface FoldedCircuit {
  readonly circuit: Circuit;
  /** Gates divided by those of the circuit; near the factor that was asked for. */
  readonly scaleFactor: number;
  readonly numGates: number;
}

/** Number of a circuit's gates, which folding repeats. */
export function numGatesOf({ operations }: Circuit): number {
  return operations.filter(isGate).length;
}

/** Number of gates that folding by a factor folds: those of all full folds, then those at the end. */
function foldsOf(numGates: number, scaleFactor: number) {
  const folds = Math.round((numGates * (scaleFactor - 1)) / 2);
  return { full: Math.floor(folds / numGates), partial: folds % numGates };
}

/** Scale factor that folding to about `scaleFactor` gives. */
export function foldedScale(numGates: number, scaleFactor: number): number {
  const { full, partial } = foldsOf(numGates, scaleFactor);
  return 1 + 2 * full + (2 * partial) / numGates;
}

/**
 * Folds the gates of a circuit.
 *
 * @param circuit - At least one gate. Its measurements come last and are left out; nothing is reset or conditioned.
 * @param scaleFactor - At least 1.
 */
export function foldGlobally(circuit: Circuit, scaleFactor: number): FoldedCircuit {
  const unfolded = withoutMeasurements(circuit);
  const { operations } = unfolded;
  const numGates = numGatesOf(unfolded);
  const { full, partial } = foldsOf(numGates, scaleFactor);
  const inverse = inverted(operations);
  const folded = [operations];
  for (let i = 0; i < full; i++) folded.push(inverse, operations);
  if (partial > 0) {
    const last = operations.slice(startOfLast(operations, partial));
    folded.push(inverted(last), last);
  }
  return {
    circuit: { ...unfolded, operations: folded.flat() },
    scaleFactor: foldedScale(numGates, scaleFactor),
    numGates: numGates * (1 + 2 * full) + 2 * partial,
  };
}

function isGate(operation: Operation): operation is GateOperation | UnitaryOperation {
  return operation.kind === 'gate' || operation.kind === 'unitary';
}

/** Gates inverted, last first; barriers stay between them. */
function inverted(operations: readonly Operation[]): readonly Operation[] {
  return operations.toReversed().map((each) => (isGate(each) ? inverseOperation(each) : each));
}

/** Index of the first of the last `count` gates. */
function startOfLast(operations: readonly Operation[], count: number): number {
  let left = count;
  let at = operations.length;
  while (left > 0) if (isGate(operations[--at]!)) left--;
  return at;
}

/**
 * The model with the noise of each gate of a circuit for its inverse, too: folding adds SDG to a circuit of S, whose
 * model may not name it. Gates that the circuit has itself keep their own noise.
 */
export function withNoiseOfInverses(model: NoiseModel, { operations }: Circuit): NoiseModel {
  const gates = operations.filter(isGate);
  const written = new Set(gates.map((gate) => namesOfGate(gate)[0]!));
  const inverseOf = new Map(
    gates.map((gate) => [namesOfGate(gate)[0]!, namesOfGate(inverseOperation(gate))[0]!]),
  );
  const added = [...inverseOf].filter(([, inverse]) => !written.has(inverse));
  if (added.length === 0) return model;
  return {
    ...model,
    gates: model.gates.map((rule) => ({
      ...rule,
      channelFor: rule.channelFor.bind(rule),
      names: new Set([
        ...rule.names,
        ...added.filter(([name]) => rule.names.has(name)).map(([, inverse]) => inverse),
      ]),
    })),
    idle: model.idle.map((rule) => {
      const durations = new Map(rule.durations);
      for (const [name, inverse] of added) {
        const duration = rule.durations.get(name);
        if (duration !== undefined && !durations.has(inverse)) durations.set(inverse, duration);
      }
      return { ...rule, durations };
    }),
  };
}
