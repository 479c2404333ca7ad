/** One job, followed to its end: state, sender, times, actions, request and result. */
import { useState } from 'preact/hooks';
import type { TpuJob } from '../../client/api-types.ts';
import type { Progress } from '../../client/job-events.ts';
import { sliceInWords, sliceInZone } from '../fleet/tpu-map.ts';
import { Chips } from '../fleet/tpu-view.tsx';
import { between, duration, numberOf, percent } from '../numbers.ts';
import { circuitFacts, progressInWords } from '../run/circuit-words.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { FactList, type Facts } from '../shell/facts.tsx';
import { ActDialog, useAct } from '../shell/forms.tsx';
import { Problem } from '../shell/notice.tsx';
import { useResource } from '../shell/resource.ts';
import { goTo, hashOf } from '../shell/route.ts';
import { saveFile } from '../shell/save-file.ts';
import { client } from '../shell/session.ts';
import { csvOf, downloadName } from './job-files.ts';
import { addressOf, lastList } from './job-list.tsx';
import { isActive, type Job, type JobRow, KINDS, rowOf, titleOf } from './job-row.ts';
import { RequestView } from './request-view.tsx';
import { ResultCard } from './result-card.tsx';
import { StatusChip } from './status-chip.tsx';
import { useJob } from './use-job.ts';
import { forgetJob } from './use-jobs.ts';

/** Shows a job and follows it to its end. */
export function JobView({ id }: { readonly id: string }) {
  const { job, progress, error, isMissing, reload } = useJob(id);
  const [isDeleted, setDeleted] = useState(false);
  const row = job && rowOf(job);
  const { record: route, idName } = KINDS[row?.kind ?? 'circuit'];
  return (
    <>
      <div class="hero">
        <p>
          <a href={lastList()}>All jobs</a>
        </p>
        <h1>{row === undefined ? 'Job' : titleOf(row)}</h1>
        <p class="job-id">
          <code>{id}</code>
        </p>
      </div>
      {row?.sweep !== undefined && (
        <p>
          This batch is a part of a sweep. <a href={addressOf(row)}>Open the sweep</a>
        </p>
      )}
      {isMissing && (
        <p class="notice">There is no job with this id, or it was sent with another key.</p>
      )}
      {isDeleted && <p class="notice">The job and its result have been deleted.</p>}
      <Problem error={error} />
      {job === undefined && error === undefined && !isMissing && (
        <p class="plain">Asking for the job …</p>
      )}
      {job !== undefined && row !== undefined && !isDeleted && (
        <>
          <section class="card" aria-label="State">
            <State row={row} progress={progress} />
            <FactList class="run-facts" facts={factsOf(job, row)} />
            <JobActions
              job={job}
              row={row}
              onChanged={reload}
              onDeleted={() => {
                forgetJob(id);
                setDeleted(true);
              }}
            />
          </section>
          <ResultCard job={job} row={row} />
          {'job_type' in job && <TpuSlice job={job} />}
          <RequestView job={job} row={row} />
        </>
      )}
      <ApiPanel call={{ route, path: { [idName]: id } }} title="This record by HTTP" />
    </>
  );
}

function State({
  row,
  progress,
}: {
  readonly row: JobRow;
  readonly progress: Progress | undefined;
}) {
  const { status, error, startedAt, finishedAt } = row;
  const now: Progress = progress ?? {
    status,
    ...(row.progress !== undefined && { progress: row.progress }),
    ...(row.queuePosition !== undefined && { queuePosition: row.queuePosition }),
  };
  const took =
    startedAt !== undefined && finishedAt !== undefined
      ? ` after ${between(startedAt, finishedAt)}`
      : '';
  const part = isActive(row) ? now.progress : undefined;
  return (
    <>
      <div class="job-state">
        <StatusChip status={isActive(row) ? now.status : status} />
        <span role="status">
          {isActive(row) ? progressInWords(now) : `${progressInWords({ status })}${took}.`}
        </span>
      </div>
      {part !== undefined && (
        <progress aria-label={`Progress: ${percent(part, 0)}`} value={part} max={1} />
      )}
      {isActive(row) && row.waitingFor !== undefined && <p class="notice">{row.waitingFor}</p>}
      {error !== undefined && (
        <div class="notice bad">
          <p>{error}</p>
        </div>
      )}
    </>
  );
}

/** Sender, work and times of a job. */
function factsOf(job: Job, row: JobRow): Facts {
  const time = (at: string | undefined) =>
    at === undefined ? undefined : at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
  return [
    ['Kind', KINDS[row.kind].name],
    ['Work', row.what],
    ['Sent to', row.where],
    ['Priority', job.priority],
    ['Tags', row.tags.length === 0 ? undefined : row.tags.join(', ')],
    ['Sent', time(row.createdAt)],
    ['Expected to start', isActive(row) ? time(job.expected_start_at) : undefined],
    ['Started', time(row.startedAt)],
    ['Ended', time(row.finishedAt)],
    ['Repeats', job.retry_of],
    ['Part of the plan', 'parent_id' in job ? job.parent_id : undefined],
    ...('circuit_id' in job
      ? circuitFacts(job).filter(([title]) => title !== 'Processor')
      : timesOf(job)),
  ];
}

function timesOf(job: Exclude<Job, { readonly circuit_id: string }>): Facts {
  const { timing } = job;
  const seed: Facts = job.seed === undefined ? [] : [['Seed', String(job.seed)]];
  const times: Facts =
    timing === undefined
      ? []
      : [
          ['Waited', duration(timing.queue_ms)],
          ['Ran for', duration(timing.execution_ms)],
        ];
  const slice: Facts =
    'modelled' in job && job.modelled !== undefined
      ? [
          ['Duration here (measured)', duration(job.measured?.duration_ms ?? 0)],
          [
            'Duration on the slice (modelled)',
            `${duration(job.modelled.duration_ms)}. ${job.modelled.how}`,
          ],
        ]
      : [];
  return [...seed, ...times, ...slice, ...ranOn(job)];
}

function ranOn({ executed_on: executed }: Exclude<Job, { readonly circuit_id: string }>): Facts {
  if (executed === undefined) return [];
  const parts = 'process' in executed ? executed.processors : executed;
  const words = parts.map((part) => {
    const { backend } = part;
    const where =
      'vendor' in backend
        ? `${backend.device} of ${backend.vendor}`
        : `engine ${backend.engine}, ${backend.hardware}`;
    const what =
      'shots' in part ? numberOf(part.shots, 'shot') : numberOf(part.circuits, 'circuit');
    return `${what} on ${where}`;
  });
  const code =
    'process' in executed ? [`${executed.process.runtime} on ${executed.process.hardware}`] : [];
  return [['Ran on', [...code, ...words].join('; ')]];
}

/** Draws the chips of a TPU job on the map of its zone. The size of the zone is that of the fleet. */
function TpuSlice({ job }: { readonly job: TpuJob }) {
  const { data } = useResource('GET /tpu/fleet', {});
  const slice = data && sliceInZone(data, job);
  if (slice === undefined) return null;
  return (
    <section class="card" aria-label="Slice">
      <h2>Slice (modelled)</h2>
      <div class="slice">
        <Chips slices={slice} />
      </div>
      <p class="small">{sliceInWords(slice, job)}</p>
    </section>
  );
}

/** Buttons of a job. */
function JobActions({
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
