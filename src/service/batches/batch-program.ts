/** A program of a batch once it has been checked, and how much its answer holds. */
import type { Qubit } from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import { type FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { InputColumns } from '../../circuit/input-columns.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import type { ProgramWarning } from '../../circuit/openqasm/token-stream.ts';
import { givesMeans } from '../../circuit/outputs.ts';
import type { ChosenMethod } from '../circuits/check-method.ts';
import { isEstimated } from '../circuits/check-outputs.ts';
import {
  type AskedLabelFormat,
  labelLengthOf,
  numOutcomeBits,
} from '../circuits/outcome-labels.ts';
import type { PointGroup } from '../circuits/point-groups.ts';
import { numbersOfForm, type SavedForm } from '../circuits/saved-outputs.ts';
import {
  type ArrayFormat,
  type BatchOutput,
  MAX_COUNTS_BYTES,
  MAX_NUMBERS,
} from './batch-schema.ts';
import { countsLayout, packedCountsSize } from './packed-counts.ts';

/** Program that its target accepts, as plain data. */
export interface CheckedProgram extends ChosenMethod {
  readonly name?: string;
  readonly groups: readonly PointGroup[];
  readonly inputs: InputColumns;
  /** Same for all groups. */
  readonly numQubits: number;
  readonly numBits: number;
  /** Present if qubits may be lost, as in `CheckedGroups`. Counts then are labels, whatever the form of arrays. */
  readonly lossMarks?: readonly Bit[];
  /** The qubit measured into each classical bit; null for a bit that is never written. */
  readonly measuredQubits: readonly (Qubit | null)[];
  readonly outputs: readonly BatchOutput[];
  readonly observables: readonly PauliSum[];
  /** Present if its circuits have snapshots; the same at all points. */
  readonly saves?: readonly SavedForm[];
  /** Indices of the inputs that gradients are taken by, in the order of the answer. */
  readonly gradientInputs: readonly number[];
  /** Absent where all values are exact. */
  readonly shots?: number;
  /** Seed of its first point, where the program has one of its own. */
  readonly seed?: number;
  readonly arrayFormat: ArrayFormat;
  /** Form of the labels of counts; `automatic` where these are in base64. */
  readonly labelFormat: AskedLabelFormat;
  /** Bound on the error of product formulas at each point; absent where there are none. */
  readonly errorBounds?: Float64Array;
  readonly warnings: readonly ProgramWarning[];
}

/** Results of a program: the requested ones, and those that come with them. */
export type ResultName =
  | BatchOutput
  | 'standard_error'
  | 'truncation_error'
  | 'largest_bond'
  | 'saved';

/** Numbers of one result that a point has. */
export function numbersOf(program: CheckedProgram, output: ResultName): number {
  const { numQubits, numBits, observables, gradientInputs, saves = [] } = program;
  switch (output) {
    case 'counts':
      return 0;
    case 'probabilities':
      return 2 ** numBits;
    case 'expectation':
    case 'standard_error':
    case 'variance':
      return observables.length;
    case 'gradient':
      return observables.length * gradientInputs.length;
    case 'statevector':
      return 2 * 2 ** numQubits;
    case 'truncation_error':
    case 'largest_bond':
      return 1;
    case 'saved':
      return saves.reduce((sum, form) => sum + numbersOfForm(form), 0);
  }
}

/** Whether expectation values have standard errors. */
export function hasStandardErrors(
  program: Pick<CheckedProgram, 'shots' | 'outputs' | 'method'>,
): boolean {
  if (!program.outputs.includes('expectation')) return false;
  return givesMeans(program.method) || isEstimated(program);
}

/** Bytes of an entry of counts in JSON without its label and its number: quotes, colon and comma. */
const ENTRY_BYTES = 4;

/** Whether counts are arrays in base64, which have no place for a lost qubit. */
export const hasPackedCounts = ({
  arrayFormat,
  lossMarks,
}: Pick<CheckedProgram, 'arrayFormat' | 'lossMarks'>): boolean =>
  arrayFormat === 'base64' && lossMarks === undefined;

/** Bytes of the counts of a point with `numOutcomes` different outcomes, in the form of the answer. */
function countsSize(program: CheckedProgram, numOutcomes: number, shots: number): number {
  const { labelFormat, numBits, lossMarks } = program;
  if (hasPackedCounts(program)) return packedCountsSize(numOutcomes, countsLayout(numBits, shots));
  const digits = String(Math.ceil(shots / numOutcomes)).length;
  return 2 + numOutcomes * (labelLengthOf(numBits, labelFormat, lossMarks) + ENTRY_BYTES + digits);
}

/** Refuses a batch whose answer would be too large, whatever its circuits do. */
export function checkAnswerSize(programs: readonly CheckedProgram[], faults: FaultList): void {
  let [numbers, countsBytes] = [0, 0];
  for (const program of programs) {
    const { inputs, outputs, shots = 0 } = program;
    const { numPoints } = inputs;
    for (const output of outputs) numbers += numPoints * numbersOf(program, output);
    numbers += numPoints * numbersOf(program, 'saved');
    if (hasStandardErrors(program)) {
      numbers += numPoints * numbersOf(program, 'standard_error');
    }
    if (!outputs.includes('counts')) continue;
    const entries = Math.min(shots, 2 ** numOutcomeBits(program));
    countsBytes += numPoints * countsSize(program, entries, shots);
  }
  if (numbers > MAX_NUMBERS) {
    const problem = `The answer would have ${numbers} numbers; the limit is ${MAX_NUMBERS}. Send fewer points, or ask for less.`;
    faults.add('programs', problem, LIMIT_EXCEEDED);
  }
  if (countsBytes > MAX_COUNTS_BYTES) {
    const problem = `The answer may have ${countsBytes} bytes of counts; the limit is ${MAX_COUNTS_BYTES}. Send fewer points or shots.`;
    faults.add('programs', problem, LIMIT_EXCEEDED);
  }
}
