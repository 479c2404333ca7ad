/** The result of a circuit: counts beside exact probabilities, expectation values, amplitudes. */
import { useMemo } from 'preact/hooks';
import type { Circuit } from '../../client/api-types.ts';
import { Histogram } from '../drawing/histogram.tsx';
import { distanceOf } from '../drawing/histogram-data.ts';
import { percent } from '../numbers.ts';
import { Warnings } from '../run/run-result.tsx';
import { observableInWords } from './observable-words.ts';
import { FieldsTable, ResultFields, ResultPart } from './result-fields.tsx';
import type { Fields } from './result-shape.ts';

/** Amplitudes and shots that are listed. */
const NUM_LISTED = 256;

/** Shows what a circuit returned. */
export function CircuitResult({ circuit }: { readonly circuit: Circuit }) {
  const { probabilities, expectation, statevector, amplitudes, fitting, purity, memory } = circuit;
  // The labels of probabilities are bits.
  const isAlike = circuit.label_format !== 'hex';
  const counts = useMemo(() => new Map(Object.entries(circuit.counts ?? {})), [circuit.counts]);
  const exact = useMemo(
    () => (probabilities && isAlike ? new Map(Object.entries(probabilities)) : undefined),
    [probabilities, isAlike],
  );
  return (
    <>
      <Warnings circuit={circuit} />
      {counts.size > 0 && <Histogram label="Counts" counts={counts} exact={exact} />}
      {counts.size > 0 && exact !== undefined && (
        <p class="note">
          The counts differ from the probabilities by {percent(distanceOf(counts, exact))} (total
          variation distance).
        </p>
      )}
      {(counts.size === 0 || !isAlike) && probabilities !== undefined && (
        <ResultPart title="Probabilities">
          <FieldsTable
            label="Probabilities"
            rows={Object.entries(probabilities).map(([outcome, probability]) => ({
              outcome,
              probability,
            }))}
          />
        </ResultPart>
      )}
      {expectation !== undefined && (
        <ResultPart title="Expectation values">
          <FieldsTable label="Expectation values" rows={expectationRows(circuit)} />
          <p class="small">Their sum is {expectation.sum.toPrecision(6)}.</p>
        </ResultPart>
      )}
      {purity !== undefined && <ResultFields fields={{ purity }} />}
      {statevector !== undefined && (
        <ResultPart title="State vector">
          <FieldsTable label="State vector" rows={amplitudeRows(statevector, circuit.qubits)} />
        </ResultPart>
      )}
      {amplitudes !== undefined && (
        <ResultPart title="Amplitudes">
          <FieldsTable label="Amplitudes" rows={Object.entries(amplitudes).map(amplitudeRow)} />
        </ResultPart>
      )}
      {memory !== undefined && (
        <p class="small job-text">
          First shots: {memory.slice(0, NUM_LISTED).join(' ')}
          {memory.length > NUM_LISTED && ' …'}
        </p>
      )}
      {fitting !== undefined && (
        <ResultPart title="Fitting to the device">
          <ResultFields fields={fitting} />
        </ResultPart>
      )}
    </>
  );
}

function expectationRows({ expectation, request }: Circuit): readonly Fields[] {
  const asked = request?.['observables'];
  const names = Array.isArray(asked) ? asked.map(observableInWords) : [];
  return (expectation?.values ?? []).map((value, i) => ({
    observable: names[i] ?? String(i),
    value,
    ...(expectation?.standard_error !== undefined && {
      standard_error: expectation.standard_error[i] ?? null,
    }),
  }));
}

function amplitudeRows(
  amplitudes: readonly (readonly [number, number])[],
  numQubits: number,
): readonly Fields[] {
  return amplitudes
    .map((amplitude, index) =>
      amplitudeRow([index.toString(2).padStart(numQubits, '0'), amplitude]),
    )
    .filter(({ probability }) => probability > 1e-12)
    .toSorted((a, b) => b.probability - a.probability)
    .slice(0, NUM_LISTED);
}

function amplitudeRow([label, [re, im]]: readonly [string, readonly [number, number]]) {
  return { basis_state: label, real: re, imaginary: im, probability: re * re + im * im };
}
