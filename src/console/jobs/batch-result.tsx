/** The result of a batch: for each program its values as curves over a swept input, or the counts of a point. */
import { useMemo, useState } from 'preact/hooks';
import type { Batch } from '../../client/api-types.ts';
import { type BatchProgramResult, batchResultOf } from '../../client/batch-result.ts';
import { type NestedNumbers, type NumericArray, numericArray } from '../../client/packed-array.ts';
import { Curve } from '../drawing/curve.tsx';
import { Histogram } from '../drawing/histogram.tsx';
import type { Axis, Series } from '../drawing/plot-data.ts';
import { grouped, listed } from '../numbers.ts';
import { TextField } from '../shell/forms.tsx';
import { Snapshots } from './output-views.tsx';
import { ResultFields } from './result-fields.tsx';
import { inWords, observableInWords } from './result-shape.ts';

const NUM_PROGRAMS = 50;

/** Shows the programs of a batch. */
export function BatchResultView({ batch }: { readonly batch: Batch }) {
  const programs = useMemo(() => batchResultOf(batch).programs, [batch]);
  const asked = batch.request?.['programs'];
  return (
    <>
      {programs.slice(0, NUM_PROGRAMS).map((program, i) => (
        <ProgramView
          key={i}
          title={program.name ?? `Program ${i + 1}`}
          program={program}
          asked={Array.isArray(asked) ? asked[i] : undefined}
        />
      ))}
      {programs.length > NUM_PROGRAMS && (
        <p class="small">
          The first {NUM_PROGRAMS} of {grouped(programs.length)} programs. All are in the download.
        </p>
      )}
    </>
  );
}

function ProgramView({
  title,
  program,
  asked,
}: {
  readonly title: string;
  readonly program: BatchProgramResult;
  /** The program as it was sent, if the record has it. */
  readonly asked: unknown;
}) {
  const { points, counts, saved, expectation, qubits, method, shots, seed } = program;
  const { largest_bond: bonds, truncation_error: cuts, error_bound: bounds } = program;
  const { inputs, observables, circuit } = Object(asked) as {
    readonly circuit?: unknown;
    readonly inputs?: Readonly<Record<string, unknown>>;
    readonly observables?: readonly unknown[];
  };
  const x = useMemo(() => axisOf(inputs, points), [inputs, points]);
  const series = useMemo(() => seriesOf(program, observables ?? []), [program, observables]);
  return (
    <div class="result-part">
      <h3>{title}</h3>
      <ResultFields
        fields={{
          points,
          qubits,
          seed,
          ...(method !== undefined && { method: method.replaceAll('_', ' ') }),
          ...(bonds !== undefined && { largest_bond: largest(bonds) }),
          ...(cuts !== undefined && { truncation_error: `up to ${inWords(largest(cuts))}` }),
          ...(bounds !== undefined && { error_bound: `up to ${inWords(largest(bounds))}` }),
          ...(shots !== undefined && { shots }),
          ...(points === 1 &&
            expectation !== undefined && {
              values: series.map((one) => `${one.label} = ${inWords(Number(one.values[0]))}`),
            }),
        }}
      />
      {points > 1 && series.length > 0 && (
        <>
          <p class="small">
            {listed(series.map(({ label }) => label))} by {x.label}
          </p>
          <Curve label={`${title}: values by ${x.label}`} x={x} series={series} />
        </>
      )}
      {(counts ?? saved) !== undefined && (
        <PointView title={title} program={program} circuit={circuit} />
      )}
    </div>
  );
}

function largest({ data }: NumericArray): number {
  return data.reduce((most, number) => Math.max(most, number), 0);
}

/** Curves that are drawn at once. */
const NUM_SERIES = 8;

function seriesOf(program: BatchProgramResult, observables: readonly unknown[]): readonly Series[] {
  const { expectation, standard_error: errors, points } = program;
  if (expectation === undefined) return [];
  const width = expectation.shape[1] ?? 1;
  const column = (data: Float64Array, at: number) =>
    Float64Array.from({ length: points }, (_, point) => data[point * width + at] ?? Number.NaN);
  return Array.from({ length: Math.min(width, NUM_SERIES) }, (_, at) => ({
    label: observables[at] === undefined ? `Observable ${at}` : observableInWords(observables[at]),
    values: column(expectation.data, at),
    ...(errors !== undefined && { errors: column(errors.data, at) }),
  }));
}

/** The input that is swept, if there is one alone; otherwise the number of the point. */
function axisOf(inputs: Readonly<Record<string, unknown>> | undefined, points: number): Axis {
  const swept = Object.entries(inputs ?? {}).flatMap(([label, given]) => {
    const isArray = typeof given === 'object' && given !== null;
    // The request was accepted, so that arrays of inputs have one of the two forms.
    return isArray ? [{ label, values: numericArray(given as NestedNumbers).data }] : [];
  });
  const [only] = swept;
  if (only !== undefined && swept.length === 1 && only.values.length === points) return only;
  return { label: 'point', values: Float64Array.from({ length: points }, (_, i) => i) };
}

/** Counts and snapshots of a point. */
function PointView({
  title,
  program: { counts, saved },
  circuit,
}: {
  readonly title: string;
  readonly program: BatchProgramResult;
  readonly circuit: unknown;
}) {
  const [point, setPoint] = useState(0);
  const numPoints = (counts ?? saved ?? []).length;
  const map = useMemo(() => new Map(Object.entries(counts?.[point] ?? {})), [counts, point]);
  const snapshots = saved?.[point];
  return (
    <>
      {numPoints > 1 && (
        <TextField
          label={`Point, 0 to ${numPoints - 1}`}
          type="number"
          min={0}
          max={numPoints - 1}
          value={point}
          onText={(text) =>
            setPoint(Math.max(0, Math.min(numPoints - 1, Math.floor(Number(text)))))
          }
        />
      )}
      {counts !== undefined && (
        <Histogram label={numPoints > 1 ? `${title}, point ${point}` : title} counts={map} />
      )}
      {snapshots !== undefined && <Snapshots saved={snapshots} circuit={circuit} />}
    </>
  );
}
