/**
 * Chooses the simulation method of a circuit: the cheapest one that is exact for the requested outputs, or the one that
 * the caller names. A request that no method can serve is refused with the figures of each.
 */
import { preparedState } from '../circuit/circuit.ts';
import { MAX_UNITARY_QUBITS } from '../circuit/circuit-limits.ts';
import { counted } from '../circuit/errors.ts';
import { factsOf, givesMeans, isMean, isOfDensity } from '../circuit/outputs.ts';
import { byChain } from './chain-candidate.ts';
import {
  densitySize,
  limitFor,
  type MethodCandidate,
  type MethodQuestion,
  methodsOf,
  type Refusal,
  simulatedSpec,
  sizeOf,
} from './method-limits.ts';
import type { MethodName, RunMethodName } from './method-names.ts';
import { pauliCandidate } from './pauli-candidate.ts';
import { withPrefixes } from './prefix-candidate.ts';
import type { ProcessorSpec } from './processor.ts';
import { modelMs } from './schedule/run-estimates.ts';
import {
  type CircuitWork,
  type MethodRequest,
  type RunMethod,
  runWork,
} from './schedule/scheduled-run.ts';
import { bySparse } from './sparse-candidate.ts';
import { stabilizerCandidate, stabilizerSums } from './stabilizer-candidate.ts';

/** The method of a run, or why there is none. */
export type MethodChoice =
  | (MethodRequest & { readonly method: RunMethod; readonly reason: string })
  | {
      readonly field: 'method' | 'return' | 'circuit' | 'initial_state';
      readonly problem: string;
      /** Whether a limit of size decides. */
      readonly isLimit?: boolean;
    };

/** Chooses the method. */
export function chooseMethod(question: MethodQuestion, given: ProcessorSpec): MethodChoice {
  const spec = simulatedSpec(given);
  const { asked } = question;
  const outputs = ofDensity(question);
  const has = (name: MethodName) => methodsOf(spec).some(({ method }) => method === name);
  switch (asked) {
    case 'stabilizer':
    case 'matrix_product_state':
    case 'sparse':
    case 'pauli_propagation': {
      if (!has(asked)) return notHere(asked, spec);
      const candidate = CANDIDATES[asked](question, spec);
      if (!('why' in candidate)) return chosen(candidate, question.whyAsked ?? NAMED);
      const { why, isLimit = false } = candidate;
      const problem = [`${why}.`, ...(question.whyAsked ? [question.whyAsked] : [])].join(' ');
      return { field: 'method', problem, isLimit };
    }
    case 'density_matrix':
      if (!has('density_matrix')) return notHere(asked, spec);
      return fitsDensity(question, spec)
        ? onDensity(question, spec, NAMED)
        : tooWide(question, spec);
    case 'statevector':
      if (outputs.length > 0) return needsDensity(outputs, spec, has('density_matrix'));
      return fitsState(question, spec) ? onStates(question, spec, NAMED) : tooWide(question, spec);
    case 'automatic':
      if (!has('density_matrix')) {
        return outputs.length > 0 ? needsDensity(outputs, spec, false) : automatic(question, spec);
      }
      return has('stabilizer') ? cheapest(question, spec) : cheapestOfStates(question, spec);
  }
}

const byStabilizers = withPrefixes('stabilizer', stabilizerCandidate);
const byStabilizerSums = withPrefixes('stabilizer', stabilizerSums);
const byPaulis = withPrefixes('pauli_propagation', pauliCandidate);

/** Estimates by the methods whose states do not have 2^n amplitudes. */
const CANDIDATES = {
  stabilizer: byStabilizers,
  matrix_product_state: byChain,
  sparse: bySparse,
  pauli_propagation: byPaulis,
} as const;

const NAMED = 'The request names this method.';

/** The choice of a processor that has state vectors alone. */
function automatic(question: MethodQuestion, spec: ProcessorSpec): MethodChoice {
  const why = `${spec.id} runs state vectors.`;
  return fitsState(question, spec) ? onStates(question, spec, why) : tooWide(question, spec);
}

/** Expected time of a run for which no other method is looked for, milliseconds. */
const SHORT_MS = 2;
/** Part of the time of a state vector that another method must be expected to take: neither estimate is exact. */
const CLEARLY_FASTER = 0.25;
/** Expected time, milliseconds, of a method above which the next ones are looked for, too. */
const COMPARED_MS = 50;
/** The same for each operation: other methods, and their estimates, read each operation, too. */
const COMPARED_MS_PER_OPERATION = 0.01;

/** The choice among all methods. */
function cheapest(question: MethodQuestion, spec: ProcessorSpec): MethodChoice {
  const onStates = cheapestOfStates(question, spec);
  const { work, shots, outputs } = question;
  if (ofDensity(question).length > 0) return onStates;
  const wantsExact = outputs.some(isMean);
  /** Whether a method only estimates what is asked for. */
  const isOfMeans = (method: RunMethod) => wantsExact && givesMeans(method);
  const isEstimate = 'method' in onStates && isOfMeans(onStates.method);
  const msOnStates =
    'problem' in onStates
      ? Number.POSITIVE_INFINITY
      : modelMs(runWork(work, { shots, seed: 0, method: onStates.method }));
  const ms = isEstimate ? Number.POSITIVE_INFINITY : msOnStates;
  if (ms <= SHORT_MS) return onStates;
  const most = CLEARLY_FASTER * ms;
  const msOf = ({ figures, method }: MethodCandidate) =>
    modelMs(runWork(work, { shots, seed: 0, method, figures }));
  const clifford = byStabilizers(question, spec);
  if (!('why' in clifford) && msOf(clifford) <= most) {
    return chosen(clifford, comparison(question, spec, onStates));
  }
  // The time of sums for observables depends on their terms, which are not known here.
  const mostOfSums = wantsExact ? most : ms;
  const candidates: MethodCandidate[] = [];
  const whys = 'why' in clifford ? [clifford.why] : [];
  const add = (candidate: MethodCandidate | Refusal, mostMs: number) => {
    if ('why' in candidate) whys.push(candidate.why);
    else if (!candidate.isExact) whys.push(candidate.whyNotExact);
    else if (msOf(candidate) <= mostMs) candidates.push(candidate);
  };
  const sparse = bySparse(question, spec);
  if (!('why' in sparse)) add(sparse, most);
  const quickMs = COMPARED_MS + COMPARED_MS_PER_OPERATION * work.numOperations;
  const isQuick = () => candidates.some((candidate) => msOf(candidate) <= quickMs);
  if (!isQuick() && 'why' in clifford && clifford.isNotClifford === true) {
    add(byStabilizerSums(question, spec, mostOfSums), mostOfSums);
  }
  if ('why' in sparse) whys.push(sparse.why);
  const chain = isQuick() ? undefined : byChain(question, spec);
  const isSampled = chain !== undefined && !('why' in chain) && isOfMeans(chain.method);
  if (chain !== undefined && !isSampled) add(chain, most);
  const best = candidates.toSorted((a, b) => msOf(a) - msOf(b))[0];
  if (best !== undefined) return chosen(best, comparison(question, spec, onStates));
  if ('problem' in onStates && givesAll(question, 'pauli_propagation')) {
    const paulis = byPaulis(question, spec);
    if (!('why' in paulis)) return chosen(paulis, comparison(question, spec, onStates));
    whys.push(paulis.why);
  }
  // Means take the place of other means, and never of exact values.
  if (isSampled && ('problem' in onStates || isEstimate)) add(chain, CLEARLY_FASTER * msOnStates);
  const [sampled] = candidates;
  if (sampled !== undefined) return chosen(sampled, comparison(question, spec, onStates));
  return 'problem' in onStates ? tooWide(question, spec, whys) : onStates;
}

/** Whether a method gives all requested outputs of some circuits. */
const givesAll = ({ outputs }: MethodQuestion, method: RunMethod): boolean =>
  outputs.every((name) => factsOf(name).by[method] !== 'never');

function chosen(
  { method, figures, bonds, paulis, what, precision }: MethodCandidate,
  why: string,
): MethodChoice {
  const reason = `${what}. ${precision} ${why}`;
  return { method, figures, ...(bonds && { bonds }), ...(paulis && { paulis }), reason };
}

/** Why another method than one on states of 2^n amplitudes was chosen. */
function comparison(question: MethodQuestion, spec: ProcessorSpec, onStates: MethodChoice): string {
  const { numQubits } = question.work;
  const size = sizeOf(numQubits, spec);
  if ('problem' in onStates) return `A state vector would need ${size}.`;
  if (onStates.method === 'density_matrix') {
    return `A density matrix of ${densitySize(numQubits, spec)} is expected to take longer.`;
  }
  const states =
    onStates.method === 'trajectories' ? statesText(question, spec) : `a state vector of ${size}`;
  return `It is expected to be faster than ${states}.`;
}

/** The choice among methods on states of 2^n amplitudes. */
function cheapestOfStates(question: MethodQuestion, spec: ProcessorSpec): MethodChoice {
  const { work, shots, outputs } = question;
  const [wantsExact, [densityOutput]] = [outputs.some(isMean), ofDensity(question)];
  const { numQubits } = work;
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
    const why = `${noDensity(question, spec)}, so that values are means over trajectories.`;
    return onStates(question, spec, why);
  }
  if (fitsAsDensity && cheaperForCounts(work, shots) === 'density_matrix') {
    const why = `Counts are exact samples by each method, and one density matrix is cheaper than ${statesText(question, spec)}.`;
    return onDensity(question, spec, why);
  }
  const why = fitsAsDensity
    ? `Counts are exact samples by each method, and these are cheaper than a density matrix of ${densitySize(numQubits, spec)}.`
    : `Counts of trajectories are exact samples. ${noDensity(question, spec)}.`;
  return onStates(question, spec, why);
}

/** The cheaper method for counts of a circuit with noise, where both take it. */
export function cheaperForCounts(
  work: CircuitWork,
  shots: number,
): 'density_matrix' | 'trajectories' {
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
  const reason = `A density matrix of ${densitySize(question.work.numQubits, spec)}. ${why}`;
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

function fitsState(question: MethodQuestion, spec: ProcessorSpec): boolean {
  return fits('statevector', question, spec);
}

function fitsDensity(question: MethodQuestion, spec: ProcessorSpec): boolean {
  return fits('density_matrix', question, spec);
}

function fits(name: RunMethodName, { work }: MethodQuestion, spec: ProcessorSpec): boolean {
  if (name === 'density_matrix' && hasWideChannel(work)) return false;
  const limit = methodsOf(spec).find(({ method }) => method === name);
  return limit !== undefined && work.numQubits <= limitFor(work, limit);
}

/** Whether a channel is too wide for a density matrix, on whose rows and columns it acts. */
const hasWideChannel = ({ noise }: CircuitWork): boolean =>
  2 * (noise?.widestChannel ?? 0) > MAX_UNITARY_QUBITS;

const wideChannel = ({ noise }: CircuitWork): string =>
  `density_matrix takes channels that are not depolarizing on up to ${MAX_UNITARY_QUBITS / 2} qubits, and there is one on ${noise?.widestChannel}`;

/** Why there is no density matrix, as a clause that begins a sentence. */
function noDensity({ work }: MethodQuestion, spec: ProcessorSpec): string {
  if (hasWideChannel(work)) return `The method ${wideChannel(work)}`;
  return `A density matrix would need ${densitySize(work.numQubits, spec)}, more than there is`;
}

/**
 * Refuses a circuit with the figures of each method.
 *
 * @param whys - Why methods take it whose states do not have 2^n amplitudes, as clauses.
 */
function tooWide(
  question: MethodQuestion,
  spec: ProcessorSpec,
  whys: readonly string[] = [],
): MethodChoice {
  const { work } = question;
  const { numQubits } = work;
  const figures = methodsOf(spec).flatMap((limit) => {
    const { method } = limit;
    if (method !== 'statevector' && method !== 'density_matrix') return [];
    if (method === 'density_matrix' && hasWideChannel(work)) {
      return [wideChannel(work)];
    }
    const most = limitFor(work, limit);
    const noisy = limit.maxNoisyQubits < limit.maxQubits ? ' with noise' : '';
    const size =
      method === 'density_matrix' ? densitySize(numQubits, spec) : sizeOf(numQubits, spec);
    return [`${method} needs ${size} and takes up to ${counted(most, 'qubit')}${noisy}`];
  });
  const which =
    question.asked === 'automatic' ? 'No method takes' : `${question.asked} does not take`;
  const problem = `${which} ${numQubits} qubits for what is asked: ${[...figures, ...whys].join('; ')}.`;
  const field = question.asked === 'automatic' ? 'circuit' : 'method';
  return { field, problem, isLimit: true };
}

function notHere(method: MethodName, spec: ProcessorSpec): MethodChoice {
  return { field: 'method', problem: `${spec.id} does not have ${method}. ${available(spec)}` };
}

/** @param isHere - Whether the processor has the method, and the request names another. */
function needsDensity(
  outputs: readonly string[],
  { id }: ProcessorSpec,
  isHere: boolean,
): MethodChoice {
  const what = `${outputs.join(' and ')} ${outputs.length === 1 ? 'needs' : 'need'} the method density_matrix`;
  const problem = isHere
    ? `${what}, and the request names statevector. Name density_matrix, or no method.`
    : `${what}, which qvm has; ${id} has state vectors only.`;
  return { field: outputs.at(-1) === MIXED ? 'initial_state' : 'return', problem };
}

const MIXED = 'a mixed initial_state';

/** Outputs of a question that only density matrices have, and its initial state if that is such. */
function ofDensity({ outputs, circuit }: MethodQuestion): readonly string[] {
  const isMixed = preparedState(circuit)?.kind === 'mixed';
  return [...new Set(outputs.filter(isOfDensity)), ...(isMixed ? [MIXED] : [])];
}

function available(spec: ProcessorSpec): string {
  const names = ['automatic', ...methodsOf(spec).map(({ method }) => method)];
  return `${spec.id} takes ${names.join(', ')}.`;
}
