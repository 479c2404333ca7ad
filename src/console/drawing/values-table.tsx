/** Values of a drawing as a table behind a link. It is made when it is opened, with a limited number of rows at first. */

import { useState } from 'preact/hooks';
import { Table } from '../shell/table.tsx';

const NUM_ROWS = 1000;

export function ValuesTable({
  label,
  columns,
  numRows,
  cellsOf,
}: {
  /** What the values are. */
  readonly label: string;
  readonly columns: readonly string[];
  readonly numRows: number;
  /** Texts of a row, the first of which names it. */
  readonly cellsOf: (row: number) => readonly string[];
}) {
  const [isOpen, setOpen] = useState(false);
  const [limit, setLimit] = useState(NUM_ROWS);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The values as a table</summary>
      {isOpen && (
        <Table
          label={`${label}: values`}
          columns={columns}
          rows={Array.from({ length: Math.min(limit, numRows) }, (_, row) => cellsOf(row))}
        />
      )}
      {isOpen && limit < numRows && (
        <button type="button" onClick={() => setLimit(limit + NUM_ROWS)}>
          More rows
        </button>
      )}
    </details>
  );
}
