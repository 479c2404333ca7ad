/** Report of `qcs run` for people. */
import { basisLabel } from '../math/basis-index.ts';
import type { CircuitResultFields, ProgramResultJson } from '../service/circuits/circuit-schema.ts';
import { histogram } from './histogram.ts';
import type { RunFacts } from './local-run.ts';

/** Formats the facts and the result of a run for people. */
export function runReport(facts: RunFacts, fields: CircuitResultFields, columns: number): string {
  const { backend, timing, compilation } = fields;
  const lines = [
    `${facts.processor}: ${facts.qubits} qubits, ${compilation.gates.before} gates, ${facts.shots} shots, seed ${facts.seed}`,
    `${ranOn(backend)}: compiled in ${timing.compile_ms} ms, ran in ${timing.execution_ms} ms`,
    ...(fields.method_reason === undefined ? [] : [`${fields.method}: ${fields.method_reason}`]),
  ];
  if (fields.error_bound !== undefined) {
    lines.push(`product formulas: error at most ${fields.error_bound}`);
  }
  if (fields.truncation_error !== undefined) {
    const { truncation_error: error, largest_bond: bond } = fields;
    const ofBond = bond === undefined ? '' : `largest bond ${bond}, `;
    lines.push(`${ofBond}truncation error ${error}`);
  }
  if (fields.counts) lines.push('', histogram(fields.counts, columns));
  if (fields.memory) lines.push('', 'memory:', ...fields.memory);
  if (fields.expectation) lines.push('', expectationText(fields.expectation));
  if (fields.probabilities) lines.push('', 'probabilities:', ...listed(fields.probabilities));
  if (fields.statevector) lines.push('', 'statevector:', ...amplitudes(fields.statevector));
  if (fields.amplitudes) lines.push('', 'amplitudes:', ...labelled(fields.amplitudes));
  if (fields.density_matrix) lines.push('', 'density matrix:', ...entries(fields.density_matrix));
  if (fields.purity !== undefined) lines.push('', `purity: ${fields.purity}`);
  if (fields.unitary) lines.push('', 'unitary:', ...entries(fields.unitary));
  if (fields.saved) lines.push('', 'saved:', ...savedTexts(fields.saved));
  if (fields.results) lines.push('', 'results:', ...fields.results.map(resultText));
  return lines.join('\n');
}

function expectationText({
  values,
  standard_error: errors,
}: NonNullable<CircuitResultFields['expectation']>): string {
  const texts = values.map((value, i) =>
    errors === undefined ? `${value}` : `${value} ± ${errors[i]}`,
  );
  return `expectation: ${texts.join(', ')}`;
}

/** Entries of a matrix that are not zero, a line each. */
function entries(matrix: NonNullable<CircuitResultFields['density_matrix']>): readonly string[] {
  const width = Math.log2(matrix.length);
  return matrix.flatMap((row, r) =>
    row.flatMap(([re, im], c) => {
      if (re === 0 && im === 0) return [];
      return [`${basisLabel(r, width)} ${basisLabel(c, width)}  ${complexText(re, im)}`];
    }),
  );
}

/** A line for each snapshot; `--json` has them in full. */
function savedTexts(saved: NonNullable<CircuitResultFields['saved']>): readonly string[] {
  return Object.entries(saved).map(([label, value]) => {
    const text = JSON.stringify(value);
    const shown = text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)} …` : text;
    return `${label}  ${shown}`;
  });
}

/** Longest value of a result on a line. */
const MAX_VALUE_LENGTH = 200;

function resultText({ type, value }: ProgramResultJson): string {
  const text = JSON.stringify(value);
  const shown = text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
  return `${type}  ${shown}`;
}

/** The engine and its hardware, or the device of a vendor. */
export function ranOn(
  backend:
    | { readonly engine: string; readonly precision: string; readonly hardware: string }
    | { readonly vendor: string; readonly device: string },
): string {
  if ('vendor' in backend) return `${backend.device} of ${backend.vendor}`;
  return `${backend.engine} engine (${backend.precision}) on ${backend.hardware}`;
}

function listed(values: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(values).map(([label, value]) => `${label}  ${value}`);
}

function amplitudes(vector: readonly (readonly [number, number])[]): readonly string[] {
  const width = Math.log2(vector.length);
  return vector.flatMap(([re, im], index) =>
    re === 0 && im === 0 ? [] : [`${basisLabel(index, width)}  ${complexText(re, im)}`],
  );
}

/** Amplitudes of given basis states, a line each. */
function labelled(byLabel: NonNullable<CircuitResultFields['amplitudes']>): readonly string[] {
  return Object.entries(byLabel).map(([label, [re, im]]) => `${label}  ${complexText(re, im)}`);
}

const complexText = (re: number, im: number) => `${re} ${im < 0 ? '-' : '+'} ${Math.abs(im)}i`;
