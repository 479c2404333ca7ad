/** What can be done with a job: cancel, run again, delete, download. */
import { useState } from 'preact/hooks';
import { ActDialog, useAct } from '../shell/forms.tsx';
import { Problem } from '../shell/notice.tsx';
import { goTo, hashOf } from '../shell/route.ts';
import { saveFile } from '../shell/save-file.ts';
import { client } from '../shell/session.ts';
import { csvOf, downloadName } from './job-files.ts';
import { isActive, type Job, type JobRow } from './job-row.ts';

/** Buttons of a job. */
export function JobActions({
  job,
  row,
  onChanged,
  onDeleted,
}: {
  readonly job: Job;
  readonly row: JobRow;
  readonly onChanged: () => void;
  readonly onDeleted: () => void;
}) {
  const { error, isBusy, run } = useAct();
  const [isAsked, setAsked] = useState(false);
  const { id, status } = row;
  const jobs = client.value.jobsOf(id);
  const csv = csvOf(job);
  return (
    <>
      <div class="actions">
        {isActive(row) && (
          <button
            type="button"
            disabled={isBusy}
            onClick={() => run(() => jobs.cancel(id).then(onChanged))}
          >
            Cancel
          </button>
        )}
        {(status === 'failed' || status === 'cancelled') && (
          <button
            type="button"
            disabled={isBusy}
            onClick={() => run(async () => goTo(hashOf(['jobs', jobs.idOf(await jobs.retry(id))])))}
          >
            Run again
          </button>
        )}
        <button
          type="button"
          onClick={() => saveFile(downloadName(row, 'json'), JSON.stringify(job, null, 2))}
        >
          Download JSON
        </button>
        {csv !== undefined && (
          <button type="button" onClick={() => saveFile(downloadName(row, 'csv'), csv)}>
            Download CSV
          </button>
        )}
        {!isActive(row) && (
          <button type="button" disabled={isBusy} onClick={() => setAsked(true)}>
            Delete
          </button>
        )}
      </div>
      <Problem error={error} />
      {isAsked && (
        <ActDialog
          title="Delete this job?"
          action="Delete it"
          refusal="Keep it"
          act={() => jobs.delete(id).then(onDeleted)}
          onClose={() => setAsked(false)}
        >
          {() => <p class="note">Its record and its result are deleted. This cannot be undone.</p>}
        </ActDialog>
      )}
    </>
  );
}
