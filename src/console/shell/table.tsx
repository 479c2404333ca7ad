/** Tables that are scrolled by themselves where they are wider than their place. */
import type { ComponentChildren } from 'preact';

export function Table({
  label,
  class: name = '',
  columns,
  rows,
  isNamed = true,
  current,
  children,
}: {
  /** What the table shows. */
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
