/** Counts as a histogram of text. */

const MAX_ROWS = 20;
const BLOCKS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * One line an outcome, most frequent first: label, count, share, bar. Past twenty outcomes a last
 * line says how many more there are and what they amount to.
 *
 * @param counts - Label → occurrences.
 * @param columns - Width to keep within.
 */
export function histogram(counts: Readonly<Record<string, number>>, columns: number): string {
  const entries = Object.entries(counts).sort(([labelA, a], [labelB, b]) =>
    a === b ? (labelA < labelB ? -1 : 1) : b - a,
  );
  const shots = entries.reduce((sum, [, count]) => sum + count, 0);
  const shown = entries.slice(0, MAX_ROWS);
  const most = shown[0]?.[1] ?? 1;
  const labelWidth = Math.max(0, ...shown.map(([label]) => label.length));
  const countWidth = String(most).length;
  const share = (count: number): string => `${((100 * count) / shots).toFixed(2).padStart(6)}%`;
  const barWidth = Math.max(8, columns - labelWidth - countWidth - 13);

  const lines = shown.map(
    ([label, count]) =>
      `${label.padStart(labelWidth)}  ${String(count).padStart(countWidth)}  ${share(count)}  ${bar((count / most) * barWidth)}`,
  );
  const rest = entries.slice(MAX_ROWS);
  if (rest.length > 0) {
    const restCount = rest.reduce((sum, [, count]) => sum + count, 0);
    lines.push(`… ${rest.length} more outcomes: ${restCount} shots, ${share(restCount).trim()}`);
  }
  return lines.join('\n');
}

/** A bar of `length` columns, to an eighth of a column. */
function bar(length: number): string {
  const eighths = Math.round(length * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + BLOCKS[eighths % 8]!;
}
