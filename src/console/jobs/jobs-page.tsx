/** Jobs: all of the key in one list with its filters, or one of them. */
import './jobs.css';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { grouped, numberOf } from '../numbers.ts';
import { STATUS_WORDS } from '../run/circuit-words.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { SelectField, TextField } from '../shell/forms.tsx';
import { Heading, NeedsKey, Problem } from '../shell/notice.tsx';
import { goTo, hashOf, place } from '../shell/route.ts';
import { key } from '../shell/session.ts';
import { JobList } from './job-list.tsx';
import {
  type Filters,
  filtersOf,
  KINDS,
  LISTS,
  queryOf,
  type Sorting,
  STATUSES,
  sortingOf,
  sortText,
} from './job-row.ts';
import { JobView } from './job-view.tsx';
import { type Jobs, useJobs } from './use-jobs.ts';

/** Shows the list, or the job that the address names. */
export function JobsPage() {
  const [id] = place.value.rest;
  return (
    <div class="jobs">
      {id === undefined || id === '' ? (
        <>
          <Heading
            title="Jobs"
            lede="Everything that was sent with this key: circuits, batches, sweeps, experiments, tasks, plans and TPU jobs, newest first."
          />
          <NeedsKey to="with the scope read to see jobs">
            <JobsView />
          </NeedsKey>
        </>
      ) : (
        <>
          {key.value === undefined && <h1>Job</h1>}
          <NeedsKey to="with the scope read to see jobs">
            <JobView key={id} id={id} />
          </NeedsKey>
        </>
      )}
    </div>
  );
}

/** With fewer rows than this the list reads on by itself, */
const FEW_ROWS = 30;
/** so often at most: each time costs a request of the key. */
const MAX_READS = 10;

/** Shows the jobs that pass the filters of the address. */
function JobsView() {
  const query = place.value.query.toString();
  const [filters, sorting] = useMemo(() => {
    const read = new URLSearchParams(query);
    return [filtersOf(read), sortingOf(read)];
  }, [query]);
  const jobs = useJobs(filters, sorting);
  const { rows, isComplete, isLoading, error, readMore } = jobs;
  const asked = JSON.stringify(filters);
  const reads = useRef({ asked, count: 0 });
  if (reads.current.asked !== asked) reads.current = { asked, count: 0 };
  const isShort = rows.length < FEW_ROWS && !isComplete && !isLoading && error === undefined;
  const isOver = reads.current.count >= MAX_READS;
  useEffect(() => {
    if (!isShort || isOver) return;
    reads.current.count += 1;
    readMore();
  }, [jobs, isShort, isOver]);
  return (
    <>
      <FilterForm filters={filters} sorting={sorting} places={jobs.places} />
      <Problem error={error} />
      {error !== undefined && (
        <button type="button" onClick={readMore}>
          Ask again
        </button>
      )}
      <p class="small" role="status">
        {stateInWords(jobs, filters, sorting)}
      </p>
      {isShort && isOver && (
        <p class="actions">
          <button type="button" onClick={readMore}>
            Look through older jobs
          </button>
        </p>
      )}
      {rows.length > 0 && (
        <JobList
          key={asked}
          jobs={jobs}
          query={query}
          sorting={sorting}
          onSort={(next) => show(filters, next)}
        />
      )}
      <ApiPanel
        call={{
          route: LISTS[KINDS[filters.kind || 'circuit'].list].route,
          query: {
            limit: 100,
            ...(filters.status !== '' && { status: [filters.status] }),
            ...(filters.tag !== '' && { tag: [filters.tag] }),
            ...(filters.text !== '' && { search: filters.text }),
          },
        }}
        title={
          filters.kind === '' ? 'Circuits by HTTP' : `${KINDS[filters.kind].name}: the list by HTTP`
        }
      />
    </>
  );
}

/** Has the address name filters and the sorting, in place of those before. */
function show(filters: Filters, sorting: Sorting): void {
  goTo(hashOf(['jobs'], { ...queryOf(filters), sort: sortText(sorting) }), true);
}

function stateInWords(
  { rows, numRead, isComplete, isLoading }: Jobs,
  filters: Filters,
  { column }: Sorting,
): string {
  if (isLoading) return 'Asking for the jobs …';
  const isFiltered = Object.values(filters).some((each) => each !== '');
  if (isComplete) {
    if (rows.length > 0) return `${numberOf(rows.length, 'job')}.`;
    return isFiltered ? 'No job passes the filters.' : 'There are no jobs yet.';
  }
  if (filters.text !== '' || filters.where !== '') {
    const order = column === 'sent' ? 'the newest first' : 'and only these are sorted';
    return `${numberOf(rows.length, 'job')} found so far, ${order}.`;
  }
  const order = column === 'sent' ? '' : ' Only these are sorted.';
  return `${grouped(rows.length)} jobs so far, of ${grouped(numRead)} that were read.${order} Scroll down for older ones.`;
}

const ALL = ['', 'All'] as const;

function FilterForm({
  filters,
  sorting,
  places,
}: {
  readonly filters: Filters;
  readonly sorting: Sorting;
  readonly places: readonly string[];
}) {
  const set = (name: keyof Filters) => (value: string) =>
    show({ ...filters, [name]: value }, sorting);
  const isFiltered = Object.values(filters).some((each) => each !== '');
  const { where } = filters;
  const shown = where === '' || places.includes(where) ? places : [where, ...places];
  return (
    <form
      class="job-filters"
      role="search"
      aria-label="Filters"
      onSubmit={(e) => e.preventDefault()}
    >
      <TextField
        label="Search"
        type="search"
        maxLength={100}
        placeholder="name, id, processor …"
        value={filters.text}
        onText={set('text')}
      />
      <SelectField
        label="Kind"
        value={filters.kind}
        options={[ALL, ...Object.entries(KINDS).map(([kind, { name }]) => [kind, name] as const)]}
        onChoose={set('kind')}
      />
      <SelectField
        label="Status"
        value={filters.status}
        options={[ALL, ...STATUSES.map((each) => [each, STATUS_WORDS[each]] as const)]}
        onChoose={set('status')}
      />
      <SelectField
        label="Where"
        value={where}
        options={[ALL, ...shown.map((each) => [each, each] as const)]}
        onChoose={set('where')}
      />
      <TextField label="Tag" maxLength={40} value={filters.tag} onText={set('tag')} />
      <button type="button" disabled={!isFiltered} onClick={() => goTo(hashOf(['jobs']), true)}>
        Clear filters
      </button>
    </form>
  );
}
