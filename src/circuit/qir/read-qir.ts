/**
 * Reads programs in QIR, base and adaptive profile: the operations that a run may take become a circuit, and the values
 * that the program records its outcome.
 */
import type { DynamicCircuit } from '../circuit.ts';
import type { CircuitLimits } from '../circuit-limits.ts';
import { QirError } from '../errors.ts';
import { NEVER } from '../openqasm/decision-diagram.ts';
import { isBitcode, parseBitcode } from './llvm-bitcode.ts';
import type { LlvmFunction, LlvmModule } from './llvm-module.ts';
import { parseLlvm } from './llvm-text.ts';
import { QirCircuit } from './qir-circuit.ts';
import { QirFlow } from './qir-flow.ts';
import { QirFunctions } from './qir-functions.ts';
import { QirState } from './qir-state.ts';
import type { RecordedOutput } from './recorded-output.ts';

/** A program as it was read. */
export interface QirProgram {
  readonly circuit: DynamicCircuit;
  /** Values that the program records, in its order; their bits are those of the outcome. */
  readonly recorded: readonly RecordedOutput[];
}

/**
 * Reads a program: the text of LLVM IR, or base64 of bitcode.
 *
 * Bits of the outcome are those of the recorded values, in the order in which they are recorded, of an integer the least
 * significant first. A program that records nothing has its results as bits, by number.
 *
 * @throws {QirError} at the first fault, with its place.
 * @throws {StepsSpentError} if it takes more than `limits.maxSteps` steps.
 */
export function readQir(source: string, limits: CircuitLimits): QirProgram {
  const module = isBitcode(source) ? parseBitcode(source) : parseLlvm(source);
  const entry = entryOf(module);
  const circuit = new QirCircuit(limits, (problem, code) => state.fault(problem, code));
  const state = new QirState(module, circuit);
  state.at = entry.at;
  const numQubits = requiredQubits(module, entry);
  if (numQubits > 0) circuit.useQubit(numQubits - 1);
  const functions = new QirFunctions(state, numQubits);
  const code = new QirFlow(state, functions).call(entry, []);
  if (code?.kind === 'row' && code.bits.some((bit) => bit !== NEVER)) {
    throw state.fault('the program ends with an exit code other than 0.');
  }
  if (circuit.numQubits === 0) throw state.fault('the program has no qubits.');
  if (functions.recorded.length > 0) {
    return { circuit: circuit.finish(functions.outcome), recorded: functions.recorded };
  }
  return { circuit: circuit.finish(functions.results()), recorded: [] };
}

/** The function that a program begins with. */
function entryOf({ functions, describe }: LlvmModule): LlvmFunction {
  const [entry, other] = [...functions.values()].filter(
    ({ attributes }) => attributes.has('entry_point') || attributes.has('EntryPoint'),
  );
  if (entry === undefined) {
    throw new QirError('', 'no function with a body has the attribute "entry_point".');
  }
  if (other === undefined) return entry;
  throw new QirError(
    describe(other.at),
    `@${entry.name} and @${other.name} both have the attribute "entry_point".`,
  );
}

/** Qubits that a program says it needs; 0 where it does not say. */
function requiredQubits({ describe }: LlvmModule, { attributes, at }: LlvmFunction): number {
  const text = attributes.get('required_num_qubits') ?? attributes.get('requiredQubits') ?? '0';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new QirError(describe(at), `required_num_qubits is "${text}", which is no number.`);
}
