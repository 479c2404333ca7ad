/** Outputs of the state: of a circuit, and of the places of it that are saved. */
import { useMemo } from 'preact/hooks';
import type { Circuit } from '../../client/api-types.ts';
import { grouped } from '../numbers.ts';
import { Table } from '../shell/table.tsx';
import { FieldsTable, ResultPart } from './result-fields.tsx';
import { matrixRows, rowsOf, type StateOutput, snapshotsOf } from './state-outputs.ts';

/** Snapshots that are shown. */
const NUM_SNAPSHOTS = 50;

/** Shows what a circuit has saved. @param circuit - Gate objects of the request, if the record has it. */
export function Snapshots({
  saved,
  circuit,
}: {
  readonly saved: NonNullable<Circuit['saved']>;
  readonly circuit: unknown;
}) {
  const snapshots = useMemo(() => snapshotsOf(saved, circuit), [saved, circuit]);
  return (
    <>
      {snapshots.slice(0, NUM_SNAPSHOTS).map((each) => (
        <OutputPart key={each.title} {...each} />
      ))}
      {snapshots.length > NUM_SNAPSHOTS && (
        <p class="small">
          The first {NUM_SNAPSHOTS} of {grouped(snapshots.length)} snapshots. All are in the
          download.
        </p>
      )}
    </>
  );
}

/** Shows an output. @param observables - Those that were asked for, if they are known. */
export function OutputPart({
  title,
  output,
  observables,
}: {
  readonly title: string;
  readonly output: StateOutput;
  readonly observables?: unknown;
}) {
  if (output.kind !== 'matrix') {
    return (
      <ResultPart title={title}>
        <FieldsTable label={title} rows={rowsOf(output, observables)} />
        {output.kind === 'expectation' && (
          <p class="small">Their sum is {output.value.sum.toPrecision(6)}.</p>
        )}
      </ResultPart>
    );
  }
  const rows = matrixRows(output.value);
  const total = output.value.length;
  return (
    <ResultPart title={title}>
      <Table
        label={title}
        class="result-table"
        columns={['', ...rows.map(([label = '']) => label)]}
        rows={rows}
      />
      {rows.length < total && (
        <p class="small">
          The first {rows.length} of {grouped(total)} rows and columns. All are in the download.
        </p>
      )}
    </ResultPart>
  );
}
