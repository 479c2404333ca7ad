/**
 * Runs the circuits of procedures as programs of a batch: a program is a circuit, or a circuit with inputs at many
 * points. Points that run the same gates run together.
 */
import type { AngleFormulas } from '../../circuit/angle-formulas.ts';
import type { Circuit } from '../../circuit/circuit.ts';
import { type InputColumns, inputColumns, inputRows } from '../../circuit/input-columns.ts';
import { countsOfRow, type RunOutputs } from '../../fleet/run-outputs.ts';
import type { CircuitRequest } from '../../fleet/schedule/scheduled-run.ts';
import { basisLabel, outcomeLabel } from '../../math/basis-index.ts';
import { uniformDraw } from '../../math/philox.ts';
import type { JsonObject } from '../procedures/json.ts';
import type { ProcedureContext } from '../procedures/procedure-context.ts';

/** Points of a program that run the same gates. */
export interface PointGroup {
  /** The circuit at the first of them. */
  readonly circuit: Circuit;
  /** Formulas of its angles in the inputs; absent for a circuit without inputs. */
  readonly formulas?: AngleFormulas;
  /** Numbers of the points, ascending; all of the program unless given. */
  readonly points?: Uint32Array | undefined;
}

/** A program and its outputs. */
export interface PointProgram {
  readonly groups: readonly PointGroup[];
  readonly inputs: InputColumns;
  readonly outputs: Pick<CircuitRequest, 'shots' | 'statevector' | 'probabilities' | 'observables'>;
  /** Seed of each point. */
  readonly seedOf: (point: number) => number;
}

/** Requested outputs of one point. */
export interface PointOutcome {
  readonly expectations?: readonly number[];
  /** By label of the classical register, bit 0 rightmost. */
  readonly counts?: JsonObject;
  /** By value of the register; length 2^numBits. */
  readonly probabilities?: Float64Array;
  /** Interleaved re, im. */
  readonly statevector?: Float64Array;
}

type RunContext = Pick<ProcedureContext, 'circuits' | 'countUnits' | 'signal'>;

/** Largest number of entries in the states or distributions of the points that run together. */
const MAX_NUMBERS = 2 ** 20;
const MAX_POINTS = 1024;

/**
 * Runs a program.
 *
 * @param onProgress - Called now and then with the number of points done.
 * @throws the signal's reason once it aborts; the errors of running circuits.
 */
export async function runPoints(
  { groups, inputs, outputs, seedOf }: PointProgram,
  { circuits, countUnits, signal }: RunContext,
  onProgress: (numDone: number) => void = () => {},
): Promise<readonly PointOutcome[]> {
  const outcomes = new Array<PointOutcome>(inputs.numPoints);
  let numDone = 0;
  for (const { circuit, formulas, points } of groups) {
    const { numQubits, numBits } = circuit;
    const numOwn = points?.length ?? inputs.numPoints;
    const together = Math.floor(MAX_NUMBERS / 2 ** Math.max(numQubits - 4, numBits));
    const size = Math.max(1, Math.min(MAX_POINTS, together));
    for (let from = 0; from < numOwn; from += size) {
      signal.throwIfAborted();
      const to = Math.min(numOwn, from + size);
      const own = Array.from({ length: to - from }, (_, i) => points?.[from + i] ?? from + i);
      if (formulas === undefined && own.length > 1) {
        throw new Error('unreachable: many points of a circuit without inputs');
      }
      const seeds = own.map(seedOf);
      const angles = inputRows(inputs, points, from, to);
      const found = await circuits.run(circuit, {
        ...outputs,
        ...(formulas === undefined
          ? { seed: seeds[0]! }
          : { numCircuits: own.length, angles, formulas, seeds }),
      });
      for (const [i, point] of own.entries()) {
        outcomes[point] = outcomeOf(found, i, own.length, numBits, outputs);
      }
      countUnits(own.length);
      numDone += own.length;
      onProgress(numDone);
    }
  }
  return outcomes;
}

/** Runs a circuit by itself, as `runPoints`. */
export async function runCircuit(
  circuit: Circuit,
  { seed, ...outputs }: PointProgram['outputs'] & { readonly seed: number },
  context: RunContext,
): Promise<PointOutcome> {
  const inputs = inputColumns({});
  const program = { groups: [{ circuit }], inputs, outputs, seedOf: () => seed };
  const [outcome] = await runPoints(program, context);
  if (outcome === undefined) throw new Error('unreachable: a program without points');
  return outcome;
}

/** Separates seeds of circuits from other draws with the same seed. */
const CIRCUIT_SEEDS = 0xc19c;

/** Seed of point or circuit `index` of a procedure with a seed. */
export function circuitSeed(seed: number, index: number): number {
  return Math.floor(uniformDraw(seed, index, CIRCUIT_SEEDS, 0) * 2 ** 52);
}

function outcomeOf(
  run: RunOutputs,
  k: number,
  numRows: number,
  numBits: number,
  { shots = 0 }: CircuitRequest,
): PointOutcome {
  const rowOf = (column: Float64Array) => {
    const length = column.length / numRows;
    return column.slice(k * length, (k + 1) * length);
  };
  const { expectations, probabilities, statevectors } = run;
  return {
    ...(expectations && { expectations: [...rowOf(expectations)] }),
    ...(shots > 0 && { counts: countsView(run, k, numBits) }),
    ...(probabilities && { probabilities: rowOf(probabilities) }),
    ...(statevectors && { statevector: rowOf(statevectors) }),
  };
}

function countsView(run: RunOutputs, k: number, numBits: number): JsonObject {
  const { wordsPerOutcome, outcomes, occurrences } = countsOfRow(run, k, numBits);
  return Object.fromEntries(
    Array.from(occurrences, (occurrence, i) => [
      outcomeLabel(outcomes, i * wordsPerOutcome, wordsPerOutcome, numBits),
      occurrence,
    ]),
  );
}

/** Smaller probabilities are rounding errors. */
const NEGLIGIBLE = 1e-12;

/**
 * Probabilities by label.
 *
 * @param probabilities - Its length is a power of two.
 * @param least - Smaller ones are left out.
 */
export function distributionView(probabilities: Float64Array, least = NEGLIGIBLE): JsonObject {
  const numBits = Math.round(Math.log2(probabilities.length));
  const entries: [string, number][] = [];
  for (const [outcome, probability] of probabilities.entries()) {
    if (probability >= least) entries.push([basisLabel(outcome, numBits), probability]);
  }
  return Object.fromEntries(entries);
}

/** Widest state of which several are computed at the same time. More qubits use all threads anyway. */
const MAX_PARALLEL_QUBITS = 16;

/**
 * Runs all items at the same time where their states are narrow, otherwise one after the other.
 *
 * @param numQubits - Of the widest state.
 */
export async function inTurns<Item, Result>(
  numQubits: number,
  items: readonly Item[],
  run: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  if (numQubits <= MAX_PARALLEL_QUBITS) return await Promise.all(items.map(run));
  const results: Result[] = [];
  for (const [i, item] of items.entries()) results.push(await run(item, i));
  return results;
}
