/**
 * Histogram of counts, with exact probabilities beside the bars, and a second job to compare with. Up to thousands
 * of outcomes: the 64 most frequent ones have a bar each, the others have one together. A chart that is wider than its
 * place can be scrolled.
 */

import { useMemo, useRef } from 'preact/hooks';
import { grouped, percent } from '../numbers.ts';
import { Table } from '../shell/table.tsx';
import {
  allRows,
  greatestOf,
  type HistogramContents,
  type HistogramGroup,
  type HistogramRow,
  type HistogramRows,
  histogramInWords,
  inGroups,
  niceTop,
  rowsToDraw,
  shortened,
  shotsOf,
} from './histogram-data.ts';
import { useWidth } from './use-width.ts';
import './histogram.css';

const HEIGHT = 240;
/** Room for the headings of groups above the bars, width of a heading, and room between groups. */
const HEADINGS = 28;
const HEADING = 106;
const BETWEEN_GROUPS = 20;
const MARGIN = { top: 26, left: 52, right: 4 };
/** Least width of a slot, for its label, and of each of its bars. */
const LEAST_SLOT = 14;
const LEAST_BAR = 7;
const MAX_SLOTS = 64;
/** A few outcomes stand close together on a wide page. */
const WIDEST_SLOT = 120;
/** Width of a character of a label. */
const CHARACTER = 8;
const FILLED = 0.76;
const NUM_TABLE_ROWS = 1000;

/** Draws counts as bars, says them in words, and has them as a table. */
export function Histogram(contents: HistogramContents) {
  const { label, counts, exact, other, groups = [] } = contents;
  const figure = useRef<HTMLElement>(null);
  const width = useWidth(figure);
  const all = useMemo(() => allRows(contents), [counts, exact, other?.counts]);
  const numBars = 1 + Number(exact !== undefined) + Number(other !== undefined);
  const rows = useMemo(() => rowsToDraw(all, MAX_SLOTS), [all]);
  const leastWidth =
    MARGIN.left + MARGIN.right + rows.rows.length * Math.max(LEAST_SLOT, LEAST_BAR * numBars);
  const isScrolled = width > 0 && leastWidth > width;
  return (
    <figure class="histogram" ref={figure}>
      {numBars > 1 && <Legend {...contents} />}
      {width > 0 && (
        <div
          {...(isScrolled && {
            class: 'scroll',
            role: 'region',
            tabIndex: 0,
            'aria-label': `Bars: ${label}`,
          })}
        >
          <Drawing
            rows={rows}
            groups={groups}
            width={Math.max(width, leastWidth)}
            numBars={numBars}
            words={histogramInWords(contents, all)}
          />
        </div>
      )}
      <details>
        <summary>Counts as a table</summary>
        <CountsTable
          label={label}
          all={all}
          groups={groups}
          otherLabel={other?.label}
          hasExact={exact !== undefined}
        />
      </details>
    </figure>
  );
}

function Legend({ label, exact, other }: HistogramContents) {
  return (
    <ul class="legend">
      <li>
        <span class="swatch own" aria-hidden="true" /> {label}
      </li>
      {exact !== undefined && (
        <li>
          <span class="swatch exact" aria-hidden="true" /> Exact probability
        </li>
      )}
      {other !== undefined && (
        <li>
          <span class="swatch other" aria-hidden="true" /> {other.label}
        </li>
      )}
    </ul>
  );
}

interface Shape {
  readonly width: number;
  readonly numBars: number;
}

function Drawing({
  rows: { rows, numOthers },
  groups,
  width,
  numBars,
  words,
}: Shape & {
  readonly rows: HistogramRows;
  readonly groups: readonly HistogramGroup[];
  readonly words: string;
}) {
  const numGaps = Math.max(0, groups.length - 1);
  const room = width - MARGIN.left - MARGIN.right - numGaps * BETWEEN_GROUPS;
  const pitch = Math.min(WIDEST_SLOT, room / Math.max(1, rows.length));
  const longest = rows.reduce((most, { outcome }) => Math.max(most, shortened(outcome).length), 0);
  const isUpright = pitch < longest * CHARACTER + 4;
  const headings = groups.length > 0 ? HEADINGS : 0;
  const height = HEIGHT + headings + (isUpright ? longest * CHARACTER - 14 : 0);
  const base = HEIGHT + headings - 24;
  const top = niceTop(greatestOf(rows));
  const heightOf = (share: number) => ((base - MARGIN.top - headings) * share) / top;
  const slots = inGroups(rows, groups).map((slot, i) => ({
    ...slot,
    x: MARGIN.left + i * pitch + Math.max(0, slot.group) * BETWEEN_GROUPS,
  }));
  return (
    <svg width={width} height={height} role="img" aria-label={words}>
      {[0, top / 2, top].map((share) => (
        <g class="tick" key={share}>
          <line
            x1={MARGIN.left}
            x2={width}
            y1={base - heightOf(share)}
            y2={base - heightOf(share)}
          />
          <text x={MARGIN.left - 8} y={base - heightOf(share) + 4} text-anchor="end">
            {shareInWords(share)}
          </text>
        </g>
      ))}
      {groups.map((group, g) => {
        const left = slots.find((slot) => slot.group === g)?.x ?? MARGIN.left;
        const x = Math.min(left, width - HEADING);
        return (
          <g key={group.name}>
            <text x={x} y="16" class={`group ${group.style}`}>
              {`${group.name}: ${grouped(shotsOf(group, rows))}`}
            </text>
            <text x={x} y="34" class="scale">
              {group.note}
            </text>
          </g>
        );
      })}
      {slots.map(({ row, group, x }, i) => (
        <Slot
          key={row.outcome}
          row={row}
          x={x}
          style={groups[group]?.style ?? ''}
          pitch={pitch}
          numBars={numBars}
          base={base}
          heightOf={heightOf}
          isUpright={isUpright}
          isRest={numOthers > 0 && i === rows.length - 1}
        />
      ))}
    </svg>
  );
}

function Slot({
  row,
  x,
  style,
  pitch,
  numBars,
  base,
  heightOf,
  isUpright,
  isRest,
}: {
  readonly row: HistogramRow;
  readonly x: number;
  /** Class of its group; empty if there are no groups. */
  readonly style: string;
  readonly pitch: number;
  readonly numBars: number;
  readonly base: number;
  readonly heightOf: (share: number) => number;
  readonly isUpright: boolean;
  readonly isRest: boolean;
}) {
  const { outcome, count, share, exact, otherShare } = row;
  const bars = [
    { kind: `own ${style}`.trim(), share },
    ...(exact === undefined ? [] : [{ kind: 'exact', share: exact }]),
    ...(otherShare === undefined ? [] : [{ kind: 'other', share: otherShare }]),
  ];
  const barWidth = (pitch * FILLED) / numBars;
  const left = x + (pitch * (1 - FILLED)) / 2;
  const centre = x + pitch / 2;
  const hasCount = count > 0 && barWidth >= grouped(count).length * CHARACTER;
  return (
    <g class={isRest ? 'slot rest' : 'slot'}>
      <title>{rowInWords(row)}</title>
      {bars.map((bar, i) => {
        const size = heightOf(bar.share);
        return (
          <rect
            key={bar.kind}
            class={bar.kind}
            x={left + i * barWidth + (i === 0 ? 0 : 1)}
            y={base - size}
            width={Math.max(1, barWidth - (i === 0 ? 0 : 2))}
            height={size}
            rx={Math.min(3, size / 2)}
          />
        );
      })}
      {hasCount && (
        <text
          class="count"
          x={left + barWidth / 2}
          y={base - heightOf(share) - 6}
          text-anchor="middle"
        >
          {grouped(count)}
        </text>
      )}
      {isUpright ? (
        <text
          class="outcome"
          x={centre}
          y={base + 8}
          text-anchor="end"
          dominant-baseline="central"
          transform={`rotate(-90 ${centre} ${base + 8})`}
        >
          {shortened(outcome)}
        </text>
      ) : (
        <text class="outcome" x={centre} y={base + 18} text-anchor="middle">
          {shortened(outcome)}
        </text>
      )}
    </g>
  );
}

function rowInWords({
  outcome,
  count,
  share,
  exact,
  otherCount,
  otherShare,
}: HistogramRow): string {
  const exactly = exact === undefined ? '' : `, exactly ${percent(exact, 2)}`;
  const other =
    otherCount === undefined
      ? ''
      : `; in the other run ${grouped(otherCount)} (${percent(otherShare ?? 0)})`;
  return `${outcome}: ${grouped(count)} (${percent(share)})${exactly}${other}`;
}

function shareInWords(share: number): string {
  return `${Number((share * 100).toPrecision(2))}%`;
}

function CountsTable({
  label,
  all,
  groups,
  otherLabel,
  hasExact,
}: {
  readonly label: string;
  readonly all: readonly HistogramRow[];
  readonly groups: readonly HistogramGroup[];
  readonly otherLabel: string | undefined;
  readonly hasExact: boolean;
}) {
  return (
    <Table
      label={`Counts: ${label}`}
      class="rows"
      columns={[
        'Outcome',
        ...(groups.length > 0 ? ['Counts as'] : []),
        'Count',
        'Share',
        ...(hasExact ? ['Exact'] : []),
        ...(otherLabel === undefined ? [] : [otherLabel]),
      ]}
      rows={all
        .slice(0, NUM_TABLE_ROWS)
        .map((row) => [
          row.outcome,
          ...(groups.length > 0 ? [groups.find(({ has }) => has(row.outcome))?.name] : []),
          grouped(row.count),
          percent(row.share, 2),
          ...(row.exact === undefined ? [] : [percent(row.exact, 2)]),
          ...(row.otherCount === undefined
            ? []
            : [`${grouped(row.otherCount)} (${percent(row.otherShare ?? 0, 2)})`]),
        ])}
    >
      {all.length > NUM_TABLE_ROWS && (
        <p class="small">
          The {grouped(NUM_TABLE_ROWS)} most frequent of {grouped(all.length)} outcomes.
        </p>
      )}
    </Table>
  );
}
