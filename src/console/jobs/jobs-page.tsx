/** Jobs: all of the key in one list with its filters, or one of them. */
import './jobs.css';
import { useMemo } from 'preact/hooks';
import { grouped, numberOf } from '../numbers.ts';
import { STATUS_WORDS } from '../run/circuit-words.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { SelectField, TextField } from '../shell/forms.tsx';
import { Heading, NeedsKey, Problem } from '../shell/notice.tsx';
import { goTo, hashOf, place } from '../shell/route.ts';
import { key } from '../shell/session.ts';
import { JobList } from './job-list.tsx';
import { type Filters, filtersOf, KINDS, LISTS, queryOf, STATUSES } from './job-row.ts';
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
            lede="Everything that was sent with this key: circuits, batches, experiments, tasks, plans and TPU jobs, newest first."
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

/** Shows the jobs that pass the filters of the address. */
function JobsView() {
  const query = place.value.query.toString();
  const filters = useMemo(() => filtersOf(new URLSearchParams(query)), [query]);
  const jobs = useJobs(filters);
  const { status, tag } = filters;
  return (
    <>
      <FilterForm filters={filters} places={jobs.places} />
      <Problem error={jobs.error} />
      {jobs.error !== undefined && (
        <button type="button" onClick={jobs.readMore}>
          Ask again
        </button>
      )}
      <p class="small" role="status">
        {stateInWords(jobs, filters)}
      </p>
      {jobs.rows.length > 0 && <JobList key={query} jobs={jobs} />}
      <ApiPanel
        call={{
          route: LISTS[KINDS[filters.kind || 'circuit'].list].route,
          query: {
            limit: 100,
            ...(status !== '' && { status: [status] }),
            ...(tag !== '' && { tag: [tag] }),
          },
        }}
        title={
          filters.kind === '' ? 'Circuits by HTTP' : `${KINDS[filters.kind].name}: the list by HTTP`
        }
      />
    </>
  );
}

function stateInWords({ rows, numRead, isComplete, isLoading }: Jobs, filters: Filters): string {
  if (isLoading) return 'Asking for the jobs …';
  const isFiltered = Object.values(filters).some((each) => each !== '');
  if (isComplete) {
    if (rows.length > 0) return `${numberOf(rows.length, 'job')}.`;
    return isFiltered ? 'No job passes the filters.' : 'There are no jobs yet.';
  }
  return `${grouped(rows.length)} jobs so far, of ${grouped(numRead)} that were read. Scroll down for older ones.`;
}

const ALL = ['', 'All'] as const;

function FilterForm({
  filters,
  places,
}: {
  readonly filters: Filters;
  readonly places: readonly string[];
}) {
  const set = (name: keyof Filters) => (value: string) =>
    goTo(hashOf(['jobs'], queryOf({ ...filters, [name]: value })), true);
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
      <TextField label="Tag" value={filters.tag} onText={set('tag')} />
      <TextField
        label="Text"
        type="search"
        placeholder="id, name, work"
        value={filters.text}
        onText={set('text')}
      />
      <button type="button" disabled={!isFiltered} onClick={() => goTo(hashOf(['jobs']), true)}>
        Clear filters
      </button>
    </form>
  );
}
