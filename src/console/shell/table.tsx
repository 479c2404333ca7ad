/** Tables that are scrolled by themselves where they are wider than their place. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export function Table({
  label,
  class: name = '',
  columns,
  rows,
  isNamed = true,
  current,
  children,
}: {
  /** Description of the table. */
  readonly label: string;
  readonly class?: string;
  /** Titles; without them there is no heading. */
  readonly columns?: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Whether the first cell names its row. */
  readonly isNamed?: boolean;
  /** Number of the row that is chosen. */
  readonly current?: number;
  /** Below the rows. */
  readonly children?: ComponentChildren;
}) {
  return (
    <div class={`scroll ${name}`.trim()} tabIndex={0} role="group" aria-label={label}>
      <table>
        {columns !== undefined && (
          <thead>
            <tr>
              {columns.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row} {...(row === current && { 'aria-current': 'true' as const })}>
              {cells.map((cell, i) =>
                isNamed && i === 0 ? (
                  <th key={i} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={i}>{cell}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </div>
  );
}

const NUM_ROWS = 1000;

/** Values of a drawing as a table behind a link, made when it is opened, with few rows at first. */
export function ValuesTable({
  label,
  columns,
  numRows,
  cellsOf,
}: {
  /** Description of the values. */
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
