/** Counts as a text histogram. */

type Entry = readonly [label: string, count: number];

/** Greatest number of outcomes listed in label order: that many are looked up by label, more by count. */
const MAX_ORDERED = 16;
const MAX_ROWS = 20;
/** Characters of a label; 64 bits have their own. */
const MAX_LABEL = 64;
const BLOCKS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * Formats one line per outcome: label, count, share, bar. Up to sixteen outcomes are sorted by label, more by
 * count. Labels of more than 64 characters lose their middle. After twenty a last line gives the number and the
 * total of the rest.
 *
 * @param counts - Label → occurrences.
 * @param columns - Greatest width.
 */
export function histogram(counts: Readonly<Record<string, number>>, columns: number): string {
  const byLabel = ([a]: Entry, [b]: Entry) => (a < b ? -1 : 1);
  const all = Object.entries(counts).sort(byLabel);
  const entries = all.length <= MAX_ORDERED ? all : all.toSorted(([, a], [, b]) => b - a);
  const shots = entries.reduce((sum, [, count]) => sum + count, 0);
  const shown = entries
    .slice(0, MAX_ROWS)
    .map(([label, count]): Entry => [shortened(label), count]);
  const most = Math.max(1, ...shown.map(([, count]) => count));
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

/** A long label without its middle. */
function shortened(label: string): string {
  if (label.length <= MAX_LABEL) return label;
  const half = (MAX_LABEL - 2) / 2;
  return `${label.slice(0, half)}…${label.slice(-half)}`;
}

/** Bar of `length` columns, to an eighth of a column. */
function bar(length: number): string {
  const eighths = Math.round(length * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + BLOCKS[eighths % 8]!;
}
