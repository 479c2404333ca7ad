/** Checks the results that a program requests with `#pragma braket result`, and their fields in the answer. */

import type { AngleFormulas } from '../../circuit/angle-formulas.ts';
import type { CircuitLimits } from '../../circuit/circuit-limits.ts';
import { type FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { inputRows } from '../../circuit/input-columns.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import type { OpenQasmProgram } from '../../circuit/openqasm/parse-openqasm.ts';
import type { ProgramResult } from '../../circuit/openqasm/results.ts';
import type { RecordedOutput } from '../../circuit/qir/recorded-output.ts';
import type { Sweep } from '../../circuit/read-sweep.ts';
import type { StimProgram } from '../../circuit/stim/read-stim.ts';
import type { Parities } from '../../compiler/clifford/error-walk.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { addResultFault } from './check-outputs.ts';

/** Fields of an answer that results of a program fill. */
export type FilledField = 'statevector' | 'probabilities' | 'expectation' | 'variance' | 'gradient';

/** Fields that the results fill, which those of `return` are, too. */
export function fieldsOf(
  results: readonly ProgramResult[],
  numQubits: number,
): readonly FilledField[] {
  const fields = results.map((result) => fieldOf(result, numQubits));
  return [...new Set(fields.filter((field) => field !== undefined))];
}

function fieldOf(result: ProgramResult, numQubits: number): FilledField | undefined {
  switch (result.type) {
    case 'state_vector':
      return 'statevector';
    case 'probability':
      return isOfAll(result, numQubits) ? 'probabilities' : undefined;
    case 'expectation':
    case 'variance':
      return result.type;
    case 'adjoint_gradient':
      return 'gradient';
    case 'amplitude':
    case 'density_matrix':
    case 'sample':
      return undefined;
  }
}

/** Whether a probability is that of outcomes of all qubits. */
function isOfAll(
  { qubits }: Extract<ProgramResult, { type: 'probability' }>,
  numQubits: number,
): boolean {
  return qubits === undefined || qubits.length === numQubits;
}

/** Checks that a batch, whose answer has no `results`, has a field for each result. */
export function checkResultsOfBatch(
  results: readonly ProgramResult[],
  numQubits: number,
  faults: FaultList,
): void {
  for (const result of results) {
    const { type } = result;
    if (fieldOf(result, numQubits) !== undefined) continue;
    const what = type === 'probability' ? 'of some of the qubits is' : 'is';
    const where = 'POST /api/v1/quantum/circuits; a batch has no field for it';
    addResultFault(result, `${what} answered by ${where}.`, faults);
  }
}

/** A program as it was read. */
export interface ReadSource extends OpenQasmProgram {
  /** Read at the one point of its inputs; present if the program requests a gradient. */
  readonly sweep?: Sweep;
  /** Bound on the error of product formulas, if there are any. */
  readonly errorBound?: number | undefined;
  /** Detectors and observables of a text in Stim's format. */
  readonly parities?: Parities & Pick<StimProgram, 'tracked'>;
  /** Values that a program in QIR records. */
  readonly recorded?: readonly RecordedOutput[];
}

/** Gradient that a program requests. */
export interface RequestedGradient {
  readonly observable: PauliSum;
  readonly formulas: AngleFormulas;
  /** Values of all inputs. */
  readonly row: Float64Array;
  /** Inputs to differentiate by: names, and indices in the row. */
  readonly inputs: readonly { readonly name: string; readonly index: number }[];
}

/** The gradient that a program requests; undefined if there is none, or it has faults. */
export function requestedGradient(
  { results: { results }, sweep }: ReadSource,
  observables: readonly PauliSum[],
  { maxQubits }: CircuitLimits,
  faults: FaultList,
): RequestedGradient | undefined {
  const result = results.find((other) => other.type === 'adjoint_gradient');
  const [group] = sweep?.groups ?? [];
  if (result === undefined || sweep === undefined || group === undefined) return undefined;
  const { inputs: all, derivativeFaults } = sweep;
  const { numQubits } = group.circuit;
  const before = faults.count;
  if (numQubits >= maxQubits) {
    const problem = `of ${numQubits} qubits holds two states, so the limit is ${maxQubits - 1}, one less than max_qubits.`;
    addResultFault(result, problem, faults, LIMIT_EXCEEDED);
  }
  const numeric = all.names.filter((_, i) => all.columns[i]!.kind === 'number');
  if (numeric.length === 0) addResultFault(result, 'needs an input that is a number.', faults);
  const inputs = (result.inputs ?? numeric).map((name) => ({
    name,
    index: all.names.indexOf(name),
  }));
  for (const { name, index } of inputs) {
    const fault = derivativeFaults.find(({ input }) => input === index);
    if (!numeric.includes(name)) {
      const problem = `is by inputs that are numbers; ${JSON.stringify(name)} is none.`;
      addResultFault(result, `${problem}${didYouMean(name, numeric)}`, faults);
    } else if (fault !== undefined) {
      addResultFault(result, `has no derivative by it. ${fault.message}`, faults);
    }
  }
  if (faults.count > before) return undefined;
  const observable = observables[result.observable]!;
  return { observable, formulas: group.formulas, row: inputRows(all, undefined, 0, 1), inputs };
}
