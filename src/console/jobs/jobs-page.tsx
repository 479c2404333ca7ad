/** Jobs: all of the key in one list, or one of them. */
import { NeedsKey } from '../shell/notice.tsx';
import { place } from '../shell/route.ts';
import { key } from '../shell/session.ts';
import { JobView } from './job-view.tsx';
import './jobs.css';
import { JobsView } from './jobs-view.tsx';

/** Shows the list, or the job that the address names. */
export function JobsPage() {
  const [id] = place.value.rest;
  return (
    <div class="jobs">
      {id === undefined || id === '' ? (
        <>
          <div class="hero">
            <h1>Jobs</h1>
            <p class="lede">
              Everything that was sent with this key: circuits, batches, tasks, plans and TPU jobs,
              newest first.
            </p>
          </div>
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
