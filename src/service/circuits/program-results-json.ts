/** Writes the results that a program requests with `#pragma braket result`, in the order of the pragmas. */
import { rowsFromMatrix } from '../../circuit/matrix-rows.ts';
import type { ProgramResult } from '../../circuit/openqasm/results.ts';
import type { runResultOf } from '../../fleet/run-outputs.ts';
import { basisLabel } from '../../math/basis-index.ts';
import { amplitudesByLabel } from './basis-states.ts';
import type { FurtherNumbers } from './further-runs.ts';

/** Numbers that the results of a program are read off. */
export interface ResultSource {
  readonly results: readonly ProgramResult[];
  /** Number of observables before those of the program. */
  readonly numRequested: number;
  /** Number of amplitudes before those of the program. */
  readonly numBasisStates: number;
  readonly run: ReturnType<typeof runResultOf>;
  readonly further: FurtherNumbers;
  /** The state vector as JSON text; empty if it is not asked for. */
  readonly statevectorJson: string;
}

/** JSON text of the results. */
export function resultsJson(source: ResultSource): string {
  let numSamples = 0;
  let numAmplitudes = source.numBasisStates;
  const entries = source.results.map((result) => {
    if (result.type === 'state_vector') {
      return `{"type":"state_vector","value":${source.statevectorJson}}`;
    }
    if (result.type === 'amplitude') {
      const first = numAmplitudes;
      numAmplitudes += result.states.length;
      const value = amplitudesByLabel(result.states, source.run.amplitudes!, first);
      return `{"type":"amplitude","value":${value}}`;
    }
    const first = numSamples;
    if (result.type === 'sample') numSamples += result.observables.length;
    return `{"type":"${result.type}","value":${valueJson(result, source, first)}}`;
  });
  return `[${entries.join(',')}]`;
}

/** @param firstSample - Number of the first of the result's samples. */
function valueJson(
  result: Exclude<ProgramResult, { type: 'state_vector' | 'amplitude' }>,
  { run, numRequested, further }: ResultSource,
  firstSample: number,
): string {
  switch (result.type) {
    case 'probability':
      return labelled(marginal(run.probabilities!, result.qubits));
    case 'density_matrix':
      return JSON.stringify(rowsFromMatrix(reducedDensity(run.densityMatrix!, result.qubits)));
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

/** Density matrix of some qubits, `qubits[0]` least significant: the trace over the others. */
function reducedDensity(
  density: Float64Array,
  qubits: readonly number[] | undefined,
): Float64Array {
  const d = Math.sqrt(density.length / 2);
  const numQubits = Math.log2(d);
  const kept = qubits ?? Array.from({ length: numQubits }, (_, qubit) => qubit);
  const traced = (2 ** numQubits - 1) & ~kept.reduce((mask, qubit) => mask | (1 << qubit), 0);
  const placed = (index: number) =>
    kept.reduce((sum, qubit, bit) => sum | (((index >> qubit) & 1) << bit), 0);
  const size = 2 ** kept.length;
  const reduced = new Float64Array(2 * size * size);
  for (let row = 0; row < d; row++) {
    for (let column = 0; column < d; column++) {
      if ((row & traced) !== (column & traced)) continue;
      const from = 2 * (row * d + column);
      const to = 2 * (placed(row) * size + placed(column));
      reduced[to]! += density[from]!;
      reduced[to + 1]! += density[from + 1]!;
    }
  }
  return reduced;
}

/** An object as JSON text in the order of its entries; JavaScript would put the label "10" before "01". */
function labelled(entries: ReadonlyMap<string, number>): string {
  return `{${[...entries].map(([label, value]) => `"${label}":${value}`).join(',')}}`;
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
