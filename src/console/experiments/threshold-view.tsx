/** The threshold plot of an experiment: logical error rates over a field of the metadata, with a choice of the fields. */
import { useMemo, useState } from 'preact/hooks';
import type { TaskCounts } from '../../client/api-types.ts';
import { Curve } from '../drawing/curve.tsx';
import { numberOf } from '../numbers.ts';
import { SelectField } from '../shell/forms.tsx';
import {
  crossingsInWords,
  type PlotChoice,
  type PlotFields,
  plotFields,
  type ThresholdPlot,
  thresholdPlot,
  usualChoice,
} from './threshold.ts';

/** Shows the plot, or says which metadata it needs. */
export function ThresholdView({ tasks }: { readonly tasks: readonly TaskCounts[] }) {
  const fields = useMemo(() => plotFields(tasks), [tasks]);
  const usual = useMemo(() => usualChoice(tasks), [tasks]);
  const [chosen, setChosen] = useState<PlotChoice>();
  const [isLogarithmic, setLogarithmic] = useState(true);
  const choice = chosen ?? usual;
  const plot = useMemo(
    () => choice && thresholdPlot(tasks, choice, isLogarithmic),
    [tasks, choice, isLogarithmic],
  );
  if (choice === undefined || plot === undefined) {
    return (
      <p class="note">
        There is no plot: no task has a number in its metadata. Give each task metadata such as{' '}
        <code>{'{"d": 3, "p": 0.01}'}</code>. One field becomes the axis, others tell the curves
        apart.
      </p>
    );
  }
  return (
    <>
      <PlotForm
        fields={fields}
        choice={choice}
        isLogarithmic={isLogarithmic}
        onChoose={setChosen}
        onScale={setLogarithmic}
      />
      <Curve
        label={`Logical error rate by ${choice.x}`}
        x={plot.x}
        series={plot.series}
        height={340}
        isLogarithmic={isLogarithmic}
        isJoined
      />
      <ul class="plot-notes">
        {[...crossingsInWords(plot), ...notesOf(plot, isLogarithmic)].map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </>
  );
}

function PlotForm({
  fields,
  choice,
  isLogarithmic,
  onChoose,
  onScale,
}: {
  readonly fields: PlotFields;
  readonly choice: PlotChoice;
  readonly isLogarithmic: boolean;
  readonly onChoose: (choice: PlotChoice) => void;
  readonly onScale: (isLogarithmic: boolean) => void;
}) {
  const { x, curves } = choice;
  return (
    <form class="plot-form" aria-label="The plot" onSubmit={(event) => event.preventDefault()}>
      <SelectField
        label="Horizontal axis"
        value={x}
        options={fields.numbers.map((name) => [name, name])}
        onChoose={(next) => onChoose({ x: next, curves: curves.filter((name) => name !== next) })}
      />
      <fieldset>
        <legend>A curve for each</legend>
        {fields.all
          .filter((name) => name !== x)
          .map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={curves.includes(name)}
                onChange={({ currentTarget: { checked } }) =>
                  onChoose({
                    x,
                    // In the order of the metadata, whichever was chosen first.
                    curves: fields.all.filter((each) =>
                      each === name ? checked : curves.includes(each),
                    ),
                  })
                }
              />{' '}
              {name}
            </label>
          ))}
      </fieldset>
      <fieldset>
        <legend>Scale</legend>
        <label>
          <input
            type="checkbox"
            checked={isLogarithmic}
            onChange={({ currentTarget: { checked } }) => onScale(checked)}
          />{' '}
          logarithmic
        </label>
      </fieldset>
    </form>
  );
}

/** What the plot does not show, in sentences. */
function notesOf(plot: ThresholdPlot, isLogarithmic: boolean): readonly string[] {
  const { x, series, numWithoutX, hasTwins, numHidden } = plot;
  const numZero = series.reduce(
    (sum, { values }) => sum + Array.from(values).filter((value) => value === 0).length,
    0,
  );
  return [
    ...(isLogarithmic && numZero > 0
      ? [
          `${numberOf(numZero, 'task has', 'tasks have')} no errors so far: a bar without a point ends at the upper bound.`,
        ]
      : []),
    ...(isLogarithmic && x.isLogarithmic !== true
      ? [`Some values of ${x.label} are not positive, so that its axis is linear.`]
      : []),
    ...(numWithoutX > 0
      ? [`${numberOf(numWithoutX, 'task has', 'tasks have')} no number ${x.label}.`]
      : []),
    ...(hasTwins
      ? [
          `Several tasks of a curve have the same ${x.label}. Each is a point of its own, on curves with a number.`,
        ]
      : []),
    ...(numHidden > 0
      ? [`${numberOf(numHidden, 'further curve is', 'further curves are')} not drawn.`]
      : []),
    'Bars are Wilson intervals at 95 %.',
  ];
}
