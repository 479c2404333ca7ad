/** Writes the results that a program requests with `#pragma braket result`, in the order of the pragmas. */
import type { ProgramResult } from '../../circuit/openqasm/results.ts';
import type { CircuitResult } from '../../fleet/processor.ts';
import { basisLabel } from '../../math/basis-index.ts';
import type { FurtherNumbers } from './further-runs.ts';

/** Numbers that the results of a program are read off. */
export interface ResultSource {
  readonly results: readonly ProgramResult[];
  /** Number of observables before those of the program. */
  readonly numRequested: number;
  readonly run: CircuitResult['run'];
  readonly further: FurtherNumbers;
  /** The state vector as JSON text; empty if it is not asked for. */
  readonly statevectorJson: string;
}

/** JSON text of the results. */
export function resultsJson(source: ResultSource): string {
  let numSamples = 0;
  const entries = source.results.map((result) => {
    if (result.type === 'state_vector') {
      return `{"type":"state_vector","value":${source.statevectorJson}}`;
    }
    const first = numSamples;
    if (result.type === 'sample') numSamples += result.observables.length;
    return `{"type":"${result.type}","value":${valueJson(result, source, first)}}`;
  });
  return `[${entries.join(',')}]`;
}

/** @param firstSample - Number of the first of the result's samples. */
function valueJson(
  result: Exclude<ProgramResult, { type: 'state_vector' }>,
  { run, numRequested, further }: ResultSource,
  firstSample: number,
): string {
  switch (result.type) {
    case 'amplitude': {
      const state = run.statevector!;
      const entries = new Map(result.states.map(({ label, index }) => [label, 2 * index]));
      return labelled(entries, (at) => JSON.stringify([state[at]!, state[at + 1]!]));
    }
    case 'probability':
      return labelled(marginal(run.probabilities!, result.qubits), String);
    case 'expectation':
    case 'variance': {
      const { type, first, count, isList } = result;
      const values = (type === 'variance' ? run.variances : run.expectations)!;
      const own = values.slice(numRequested + first, numRequested + first + count);
      return JSON.stringify(isList ? own : own[0]);
    }
    case 'sample': {
      const { observables, isList } = result;
      const own = further.samples.slice(firstSample, firstSample + observables.length);
      const values = own.map((sample) => [...sample]);
      return JSON.stringify(isList ? values : values[0]);
    }
    case 'adjoint_gradient':
      return JSON.stringify(further.gradient);
  }
}

/** An object as JSON text in the order of its entries; JavaScript would put the label "10" before "01". */
function labelled(entries: ReadonlyMap<string, number>, textOf: (value: number) => string): string {
  return `{${[...entries].map(([label, value]) => `"${label}":${textOf(value)}`).join(',')}}`;
}

/** Probabilities of the outcomes of some qubits by label, `qubits[0]` rightmost; those of zero are left out. */
function marginal(
  probabilities: Float64Array,
  qubits: readonly number[] | undefined,
): ReadonlyMap<string, number> {
  const numQubits = Math.log2(probabilities.length);
  const read = qubits ?? Array.from({ length: numQubits }, (_, qubit) => qubit);
  const sums = new Float64Array(2 ** read.length);
  for (const [index, probability] of probabilities.entries()) {
    let outcome = 0;
    for (const [bit, qubit] of read.entries()) outcome |= ((index >> qubit) & 1) << bit;
    sums[outcome]! += probability;
  }
  const entries = new Map<string, number>();
  for (const [outcome, sum] of sums.entries()) {
    if (sum > 0) entries.set(basisLabel(outcome, read.length), sum);
  }
  return entries;
}
