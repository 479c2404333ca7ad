/** Values of a sweep: curves or a heat map, their extremes in words, and files to download. */

import { useMemo, useState } from 'preact/hooks';
import { Curve } from '../drawing/curve.tsx';
import { HeatMap } from '../drawing/heat-map.tsx';
import { extremesOf, type Series } from '../drawing/plot-data.ts';
import { grouped, listed, rounded, timeOfDay } from '../numbers.ts';
import { ChoiceButtons } from '../shell/forms.tsx';
import { saveFile } from '../shell/save-file.ts';
import { csvOf, jsonOf, type SweepPlan, type SweepRun, type SweepValues } from './sweep.ts';

const STATES: Readonly<Record<SweepRun['state'], readonly [chip: string, words: string]>> = {
  running: ['warn', 'running'],
  completed: ['good', 'completed'],
  failed: ['bad', 'failed'],
  cancelled: ['', 'cancelled'],
  incomplete: ['warn', 'incomplete'],
};

export function ResultView({
  run,
  waitsUntil,
}: {
  readonly run: SweepRun | undefined;
  /** When the last request goes again, and whether the service has put it off, or could not be reached. */
  readonly waitsUntil: { readonly time: Date; readonly isReached: boolean } | undefined;
}) {
  const words = run === undefined ? '' : STATES[run.state][1];
  return (
    <section class="card result" aria-labelledby="sweep-result">
      <div class="head">
        <h2 id="sweep-result">The values</h2>
        {run !== undefined && <span class={`chip ${STATES[run.state][0]}`}>{words}</span>}
      </div>
      {/* It is read aloud when the state changes, not with every batch. */}
      <p class="unseen" role="status">
        {words === '' ? '' : `The sweep is ${words}.`}
      </p>
      {waitsUntil !== undefined && (
        <p class="notice" role="status">
          {waitsUntil.isReached
            ? 'The service asks to wait. The sweep goes on at'
            : 'The service cannot be reached. The sweep tries again at'}{' '}
          {timeOfDay(waitsUntil.time.getTime())}.
        </p>
      )}
      {run === undefined ? <p class="note">Nothing has run yet.</p> : <Shown run={run} />}
    </section>
  );
}

function Shown({ run }: { readonly run: SweepRun }) {
  const { values, provenance, state } = run;
  const { plan, numDone } = values;
  return (
    <>
      <p class="note">
        {grouped(numDone)} of {grouped(plan.numPoints)} points
        {provenance !== undefined &&
          `, ${listed(provenance.basis)}, by ${provenance.processor}${
            provenance.method === undefined
              ? ''
              : ` with the method ${provenance.method.replaceAll('_', ' ')}`
          }`}
      </p>
      <progress
        value={numDone}
        max={plan.numPoints}
        aria-label="Points that have arrived"
        hidden={state !== 'running'}
      />
      {plan.axes.length === 1 ? <Curves values={values} /> : <Colours values={values} />}
      {numDone > 0 && (
        <>
          <ul class="summary">
            {values.series.map((each) => (
              <li key={each.label}>{summary(plan, each)}</li>
            ))}
          </ul>
          <p class="actions">
            <button type="button" onClick={() => saveFile('sweep.csv', csvOf(values), 'text/csv')}>
              Download CSV
            </button>
            <button
              type="button"
              onClick={() => saveFile('sweep.json', jsonOf(values), 'application/json')}
            >
              Download JSON
            </button>
          </p>
        </>
      )}
    </>
  );
}

function Curves({ values: { plan, series, slopes } }: { readonly values: SweepValues }) {
  const [x] = plan.axes;
  if (x === undefined) return null;
  const label = listed(plan.labels);
  return (
    <>
      <Curve label={`${label} by ${x.label}`} x={x} series={series} height={300} />
      {slopes.length > 0 && (
        <>
          <h3>Derivative</h3>
          <Curve label={`Derivative of ${label}`} x={x} series={slopes} height={220} />
        </>
      )}
    </>
  );
}

function Colours({ values: { plan, series } }: { readonly values: SweepValues }) {
  const [chosen, setChosen] = useState(0);
  const [x, y] = plan.axes;
  const one = series[chosen] ?? series[0];
  const field = useMemo(
    () => x !== undefined && y !== undefined && one !== undefined && { ...one, x, y },
    [x, y, one],
  );
  if (field === false) return null;
  return (
    <>
      {series.length > 1 && (
        <ChoiceButtons
          label="Observable"
          names={series.map(({ label }) => label)}
          chosen={series[chosen]?.label}
          onChoose={(_, index) => setChosen(index)}
        />
      )}
      <HeatMap field={field} />
    </>
  );
}

/** "energy is least, −1.146, at theta = 0.2356, and greatest, 0.4529, at theta = 3.377." */
function summary(plan: SweepPlan, { label, values }: Series): string {
  const extremes = extremesOf(values);
  if (extremes === undefined) return `${label} has no values.`;
  const width = plan.axes[0]?.values.length ?? 1;
  const at = (point: number) =>
    listed(
      plan.axes.map((axis, k) => {
        const index = k === 0 ? point % width : Math.floor(point / width);
        return `${axis.label} = ${rounded(Number(axis.values[index]))}`;
      }),
    );
  const of = (point: number) => rounded(Number(values[point]));
  const { least, greatest } = extremes;
  return `${label} is least, ${of(least)}, at ${at(least)}, and greatest, ${of(greatest)}, at ${at(greatest)}.`;
}
