/** Counts of an experiment while it runs and afterwards: the threshold plot, and its tasks as a table. */
import './experiments.css';
import type { TaskCounts } from '../../client/api-types.ts';
import { FieldsTable, ResultPart } from '../jobs/result-fields.tsx';
import type { Fields } from '../jobs/result-shape.ts';
import { grouped, numberOf, rounded } from '../numbers.ts';
import { ThresholdView } from './threshold-view.tsx';

/** Shows the counts of tasks. */
export function ExperimentResult({ tasks }: { readonly tasks: readonly TaskCounts[] }) {
  const sum = (field: 'shots' | 'errors' | 'discards') =>
    tasks.reduce((total, task) => total + task[field], 0);
  const discards = sum('discards');
  return (
    <>
      <p class="note">
        {numberOf(tasks.length, 'task')}, {numberOf(sum('shots'), 'shot')},{' '}
        {numberOf(sum('errors'), 'logical error')}
        {discards > 0 && `, ${grouped(discards)} shots discarded`}.
      </p>
      <ResultPart title="Logical error rates">
        <ThresholdView tasks={tasks} />
      </ResultPart>
      <ResultPart title="Tasks">
        <div class="experiment-tasks">
          <FieldsTable label="Tasks" rows={tasks.map(rowOf)} />
        </div>
      </ResultPart>
    </>
  );
}

/** A task as a row. The columns are named by the fields. */
function rowOf({
  task,
  decoder,
  shots,
  errors,
  discards,
  logical_error_rate: rate,
  interval,
  metadata,
}: TaskCounts): Fields {
  return {
    task,
    metadata: metadataInWords(metadata),
    decoder: decoder.replaceAll('_', ' '),
    ...{ shots, errors, discards },
    logical_error_rate: rate === null ? 'none yet' : rounded(rate),
    'interval_at_95 %': interval === null ? 'none yet' : interval.map(rounded).join(' to '),
  };
}

/** Metadata in a cell: "d = 3, p = 0.01"; JSON where it is not an object of texts and numbers. */
function metadataInWords(metadata: unknown): string {
  if (metadata === undefined || metadata === null) return 'none';
  const entries = Array.isArray(metadata) ? [] : Object.entries(metadata);
  const isFlat = entries.every(([, value]) => typeof value !== 'object' || value === null);
  return entries.length > 0 && isFlat && typeof metadata === 'object'
    ? entries.map(([name, value]) => `${name} = ${value}`).join(', ')
    : JSON.stringify(metadata);
}
