/** Outputs of the state in results: those of a circuit, and its snapshots, told apart by their form. */
import type { Circuit, SavedOutput } from '../../client/api-types.ts';
import { byOutcome } from '../drawing/histogram-data.ts';
import { basisLabel } from '../numbers.ts';
import { type Fields, inWords, observableInWords } from './result-shape.ts';

type Complex = readonly [re: number, im: number];

/** An output of the state. */
export type StateOutput =
  | { readonly kind: 'expectation'; readonly value: NonNullable<Circuit['expectation']> }
  | { readonly kind: 'probabilities'; readonly value: Readonly<Record<string, number>> }
  | { readonly kind: 'amplitudes'; readonly value: Readonly<Record<string, Complex>> }
  | { readonly kind: 'statevector'; readonly value: readonly Complex[] }
  | { readonly kind: 'matrix'; readonly value: readonly (readonly Complex[])[] };

const TITLES: Readonly<Record<StateOutput['kind'], string>> = {
  expectation: 'expectation values',
  probabilities: 'probabilities',
  amplitudes: 'amplitudes',
  statevector: 'state vector',
  matrix: 'density matrix',
};

/** An output that a circuit saved. */
export interface Snapshot {
  /** Its label, its number among several of the label, its kind, and its qubits if the circuit names them. */
  readonly title: string;
  readonly output: StateOutput;
  /** As the request wrote them, if the record has it. */
  readonly observables: unknown;
}

/**
 * Snapshots by label, in order.
 *
 * @param circuit - Gate objects of the request, if the record has it.
 */
export function snapshotsOf(
  saved: NonNullable<Circuit['saved']>,
  circuit: unknown,
): readonly Snapshot[] {
  const asked = Map.groupBy(
    (Array.isArray(circuit) ? circuit : []).filter(
      (each) => String(each?.gate).toUpperCase() === 'SAVE',
    ),
    ({ label }) => String(label),
  );
  return Object.entries(saved).flatMap(([label, value]) => {
    const outputs = savedOutputs(value);
    return outputs.map((output, i): Snapshot => {
      const { qubits, observables } = Object(asked.get(label)?.[i]);
      const number = outputs.length > 1 ? `, ${i + 1} of ${outputs.length}` : '';
      const of = Array.isArray(qubits)
        ? ` of ${qubits.map((qubit) => `q${qubit}`).join(', ')}`
        : '';
      return {
        title: `Snapshot ${label}${number}: ${TITLES[output.kind]}${of}`,
        output,
        observables,
      };
    });
  });
}

/** The outputs of a label: one, or several in a list. */
function savedOutputs(value: SavedOutput | readonly SavedOutput[]): readonly StateOutput[] {
  if (!isList(value)) return [ofLabels(value)];
  const [first] = value;
  if (!isList(first)) return value.map(ofLabels);
  if (!isList(first[0])) return [{ kind: 'statevector', value: value as readonly Complex[] }];
  if (isList(first[0][0]))
    return value.map((each) => ({ kind: 'matrix', value: each }) as StateOutput);
  // Squares of all entries sum to at most 1 in a density matrix, and to 1 in each of several state vectors.
  const rows = value as readonly (readonly Complex[])[];
  const sum = rows.flat(2).reduce((all, each) => all + each * each, 0);
  return sum > 1.5
    ? rows.map((each) => ({ kind: 'statevector', value: each }))
    : [{ kind: 'matrix', value: rows }];
}

function ofLabels(value: unknown): StateOutput {
  // Checked: the form of an answer. Labels are bits or hexadecimal.
  if (Object.hasOwn(Object(value), 'values')) return { kind: 'expectation', value } as StateOutput;
  const [first] = Object.values(Object(value));
  return { kind: isList(first) ? 'amplitudes' : 'probabilities', value } as StateOutput;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Amplitudes, and rows and columns of a matrix, that are listed. */
const NUM_LISTED = 256;
const NUM_ENTRIES = 16;

/**
 * An output as rows of a table.
 *
 * @param observables - Those that were asked for, if they are known.
 */
export function rowsOf(
  { kind, value }: Exclude<StateOutput, { kind: 'matrix' }>,
  observables: unknown,
): readonly Fields[] {
  switch (kind) {
    case 'expectation': {
      const names = isList(observables) ? observables.map(observableInWords) : [];
      return value.values.map((number, i) => ({
        observable: names[i] ?? String(i),
        value: number,
        ...(value.standard_error && { standard_error: value.standard_error[i] ?? null }),
      }));
    }
    case 'probabilities':
      return byLabel(value).map(([outcome, probability]) => ({ outcome, probability }));
    case 'amplitudes':
      return byLabel(value).map(amplitudeRow);
    case 'statevector':
      return value
        .map((amplitude, index) =>
          amplitudeRow([basisLabel(index, Math.log2(value.length)), amplitude]),
        )
        .filter(({ probability }) => probability > 1e-12)
        .toSorted((a, b) => b.probability - a.probability)
        .slice(0, NUM_LISTED);
  }
}

/** The first rows of a matrix in words, each after its basis state. */
export function matrixRows(
  matrix: readonly (readonly Complex[])[],
): readonly (readonly string[])[] {
  return matrix
    .slice(0, NUM_ENTRIES)
    .map((row, i) => [
      basisLabel(i, Math.log2(matrix.length)),
      ...row.slice(0, NUM_ENTRIES).map(complexInWords),
    ]);
}

/** Names of an object that are whole numbers come first, as 10 before 00. */
const byLabel = <T>(values: Readonly<Record<string, T>>) =>
  Object.entries(values).sort(([a], [b]) => byOutcome(a, b));

function amplitudeRow([label, [re, im]]: readonly [string, Complex]) {
  return { basis_state: label, real: re, imaginary: im, probability: re * re + im * im };
}

function complexInWords([re, im]: Complex): string {
  if (Math.abs(im) < 1e-12) return inWords(Math.abs(re) < 1e-12 ? 0 : re);
  const sign = im < 0 ? '−' : '+';
  return Math.abs(re) < 1e-12
    ? `${inWords(im)}i`
    : `${inWords(re)} ${sign} ${inWords(Math.abs(im))}i`;
}
