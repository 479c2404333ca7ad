/** Coupling maps of superconducting devices, generated from their layout. */
import type { Coupler } from '../routing/coupling-map.ts';

/** A row of a heavy-hex lattice: adjacent qubits, and the columns with links to the next row. */
interface HeavyHexRow {
  /** First and last column of its qubits, which have no gaps. */
  readonly columns: readonly [first: number, last: number];
  /** Columns in which a separate qubit links this row to the next. */
  readonly links: readonly number[];
}

/**
 * Couplers of a heavy-hex lattice. Qubits are numbered row by row; linking qubits follow the upper of
 * their two rows.
 */
export function heavyHex(rows: readonly HeavyHexRow[]): readonly Coupler[] {
  const couplers: Coupler[] = [];
  let next = 0;
  let above: readonly { readonly link: number; readonly column: number }[] = [];
  for (const { columns, links } of rows) {
    const start = next - columns[0];
    for (let column = columns[0]; column < columns[1]; column++) {
      couplers.push([start + column, start + column + 1]);
    }
    for (const { link, column } of above) couplers.push([link, start + column]);
    next = start + columns[1] + 1;
    above = links.map((column) => ({ link: next++, column }));
    for (const { link, column } of above) couplers.push([start + column, link]);
  }
  return couplers;
}

/**
 * Couplers of a section of a square lattice, in which qubits couple to their neighbours in row and
 * column. Qubits are numbered row by row.
 *
 * @param rows - First and last column of each row.
 */
export function squarePatch(
  rows: readonly (readonly [first: number, last: number])[],
): readonly Coupler[] {
  const couplers: Coupler[] = [];
  let next = 0;
  let above: { readonly start: number; readonly columns: readonly [number, number] } | undefined;
  for (const columns of rows) {
    const start = next - columns[0];
    for (let column = columns[0]; column <= columns[1]; column++) {
      if (column < columns[1]) couplers.push([start + column, start + column + 1]);
      const isBelow =
        above !== undefined && column >= above.columns[0] && column <= above.columns[1];
      if (above !== undefined && isBelow) couplers.push([above.start + column, start + column]);
    }
    next = start + columns[1] + 1;
    above = { start, columns };
  }
  return couplers;
}
