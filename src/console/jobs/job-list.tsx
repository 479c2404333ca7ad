/**
 * Jobs as a table of links. Only the rows in sight are in the document, so that ten thousand scroll smoothly. Arrows,
 * Page Up and Down, Home and End go from link to link.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ago, between, timeOfDay } from '../numbers.ts';
import { hashOf } from '../shell/route.ts';
import { COLUMNS, type Column, type JobRow, KINDS, type Sorting } from './job-row.ts';
import { StatusChip } from './status-chip.tsx';
import type { Jobs } from './use-jobs.ts';

/** Height of a row in pixels, as in jobs.css. */
const ROW = 56;
/** Height of the heading. */
const HEAD = 36;
/** Rows beyond the edge that are in the document. */
const BEYOND = 8;
/** The next page is asked for when so few rows are left. */
const AHEAD = 60;

/** The row that was chosen, and where it was then. */
interface Choice {
  readonly id: string;
  readonly index: number;
}

/** Place of the chosen row; −1 if there is none. It moves when jobs come in. */
function placeOf(choice: Choice | undefined, rows: readonly JobRow[]): number {
  if (choice === undefined) return -1;
  const { id, index } = choice;
  return rows[index]?.id === id ? index : rows.findIndex((row) => row.id === id);
}

/** The list that was shown last, its chosen row and its scroll: who comes back finds them. */
let last: { query: string; scrollTop: number; choice: Choice | undefined } = {
  query: '',
  scrollTop: 0,
  choice: undefined,
};

/** Address of the list that was shown last. */
export function lastList(): string {
  return hashOf(['jobs'], Object.fromEntries(new URLSearchParams(last.query)));
}

/** The address of a job, or of the sweep that it is a part of. */
export function addressOf({ id, sweep }: Pick<JobRow, 'id' | 'sweep'>): string {
  return sweep === undefined ? hashOf(['jobs', id]) : hashOf(['sweeps'], { sweep });
}

const TITLES: Readonly<Record<Column, string>> = {
  status: 'Status',
  job: 'Job',
  where: 'Where',
  took: 'Took',
  sent: 'Sent',
};

/** Shows rows. */
export function JobList({
  jobs,
  query,
  sorting,
  onSort,
}: {
  readonly jobs: Jobs;
  /** Query of the address. */
  readonly query: string;
  readonly sorting: Sorting;
  readonly onSort: (sorting: Sorting) => void;
}) {
  const { rows, isComplete, readMore, error } = jobs;
  const box = useRef<HTMLDivElement>(null);
  const [{ first, count }, setSight] = useState({ first: 0, count: 20 });
  const isBack = useRef(last.query === query).current;
  const [choice, setChoice] = useState(isBack ? last.choice : undefined);
  const chosen = placeOf(choice, rows);

  const look = () => {
    if (box.current === null) return;
    const { scrollTop, clientHeight } = box.current;
    last = { query, scrollTop, choice };
    const now = { first: Math.floor(scrollTop / ROW), count: Math.ceil(clientHeight / ROW) + 1 };
    setSight((old) => (old.first === now.first && old.count === now.count ? old : now));
  };
  useLayoutEffect(() => {
    if (isBack && box.current !== null) box.current.scrollTop = last.scrollTop;
  }, []);
  useLayoutEffect(look, [query, choice]);
  useEffect(() => {
    const sizes = new ResizeObserver(look);
    if (box.current !== null) sizes.observe(box.current);
    return () => sizes.disconnect();
  }, []);
  const inSight = useRef({ rows, first, topId: rows[first]?.id });
  useLayoutEffect(() => {
    const before = inSight.current;
    inSight.current = { rows, first, topId: rows[first]?.id };
    if (box.current === null || before.first === 0 || before.rows === rows) return;
    // Jobs that come in above leave the rows in sight where they are. One may have scrolled at the same time.
    const now = rows.findIndex(({ id }) => id === before.topId);
    if (now > before.first) box.current.scrollTop += (now - before.first) * ROW;
  });
  const isNearEnd = first + count + AHEAD > rows.length;
  useEffect(() => {
    if (isNearEnd && !isComplete && error === undefined) readMore();
  }, [isNearEnd, isComplete, error, jobs]);

  /** Whether the chosen link is to have the focus when it is in the document. */
  const isFocused = useRef(false);
  useLayoutEffect(() => {
    if (!isFocused.current) return;
    isFocused.current = false;
    document.getElementById(`job-${choice?.id}`)?.focus({ preventScroll: true });
  });
  const choose = (index: number) => {
    const at = Math.max(0, Math.min(rows.length - 1, index));
    const row = rows[at];
    setChoice(row && { id: row.id, index: at });
    isFocused.current = true;
    const element = box.current;
    if (element === null) return;
    const height = element.clientHeight - HEAD;
    if (at * ROW < element.scrollTop) element.scrollTop = at * ROW;
    else if ((at + 1) * ROW > element.scrollTop + height) {
      element.scrollTop = (at + 1) * ROW - height;
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLAnchorElement)) return;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      PageDown: chosen + count - 3,
      PageUp: chosen - count + 3,
      Home: 0,
      End: rows.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    choose(next);
  };

  const start = Math.max(0, first - BEYOND);
  const end = Math.min(rows.length, first + count + BEYOND);
  // The chosen row stays in the document: its link may have the focus. Else the first one in sight is reached by Tab.
  const shown = [
    ...(chosen >= 0 && chosen < start ? [chosen] : []),
    ...Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i),
    ...(chosen >= end ? [chosen] : []),
  ];
  const tabbed = chosen >= 0 ? chosen : Math.min(first, rows.length - 1);
  return (
    <div
      ref={box}
      class="job-list card"
      role="table"
      aria-label="Jobs"
      aria-rowcount={isComplete ? rows.length + 1 : -1}
      onScroll={look}
      onKeyDown={onKey}
    >
      <div class="job-head" role="row" tabIndex={-1} aria-rowindex={1}>
        {COLUMNS.map((column) => (
          <Head
            key={column}
            column={column}
            sorting={sorting}
            onSort={(next) => {
              box.current?.scrollTo(0, 0);
              onSort(next);
            }}
          />
        ))}
      </div>
      <div class="job-rows" role="rowgroup" style={{ height: `${rows.length * ROW}px` }}>
        {shown.map((index) => {
          const row = rows[index];
          return (
            row && (
              <Row
                key={row.id}
                row={row}
                index={index}
                isChosen={index === chosen}
                isTabbed={index === tabbed}
                onFocus={() => setChoice({ id: row.id, index })}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** Title of a column, which sorts by it, and turns its order round if it is sorted by already. */
function Head({
  column,
  sorting,
  onSort,
}: {
  readonly column: Column;
  readonly sorting: Sorting;
  readonly onSort: (sorting: Sorting) => void;
}) {
  const isSorted = sorting.column === column;
  // The newest and the longest come first.
  const isDescending = (column === 'sent' || column === 'took') !== sorting.isTurned;
  return (
    <div
      class={`job-${column}`}
      role="columnheader"
      tabIndex={-1}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        onClick={() => onSort({ column, isTurned: isSorted && !sorting.isTurned })}
      >
        {TITLES[column]}
        <span aria-hidden="true">{isSorted ? (isDescending ? ' ▾' : ' ▴') : ''}</span>
      </button>
    </div>
  );
}

function Row({
  row,
  index,
  isChosen,
  isTabbed,
  onFocus,
}: {
  readonly row: JobRow;
  readonly index: number;
  readonly isChosen: boolean;
  readonly isTabbed: boolean;
  readonly onFocus: () => void;
}) {
  const { id, kind, status, where, what, name, tags, createdAt, progress, parts = 1 } = row;
  const kindName = KINDS[kind].name;
  return (
    <div
      class={`job-row ${isChosen ? 'chosen' : ''}`}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${index * ROW}px)` }}
    >
      <div class="job-status" role="cell">
        <StatusChip status={status} progress={progress} />
      </div>
      <div class="job-job" role="cell">
        <a id={`job-${id}`} href={addressOf(row)} tabIndex={isTabbed ? 0 : -1} onFocus={onFocus}>
          {name ?? kindName}
        </a>
        <span class="soft">
          {name === undefined ? '' : `${kindName}, `}
          {what}
          {parts > 1 && ` in ${parts} batches`}
          {tags.map((tag) => (
            <span key={tag} class="tag">
              {tag}
            </span>
          ))}
        </span>
      </div>
      <div class="job-where" role="cell">
        {where}
      </div>
      <div class="job-took" role="cell">
        {timeInWords(row)}
      </div>
      <div class="job-sent" role="cell">
        <time dateTime={createdAt} title={`${createdAt} (${timeOfDay(Date.parse(createdAt))})`}>
          {ago(createdAt, Date.now())}
        </time>
      </div>
    </div>
  );
}

function timeInWords({ status, startedAt, finishedAt, queuePosition, waitingFor }: JobRow): string {
  if (status === 'queued' && waitingFor !== undefined) return 'no node can run it';
  if (status === 'queued') return queuePosition === undefined ? '' : `${queuePosition} before it`;
  if (startedAt === undefined || finishedAt === undefined) return '';
  return between(startedAt, finishedAt);
}
