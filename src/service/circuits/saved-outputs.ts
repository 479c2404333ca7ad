/** Snapshots in answers: their numbers, one after the other, and their JSON, in the form of the outputs of their names. */
import type { SaveOperation } from '../../circuit/circuit.ts';
import { type SavedColumns, savedRow } from '../../fleet/run-outputs.ts';
import { amplitudesByLabel } from './outcome-labels.ts';
import {
  amplitudesJson,
  expectationJson,
  matrixJson,
  probabilitiesJson,
  reducedDensity,
} from './state-json.ts';

/** A snapshot as an answer writes it. */
export type SavedForm = { readonly label: string } & (
  | { readonly what: 'expectation'; readonly numValues: number }
  | { readonly what: 'probabilities'; readonly numBits: number }
  | { readonly what: 'statevector'; readonly numQubits: number }
  /** The matrix is of `numQubits` qubits, and the answer of these. */
  | { readonly what: 'density_matrix'; readonly numQubits: number; readonly of: readonly number[] }
  | { readonly what: 'amplitudes'; readonly labels: readonly string[] }
);

/** The form of a snapshot. */
export function savedForm({ label, qubits, output }: SaveOperation): SavedForm {
  const { what } = output;
  const numQubits = qubits.length;
  switch (what) {
    case 'expectation':
      return { label, what, numValues: output.observables.length };
    case 'probabilities':
      return { label, what, numBits: output.of.length };
    case 'statevector':
      return { label, what, numQubits };
    case 'density_matrix':
      return { label, what, numQubits, of: output.of };
    case 'amplitudes':
      return { label, what, labels: output.basisStates.map((state) => state.label) };
  }
}

/** Numbers of a snapshot: those of its output, and for expectation values their standard errors. */
export function numbersOfForm(form: SavedForm): number {
  switch (form.what) {
    case 'expectation':
      return 2 * form.numValues;
    case 'probabilities':
      return 2 ** form.numBits;
    case 'statevector':
      return 2 * 2 ** form.numQubits;
    case 'density_matrix':
      return 2 * 4 ** form.numQubits;
    case 'amplitudes':
      return 2 * form.labels.length;
  }
}

/** The numbers of one snapshot of a circuit on so many qubits. */
export const savedNumbers = (save: SaveOperation): number => numbersOfForm(savedForm(save));

/** The numbers of the snapshots of circuits of a run, circuit after circuit. NaN is no standard error. */
export function flattened(
  saved: readonly SavedColumns[],
  forms: readonly SavedForm[],
  numCircuits: number,
): Float64Array {
  const lengths = forms.map(numbersOfForm);
  const each = lengths.reduce((sum, length) => sum + length, 0);
  const out = new Float64Array(numCircuits * each).fill(Number.NaN);
  for (let k = 0; k < numCircuits; k++) {
    let at = k * each;
    for (const [i, columns] of saved.entries()) {
      const row = savedRow(columns, numCircuits, k);
      out.set(valuesOf(row, forms[i]!), at);
      const { standardErrors } = row;
      if (standardErrors) out.set(standardErrors, at + standardErrors.length);
      at += lengths[i]!;
    }
  }
  return out;
}

function valuesOf(row: ReturnType<typeof savedRow>, { what }: SavedForm): ArrayLike<number> {
  switch (what) {
    case 'expectation':
      return row.expectations!;
    case 'probabilities':
      return row.probabilities!;
    case 'statevector':
      return row.statevector!;
    case 'density_matrix':
      return row.densityMatrix!;
    case 'amplitudes':
      return row.amplitudes!;
  }
}

/** Writes the snapshots of one circuit by label; several of one label as an array. */
export function savedJson(forms: readonly SavedForm[], numbers: Float64Array): string {
  const byLabel = new Map<string, string[]>();
  let at = 0;
  for (const form of forms) {
    const length = numbersOfForm(form);
    const text = outputJson(form, numbers.subarray(at, at + length));
    at += length;
    const others = byLabel.get(form.label);
    if (others === undefined) byLabel.set(form.label, [text]);
    else others.push(text);
  }
  const entries = [...byLabel].map(([label, texts]) => {
    const value = texts.length === 1 ? texts[0]! : `[${texts.join(',')}]`;
    return `${JSON.stringify(label)}:${value}`;
  });
  return `{${entries.join(',')}}`;
}

function outputJson(form: SavedForm, numbers: Float64Array): string {
  switch (form.what) {
    case 'expectation': {
      const errors = [...numbers.subarray(form.numValues)];
      const hasErrors = !errors.every(Number.isNaN);
      return expectationJson(
        [...numbers.subarray(0, form.numValues)],
        hasErrors ? errors : undefined,
      );
    }
    case 'probabilities':
      return probabilitiesJson(numbers, form.numBits);
    case 'statevector':
      return amplitudesJson(numbers);
    case 'density_matrix':
      return matrixJson(reducedDensity(numbers, form.of));
    case 'amplitudes': {
      const states = form.labels.map((label) => ({ label }));
      return amplitudesByLabel(states, Float64Array.from(numbers), 0);
    }
  }
}
