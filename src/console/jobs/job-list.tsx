/**
 * Rows of jobs. Only those in sight are in the document, so that ten thousand scroll smoothly. Arrows, Page Up and
 * Down, Home and End choose a row, Enter opens it.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ago, duration, timeOfDay } from '../numbers.ts';
import { goTo, hashOf } from '../shell/route.ts';
import { type JobRow, KINDS } from './job-row.ts';
import { StatusChip } from './status-chip.tsx';
import type { Jobs } from './use-jobs.ts';

/** Height of a row in pixels, as in jobs.css. */
const ROW = 56;
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

/** Shows rows. */
export function JobList({ jobs }: { readonly jobs: Jobs }) {
  const { rows, isComplete, readMore, error } = jobs;
  const box = useRef<HTMLDivElement>(null);
  const [{ first, count }, setSight] = useState({ first: 0, count: 20 });
  const [choice, setChoice] = useState<Choice>();
  const chosen = placeOf(choice, rows);

  const look = () => {
    if (box.current === null) return;
    const { scrollTop, clientHeight } = box.current;
    const now = { first: Math.floor(scrollTop / ROW), count: Math.ceil(clientHeight / ROW) + 1 };
    setSight((old) => (old.first === now.first && old.count === now.count ? old : now));
  };
  useLayoutEffect(look, []);
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

  const choose = (index: number) => {
    const at = Math.max(0, Math.min(rows.length - 1, index));
    const row = rows[at];
    setChoice(row && { id: row.id, index: at });
    const element = box.current;
    if (element === null) return;
    if (at * ROW < element.scrollTop) element.scrollTop = at * ROW;
    else if ((at + 1) * ROW > element.scrollTop + element.clientHeight) {
      element.scrollTop = (at + 1) * ROW - element.clientHeight;
    }
  };
  const open = (id: string) => goTo(hashOf(['jobs', id]));
  const onKey = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      PageDown: chosen + count - 2,
      PageUp: chosen - count + 2,
      Home: 0,
      End: rows.length - 1,
    };
    const next = steps[event.key];
    if (next !== undefined) {
      event.preventDefault();
      choose(next);
    } else if (event.key === 'Enter' && choice !== undefined && chosen >= 0) {
      event.preventDefault();
      open(choice.id);
    }
  };

  const start = Math.max(0, first - BEYOND);
  const end = Math.min(rows.length, first + count + BEYOND);
  // A row that enters takes the elements of one that has left, which is faster than making new ones.
  const numSlots = count + 2 * BEYOND;
  // The chosen row stays in the document: the list names it.
  const shown = [
    ...(chosen >= 0 && chosen < start ? [chosen] : []),
    ...Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i),
    ...(chosen >= end ? [chosen] : []),
  ];
  return (
    <div
      ref={box}
      class="job-list card"
      role="listbox"
      aria-label="Jobs"
      tabIndex={0}
      {...(chosen >= 0 && { 'aria-activedescendant': `row-${choice?.id}` })}
      onScroll={look}
      onKeyDown={onKey}
    >
      <div class="job-rows" role="presentation" style={{ height: `${rows.length * ROW}px` }}>
        {shown.map((index) => {
          const row = rows[index];
          return (
            row && (
              <Row
                key={start <= index && index < end ? index % numSlots : 'apart'}
                row={row}
                index={index}
                numRows={isComplete ? rows.length : -1}
                isChosen={index === chosen}
                onOpen={open}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

function Row({
  row,
  index,
  numRows,
  isChosen,
  onOpen,
}: {
  readonly row: JobRow;
  readonly index: number;
  readonly numRows: number;
  readonly isChosen: boolean;
  readonly onOpen: (id: string) => void;
}) {
  const { id, kind, status, where, what, name, tags, createdAt, progress } = row;
  return (
    // The list has the keys: it keeps the focus, and names the chosen row.
    <div
      id={`row-${id}`}
      class="job-row"
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      aria-posinset={index + 1}
      aria-setsize={numRows}
      style={{ transform: `translateY(${index * ROW}px)` }}
      onClick={() => onOpen(id)}
      onKeyDown={undefined}
    >
      <StatusChip status={status} progress={progress} />
      <span class="job-what">
        <b>{name ?? KINDS[kind].name}</b>{' '}
        <span class="soft">{name === undefined ? '' : KINDS[kind].name}</span> {what}
      </span>
      <span class="job-where">{where}</span>
      <span class="job-tags">{tags.join(', ')}</span>
      <span class="job-time">{timeInWords(row)}</span>
      <time
        class="job-ago"
        dateTime={createdAt}
        title={`${createdAt} (${timeOfDay(Date.parse(createdAt))})`}
      >
        {ago(createdAt, Date.now())}
      </time>
    </div>
  );
}

function timeInWords({ status, startedAt, finishedAt, queuePosition, waitingFor }: JobRow): string {
  if (status === 'queued' && waitingFor !== undefined) return 'no node can run it';
  if (status === 'queued') return queuePosition === undefined ? '' : `${queuePosition} before it`;
  if (startedAt === undefined || finishedAt === undefined) return '';
  return duration(Date.parse(finishedAt) - Date.parse(startedAt));
}
