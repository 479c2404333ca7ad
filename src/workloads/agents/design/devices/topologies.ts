/** Shapes of superconducting devices, generated from how they are laid out. */
import type { Coupler } from '../../../../compiler/routing/coupling-map.ts';

/** A row of a heavy-hex lattice: qubits side by side, and where links to the next row begin. */
interface HeavyHexRow {
  /** Columns of its qubits, without gaps: the first and the last. */
  readonly columns: readonly [first: number, last: number];
  /** Columns in which a qubit of its own links this row to the next one. */
  readonly links: readonly number[];
}

/**
 * The couplers of a heavy-hex lattice. Qubits are numbered row by row, the linking qubits between
 * two rows after the upper one.
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
 * The couplers of a piece of a square lattice, each qubit with its neighbours in its row and column.
 * Qubits are numbered row by row.
 *
 * @param rows - Of each row the first and the last column.
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
