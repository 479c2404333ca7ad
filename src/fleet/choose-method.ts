/**
 * Chooses the method by which a simulator runs a circuit: the cheapest one that is exact for what is asked, or the one
 * that the caller names. A request that no method can serve is refused with the figures of each.
 */
import { sizeText } from '../circuit/circuit-limits.ts';
import { counted } from '../circuit/fault-list.ts';
import { AMPLITUDE_BYTES } from './memory-shares.ts';
import type { MethodName, RunMethodName } from './method-names.ts';
import type { ProcessorSpec } from './processor.ts';
import type { Precision } from './schedule/lane.ts';
import { modelMs } from './schedule/run-estimates.ts';
import { type CircuitWork, type RunMethod, runWork } from './schedule/scheduled-run.ts';

/** A method that a processor has, and the widest circuit that it takes. */
export interface MethodLimit {
  readonly method: RunMethodName;
  readonly maxQubits: number;
  /** With noise. */
  readonly maxNoisyQubits: number;
  /** In double precision, where single precision takes wider ones. */
  readonly maxDoubleQubits?: number;
}

/** Methods that a processor's callers may ask for; hardware has none. */
export function methodsOf(given: ProcessorSpec): readonly MethodLimit[] {
  const spec = simulatedSpec(given);
  const { family, maxQubits, maxNoisyQubits = maxQubits } = spec;
  const statevector = { method: 'statevector', maxQubits, maxNoisyQubits } as const;
  switch (family) {
    case 'statevector':
    case 'gpu-fleet':
      return [statevector];
    case 'qvm':
    case 'emulator':
      return [statevector, densityLimit(spec)];
    case 'superconducting':
      return [];
  }
}

/** A processor with the limits of what it simulates, which are less than the qubits of an emulated device. */
function simulatedSpec(spec: ProcessorSpec): ProcessorSpec {
  const { maxUsedQubits: maxQubits = spec.maxQubits } = spec.device?.emulation ?? {};
  return { ...spec, maxQubits };
}

/** A density matrix is a state of twice the qubits. */
function densityLimit({ maxQubits: widest, maxSingleQubits = widest }: ProcessorSpec): MethodLimit {
  const maxDoubleQubits = Math.floor(widest / 2);
  const maxQubits = Math.max(maxDoubleQubits, Math.floor(maxSingleQubits / 2));
  return { method: 'density_matrix', maxQubits, maxNoisyQubits: maxQubits, maxDoubleQubits };
}

/**
 * Precision of a run: the processor's, but single for a density matrix that it has room for only so.
 *
 * @param width - Qubits of the state that the run holds.
 */
export function precisionOfRun(
  { maxQubits, precision }: Pick<ProcessorSpec, 'maxQubits' | 'precision'>,
  method: RunMethod,
  width: number,
): Precision {
  return method === 'density_matrix' && width > maxQubits ? 'f32' : (precision ?? 'f64');
}

/** Name of a run's method: trajectories are state vectors. */
export function nameOfMethod(method: RunMethod): RunMethodName {
  return method === 'density_matrix' ? method : 'statevector';
}

/** Facts that a choice depends on. */
export interface MethodQuestion {
  readonly work: CircuitWork;
  readonly shots: number;
  readonly asked: MethodName;
  /** Whether exact values are wanted that a state vector has only without noise: probabilities, expectations, …. */
  readonly wantsExact: boolean;
  /** Output that only a density matrix has. */
  readonly densityOutput?: string;
}

/** The method of a run, or why there is none. */
export type MethodChoice =
  | { readonly method: RunMethod; readonly reason: string }
  | {
      readonly field: 'method' | 'return' | 'circuit';
      readonly problem: string;
      /** Whether a limit of size decides. */
      readonly isLimit?: boolean;
    };

/** Chooses the method. */
export function chooseMethod(question: MethodQuestion, given: ProcessorSpec): MethodChoice {
  const spec = simulatedSpec(given);
  const { asked, densityOutput } = question;
  const has = (name: MethodName) => methodsOf(spec).some(({ method }) => method === name);
  switch (asked) {
    case 'stabilizer':
    case 'matrix_product_state':
      return { field: 'method', problem: `${asked} is not available yet. ${available(spec)}` };
    case 'density_matrix':
      if (!has('density_matrix')) return notHere(asked, spec);
      return fitsDensity(question, spec)
        ? onDensity(question, spec, NAMED)
        : tooWide(question, spec);
    case 'statevector':
      if (densityOutput !== undefined) return needsDensity(densityOutput, asked);
      return fitsState(question, spec) ? onStates(question, spec, NAMED) : tooWide(question, spec);
    case 'automatic':
      if (densityOutput !== undefined && !has('density_matrix')) {
        return needsDensity(densityOutput, spec.id);
      }
      return has('density_matrix') ? cheapest(question, spec) : automatic(question, spec);
  }
}

/** Memory of wider states is given by the number of amplitudes. */
const MAX_SPELLED_QUBITS = 64;

const NAMED = 'The request names this method.';

/** The choice of a processor that has state vectors alone. */
function automatic(question: MethodQuestion, spec: ProcessorSpec): MethodChoice {
  const why = `${spec.id} runs state vectors.`;
  return fitsState(question, spec) ? onStates(question, spec, why) : tooWide(question, spec);
}

function cheapest(question: MethodQuestion, spec: ProcessorSpec): MethodChoice {
  const { work, shots, wantsExact, densityOutput } = question;
  const [fitsAsState, fitsAsDensity] = [fitsState(question, spec), fitsDensity(question, spec)];
  if (densityOutput !== undefined) {
    if (!fitsAsDensity) return tooWide(question, spec);
    return onDensity(question, spec, `Only a density matrix has ${densityOutput}.`);
  }
  if (wantsExact && work.isBranching && fitsAsDensity) {
    const why = 'Only a density matrix has exact values after measurements in mid-circuit.';
    return onDensity(question, spec, why);
  }
  if (work.noise === undefined) {
    const why = 'The circuit has no noise, so that state vectors are exact and cheapest.';
    return fitsAsState ? onStates(question, spec, why) : tooWide(question, spec);
  }
  if (wantsExact && fitsAsDensity) {
    return onDensity(question, spec, 'Only a density matrix has exact values under noise.');
  }
  if (!fitsAsState) return tooWide(question, spec);
  if (wantsExact) {
    const why = `A density matrix would need ${densitySize(question, spec)}, more than there is, so that values are means over trajectories.`;
    return onStates(question, spec, why);
  }
  if (fitsAsDensity && cheaperForCounts(work, shots) === 'density_matrix') {
    const why = `Counts are exact samples by each method, and one density matrix is cheaper than ${statesText(question, spec)}.`;
    return onDensity(question, spec, why);
  }
  const why = fitsAsDensity
    ? `Counts are exact samples by each method, and these are cheaper than a density matrix of ${densitySize(question, spec)}.`
    : `Counts of trajectories are exact samples; a density matrix would need ${densitySize(question, spec)}, more than there is.`;
  return onStates(question, spec, why);
}

/** The cheaper method for counts of a circuit with noise, where both take it. */
export function cheaperForCounts(work: CircuitWork, shots: number): RunMethod {
  const msBy = (method: RunMethod) => modelMs(runWork(work, { shots, seed: 0, method }));
  return msBy('density_matrix') < msBy('trajectories') ? 'density_matrix' : 'trajectories';
}

function onStates(question: MethodQuestion, spec: ProcessorSpec, why: string): MethodChoice {
  const isNoisy = question.work.noise !== undefined;
  const size = sizeOf(question.work.numQubits, spec);
  const what = isNoisy
    ? `Trajectories: ${statesText(question, spec)}`
    : `A state vector of ${size}`;
  return { method: isNoisy ? 'trajectories' : 'statevector', reason: `${what}. ${why}` };
}

function onDensity(question: MethodQuestion, spec: ProcessorSpec, why: string): MethodChoice {
  const reason = `A density matrix of ${densitySize(question, spec)}. ${why}`;
  return { method: 'density_matrix', reason };
}

/** `about 40 states of 16 KiB for 1000 shots`. */
function statesText({ work, shots }: MethodQuestion, spec: ProcessorSpec): string {
  const { trajectories } = runWork(work, { shots, seed: 0, method: 'trajectories' });
  const states = Math.round(trajectories?.numStates ?? 1);
  const count = counted(states, 'state');
  const size = sizeOf(work.numQubits, spec);
  return `about ${count} of ${size} for ${counted(shots, 'shot')}`;
}

/** `4 MiB`, or `2 GiB in single precision` where the processor's has no room. */
function densitySize({ work }: MethodQuestion, spec: ProcessorSpec): string {
  const width = 2 * work.numQubits;
  const precision = precisionOfRun(spec, 'density_matrix', width);
  const size = sizeOf(width, { precision });
  const isPlain = precision === spec.precision || width > MAX_SPELLED_QUBITS;
  return isPlain ? size : `${size} in single precision`;
}

function sizeOf(numQubits: number, { precision }: Pick<ProcessorSpec, 'precision'>): string {
  if (numQubits > MAX_SPELLED_QUBITS) return `2^${numQubits} amplitudes`;
  const bytes = AMPLITUDE_BYTES[precision ?? 'f64'] * 2 ** numQubits;
  return sizeText(bytes);
}

function fitsState(question: MethodQuestion, spec: ProcessorSpec): boolean {
  return fits('statevector', question, spec);
}

function fitsDensity(question: MethodQuestion, spec: ProcessorSpec): boolean {
  return fits('density_matrix', question, spec);
}

function fits(name: RunMethodName, { work }: MethodQuestion, spec: ProcessorSpec): boolean {
  const limit = methodsOf(spec).find(({ method }) => method === name);
  return limit !== undefined && work.numQubits <= limitFor(work, limit);
}

function limitFor(work: CircuitWork, { maxQubits, maxNoisyQubits }: MethodLimit): number {
  return work.noise === undefined ? maxQubits : maxNoisyQubits;
}

/** Refuses a circuit with the figures of each method. */
function tooWide(question: MethodQuestion, spec: ProcessorSpec): MethodChoice {
  const { work } = question;
  const { numQubits } = work;
  const figures = methodsOf(spec).map((limit) => {
    const { method } = limit;
    const most = limitFor(work, limit);
    const noisy = limit.maxNoisyQubits < limit.maxQubits ? ' with noise' : '';
    const size =
      method === 'density_matrix' ? densitySize(question, spec) : sizeOf(numQubits, spec);
    return `${method} needs ${size} and takes up to ${counted(most, 'qubit')}${noisy}`;
  });
  const which =
    question.asked === 'automatic' ? 'No method takes' : `${question.asked} does not take`;
  const problem = `${which} ${numQubits} qubits for what is asked: ${figures.join('; ')}. stabilizer and matrix_product_state are not available yet.`;
  const field = question.asked === 'automatic' ? 'circuit' : 'method';
  return { field, problem, isLimit: true };
}

function notHere(method: MethodName, spec: ProcessorSpec): MethodChoice {
  return { field: 'method', problem: `${spec.id} does not have ${method}. ${available(spec)}` };
}

function needsDensity(output: string, what: string): MethodChoice {
  const problem = `${output} needs the method density_matrix, which qvm has; ${what} has state vectors only.`;
  return { field: 'return', problem };
}

function available(spec: ProcessorSpec): string {
  const names = ['automatic', ...methodsOf(spec).map(({ method }) => method)];
  return `${spec.id} takes ${names.join(', ')}.`;
}
