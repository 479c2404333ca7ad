/** Data of a histogram, apart from its drawing: its rows, their order, the places of the bars, and a text of it all. */
import { basisLabel, grouped, percent } from '../numbers.ts';

/** Shots of a job by outcome. */
export interface CountsOf {
  /** Source of the counts: "This run", "Run 2". */
  readonly label: string;
  readonly counts: ReadonlyMap<string, number>;
}

/** Outcomes that stand together, under a heading with their number of shots. */
export interface HistogramGroup {
  readonly name: string;
  readonly note: string;
  /** Class of its bars and its heading. */
  readonly style: string;
  readonly has: (outcome: string) => boolean;
}

/** Contents of a histogram. */
export interface HistogramContents extends CountsOf {
  /** Exact probability of each outcome; one that is missing has probability 0. */
  readonly exact?: ReadonlyMap<string, number> | undefined;
  /** A second job to compare with. */
  readonly other?: CountsOf | undefined;
  /** From left to right. Each outcome is of one of them. */
  readonly groups?: readonly HistogramGroup[] | undefined;
}

/** An outcome, or all outcomes that have no row of their own. */
export interface HistogramRow {
  readonly outcome: string;
  readonly count: number;
  /** Part of all shots, 0 to 1. */
  readonly share: number;
  readonly exact?: number;
  readonly otherCount?: number;
  readonly otherShare?: number;
}

/** Rows to draw. */
export interface HistogramRows {
  readonly rows: readonly HistogramRow[];
  /** Number of outcomes that the last row sums up; 0 if there is no such row. */
  readonly numOthers: number;
}

/** All outcomes of so few bits have a bar, those that never came, too. */
const MAX_BITS_IN_FULL = 4;

/** Number of shots. */
function totalOf(counts: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}

/** A row for every outcome that came or that has a probability, the most frequent first. */
export function allRows({ counts, exact, other }: HistogramContents): readonly HistogramRow[] {
  const outcomes = new Set([...counts.keys(), ...(other?.counts.keys() ?? [])]);
  for (const [outcome, probability] of exact ?? []) if (probability > 1e-12) outcomes.add(outcome);
  const [sample = ''] = outcomes;
  if (/^[01]+$/.test(sample) && sample.length <= MAX_BITS_IN_FULL) {
    for (let i = 0; i < 2 ** sample.length; i += 1) {
      outcomes.add(basisLabel(i, sample.length));
    }
  }
  const total = Math.max(1, totalOf(counts));
  const otherTotal = Math.max(1, totalOf(other?.counts ?? new Map()));
  return Array.from(outcomes, (outcome) => {
    const count = counts.get(outcome) ?? 0;
    const otherCount = other?.counts.get(outcome) ?? 0;
    return {
      outcome,
      count,
      share: count / total,
      ...(exact !== undefined && { exact: exact.get(outcome) ?? 0 }),
      ...(other !== undefined && { otherCount, otherShare: otherCount / otherTotal }),
    };
  }).sort((a, b) => weight(b) - weight(a) || byRow(a, b));
}

/** The most frequent rows in the order of their outcomes, and one for the rest if there are more than `most`. */
export function rowsToDraw(all: readonly HistogramRow[], most: number): HistogramRows {
  if (all.length <= most) return { rows: all.toSorted(byRow), numOthers: 0 };
  const own = all.slice(0, most - 1).toSorted(byRow);
  const rest = all.slice(most - 1);
  return { rows: [...own, summed(rest)], numOthers: rest.length };
}

function summed(rows: readonly HistogramRow[]): HistogramRow {
  const sum = (of: (row: HistogramRow) => number | undefined) =>
    rows.reduce((total, row) => total + (of(row) ?? 0), 0);
  const [first] = rows;
  return {
    outcome: `${grouped(rows.length)} others`,
    count: sum(({ count }) => count),
    share: sum(({ share }) => share),
    ...(first?.exact !== undefined && { exact: sum(({ exact }) => exact) }),
    ...(first?.otherCount !== undefined && {
      otherCount: sum(({ otherCount }) => otherCount),
      otherShare: sum(({ otherShare }) => otherShare),
    }),
  };
}

function weight({ share, exact = 0, otherShare = 0 }: HistogramRow): number {
  return Math.max(share, exact, otherShare);
}

function byRow(a: HistogramRow, b: HistogramRow): number {
  return byOutcome(a.outcome, b.outcome);
}

/** Compares labels of outcomes: binary and hexadecimal ones of one length sort as numbers. */
export function byOutcome(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Rows from left to right, each with the place of its group, or -1. */
export function inGroups(rows: readonly HistogramRow[], groups: readonly HistogramGroup[]) {
  return rows
    .map((row) => ({ row, group: groups.findIndex(({ has }) => has(row.outcome)) }))
    .sort((a, b) => a.group - b.group);
}

/** Shots of a group. */
export function shotsOf(
  { has }: HistogramGroup,
  rows: readonly Pick<HistogramRow, 'outcome' | 'count'>[],
): number {
  return rows.reduce((sum, { outcome, count }) => sum + (has(outcome) ? count : 0), 0);
}

/** The greatest share or probability of the rows. */
export function greatestOf(rows: readonly HistogramRow[]): number {
  return rows.reduce((most, row) => Math.max(most, weight(row)), 0);
}

const ROUND = [1, 2, 3, 4, 5, 6, 8, 10];

/** Smallest round number of at most 1 that is at least the share: 0.6 for 0.53. */
export function niceTop(share: number): number {
  if (!(share > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(share));
  const round = ROUND.find((each) => each * power >= share * (1 - 1e-9)) ?? 10;
  return Math.min(1, round * power);
}

/** Half of the sum of all differences between shares and probabilities, 0 to 1: the total variation distance. */
export function distanceOf(
  counts: ReadonlyMap<string, number>,
  exact: ReadonlyMap<string, number>,
): number {
  const total = Math.max(1, totalOf(counts));
  const outcomes = new Set([...counts.keys(), ...exact.keys()]);
  let sum = 0;
  for (const each of outcomes) {
    sum += Math.abs((counts.get(each) ?? 0) / total - (exact.get(each) ?? 0));
  }
  return sum / 2;
}

/** The histogram in words: shots, number of outcomes, and the most frequent ones. */
export function histogramInWords(
  { label, counts, other, groups = [] }: HistogramContents,
  all: readonly HistogramRow[],
): string {
  const came = all.filter(({ count }) => count > 0);
  if (came.length === 0) return `${label}: no shots.`;
  const shots = (of: ReadonlyMap<string, number>) => `${grouped(totalOf(of))} shots`;
  const top = came
    .toSorted((a, b) => b.count - a.count)
    .slice(0, 4)
    .map(({ outcome, count, share, exact }) => {
      const expected = exact === undefined ? '' : `, exactly ${percent(exact)}`;
      return `${outcome} ${grouped(count)} times, ${percent(share)}${expected}`;
    });
  const compared =
    other === undefined ? '' : ` Compared with ${other.label}: ${shots(other.counts)}.`;
  const inGroups = groups.map((group) => ` ${group.name}: ${grouped(shotsOf(group, all))} shots.`);
  return (
    `${label}: ${shots(counts)}, ${grouped(came.length)} different outcomes. ` +
    `The most frequent: ${top.join('; ')}.${inGroups.join('')}${compared}`
  );
}

/** A label that is too long to be written in full has its middle left out. */
export function shortened(outcome: string, most = 24): string {
  if (outcome.length <= most) return outcome;
  const half = Math.floor((most - 1) / 2);
  return `${outcome.slice(0, half)}…${outcome.slice(-half)}`;
}

/**
 * Exact probabilities of the classical bits from those of the qubits.
 *
 * @param exact - By outcome of all qubits, qubit 0 rightmost.
 * @param measuredQubits - Qubit of each classical bit; null for a bit that is never written, which is 0.
 */
export function exactOfBits(
  exact: ReadonlyMap<string, number>,
  measuredQubits: readonly (number | null)[],
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const bits = measuredQubits.toReversed();
  for (const [outcome, probability] of exact) {
    const label = bits
      .map((qubit) => (qubit === null ? '0' : (outcome[outcome.length - 1 - qubit] ?? '0')))
      .join('');
    sums.set(label, (sums.get(label) ?? 0) + probability);
  }
  return sums;
}
