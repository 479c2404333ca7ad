/**
 * Runs many circuits in few batches: circuits of one shape go together. A circuit that no batch takes
 * (more than 12 qubits, or anything after a measurement) runs on its own, a few at a time.
 *
 * Circuits are generated on demand, window by window, so that ten thousand of them are never in memory at
 * once.
 */
import { type Circuit, hasMidCircuitMeasurement, type Operation } from '../../circuit/circuit.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import { MAX_BATCH_QUBITS } from '../../engine/batch-request.ts';
import type { Counts, RunResult } from '../../engine/engine.ts';
import { countsOfRow, type RunOutputs } from '../../fleet/run-outputs.ts';
import { outcomeLabel } from '../../math/basis-index.ts';
import { uniformDraw } from '../../math/philox.ts';
import type { ProcedureContext } from '../procedures/procedure-context.ts';

/** Requested outputs of each circuit; the result has only these. */
export interface CircuitOutputs {
  /** Number of shots; none unless given. */
  readonly shots?: number;
  /** Seed; circuit k draws with a seed derived from this one and k. */
  readonly seed: number;
  /** Exact distribution over the classical bits. */
  readonly probabilities?: boolean;
  /** Exact expectation values. */
  readonly observables?: readonly PauliSum[];
}

/** Outputs of one circuit. */
export interface CircuitOutcome {
  readonly expectations?: readonly number[];
  /** Counts by label of the classical register, bit 0 rightmost. */
  readonly counts?: ReadonlyMap<string, number>;
  /** Probabilities by value of the register; length 2^numBits. */
  readonly probabilities?: Float64Array;
}

/** Generates the circuits by number, from 0. */
export interface CircuitSource {
  readonly numCircuits: number;
  readonly circuitAt: (index: number) => Circuit;
}

/** Most classical bits of a circuit whose counts or probabilities a batch returns. */
const MAX_BATCH_BITS = 16;
/** Circuits per window, grouped by shape. */
const MAX_WINDOW = 1024;
/** Largest number of entries in the distributions of one window. */
const MAX_WINDOW_NUMBERS = 2 ** 20;
/** Shapes kept: engines cache data of a shape by object identity. */
const MAX_SHAPES = 16;
/** Most single circuits in flight: one per thread, as far as they fit. */
const MAX_PARALLEL = 8;
/**
 * Circuits with more qubits run one at a time: each uses all threads anyway, and its distribution is
 * large.
 */
export const MAX_PARALLEL_QUBITS = 16;
/** Separates seeds of circuits from other draws with the same seed. */
const CIRCUIT_SEEDS = 0xc19c;

/**
 * Runs all circuits, window by window.
 *
 * @param onOutcome - Called once per circuit; within a window shape by shape.
 * @param onProgress - Called now and then with the number of circuits done.
 * @throws the signal's reason once it aborts; the errors of running circuits.
 */
export async function runCircuits(
  source: CircuitSource,
  outputs: CircuitOutputs,
  context: Pick<ProcedureContext, 'circuits' | 'countUnits' | 'signal'>,
  onOutcome: (index: number, outcome: CircuitOutcome) => void,
  onProgress: (numDone: number) => void = () => {},
): Promise<void> {
  const shapes: Circuit[] = [];
  for (let from = 0; from < source.numCircuits; ) {
    const window = nextWindow(source, from, shapes);
    for (const group of window.groups) {
      context.signal.throwIfAborted();
      await runGroup(group, outputs, context, onOutcome);
      context.countUnits(group.circuits.length);
    }
    from += window.numCircuits;
    onProgress(from);
  }
}

/** Seed of circuit `index`. */
export function circuitSeed(seed: number, index: number): number {
  return Math.floor(uniformDraw(seed, index, CIRCUIT_SEEDS, 0) * 2 ** 52);
}

/** Circuits of one shape, or without a shape the ones that no batch takes. */
interface ShapeGroup {
  readonly shape: Circuit | undefined;
  readonly circuits: Circuit[];
  readonly indices: number[];
}

function nextWindow(source: CircuitSource, from: number, shapes: Circuit[]) {
  const groups = new Map<Circuit | undefined, ShapeGroup>();
  let numbers = 0;
  let index = from;
  while (index < source.numCircuits && index - from < MAX_WINDOW && numbers < MAX_WINDOW_NUMBERS) {
    const circuit = source.circuitAt(index);
    const shape = fitsBatch(circuit) ? shapeOf(circuit, shapes) : undefined;
    const group = groups.get(shape) ?? { shape, circuits: [], indices: [] };
    groups.set(shape, group);
    group.circuits.push(circuit);
    group.indices.push(index);
    // Wide circuits count by their states, which makes progress more even.
    const ofState = 2 ** circuit.numQubits / 16;
    numbers += Math.max(ofState, 2 ** Math.min(circuit.numBits, MAX_BATCH_BITS));
    index++;
  }
  return { groups: groups.values(), numCircuits: index - from };
}

/** The known shape of the circuit, or the circuit itself as a new shape. */
function shapeOf(circuit: Circuit, shapes: Circuit[]): Circuit {
  const known = shapes.find((shape) => hasShape(circuit, shape));
  if (known !== undefined) return known;
  shapes.unshift(circuit);
  shapes.length = Math.min(shapes.length, MAX_SHAPES);
  return circuit;
}

/** Whether two circuits differ in nothing but angles. */
function hasShape(circuit: Circuit, shape: Circuit): boolean {
  if (circuit.numQubits !== shape.numQubits || circuit.numBits !== shape.numBits) return false;
  if (circuit.operations.length !== shape.operations.length) return false;
  return circuit.operations.every((operation, i) => isAlike(operation, shape.operations[i]!));
}

function isAlike(a: Operation, b: Operation): boolean {
  if (a === b) return true;
  // No batch takes conditions, so comparing them is useless.
  if ('condition' in a || 'condition' in b) return false;
  if (a.kind === 'gate' && b.kind === 'gate') {
    const isSameGate = a.gate === b.gate && a.angles.length === b.angles.length;
    return isSameGate && areEqual(a.controls, b.controls) && areEqual(a.targets, b.targets);
  }
  if (a.kind === 'unitary' && b.kind === 'unitary') {
    const isSamePlace = areEqual(a.controls, b.controls) && areEqual(a.targets, b.targets);
    return isSamePlace && areEqual(a.matrix, b.matrix);
  }
  if (a.kind === 'measure' && b.kind === 'measure') {
    return areEqual(a.qubits, b.qubits) && areEqual(a.bits, b.bits);
  }
  return a.kind === b.kind && a.kind === 'barrier';
}

function areEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Whether circuits of this shape can run as a batch. */
function fitsBatch(shape: Circuit): boolean {
  const isSmall = shape.numQubits <= MAX_BATCH_QUBITS && shape.numBits <= MAX_BATCH_BITS;
  return isSmall && !hasMidCircuitMeasurement(shape);
}

async function runGroup(
  { shape, circuits, indices }: ShapeGroup,
  outputs: CircuitOutputs,
  context: Pick<ProcedureContext, 'circuits' | 'signal'>,
  onOutcome: (index: number, outcome: CircuitOutcome) => void,
): Promise<void> {
  const { seed, ...asked } = outputs;
  if (shape !== undefined) {
    const angles = Float64Array.from(circuits.flatMap(anglesOfCircuit));
    const seeds = indices.map((index) => circuitSeed(seed, index));
    const request = { numCircuits: circuits.length, angles, seeds, ...asked };
    const result = await context.circuits.runBatch(shape, request);
    const numObservables = outputs.observables?.length ?? 0;
    for (const [i, index] of indices.entries()) {
      onOutcome(index, batchOutcome(result, i, shape, numObservables));
    }
    return;
  }
  const isNarrow = circuits.every(({ numQubits }) => numQubits <= MAX_PARALLEL_QUBITS);
  const atOnce = isNarrow ? MAX_PARALLEL : 1;
  for (let from = 0; from < circuits.length; from += atOnce) {
    context.signal.throwIfAborted();
    const some = circuits.slice(from, from + atOnce);
    const results = await Promise.all(
      some.map((circuit, i) => {
        const drawSeed = circuitSeed(seed, indices[from + i]!);
        return context.circuits.run(circuit, { ...asked, seed: drawSeed });
      }),
    );
    for (const [i, result] of results.entries()) {
      onOutcome(indices[from + i]!, runOutcome(result, outputs));
    }
  }
}

function anglesOfCircuit(circuit: Circuit): readonly number[] {
  return circuit.operations.flatMap((operation) =>
    operation.kind === 'gate' ? operation.angles : [],
  );
}

/** Outputs of circuit `i` of a batch. */
export function batchOutcome(
  batch: RunOutputs,
  i: number,
  { numBits }: Circuit,
  numObservables: number,
): CircuitOutcome {
  const { counts, countsByRow, probabilities, expectations } = batch;
  const [from, to] = [i * 2 ** numBits, (i + 1) * 2 ** numBits];
  const first = i * numObservables;
  return {
    ...((counts ?? countsByRow) && { counts: labelled(countsOfRow(batch, i, numBits)) }),
    ...(probabilities && { probabilities: probabilities.slice(from, to) }),
    ...(expectations && {
      expectations: [...expectations.subarray(first, first + numObservables)],
    }),
  };
}

function runOutcome(result: RunResult, { shots = 0 }: CircuitOutputs): CircuitOutcome {
  const { probabilities, expectations } = result;
  return {
    ...(shots > 0 && { counts: labelled(result.counts) }),
    ...(probabilities && { probabilities }),
    ...(expectations && { expectations }),
  };
}

function labelled(counts: Counts): ReadonlyMap<string, number> {
  const { numBits, wordsPerOutcome, outcomes, occurrences } = counts;
  const byLabel = new Map<string, number>();
  for (const [i, count] of occurrences.entries()) {
    const label = outcomeLabel(outcomes, i * wordsPerOutcome, wordsPerOutcome, numBits);
    byLabel.set(label, count);
  }
  return byLabel;
}
