/** Jobs in the form of IonQ's document. */
import type { Job, JobId } from '../../jobs/job.ts';
import { isoTime } from '../http/envelope.ts';
import { specCodeOf } from '../http/error-table.ts';
import { IONQ_PREFIX } from '../http/not-found.ts';
import type { LiveFacts } from '../jobs/job-view.ts';
import { basisOf } from './ionq-backends.ts';
import { childId, type IonqJob, resultDescriptors } from './ionq-results.ts';

/** IonQ's names of the statuses. A job here is checked before it is stored, so it is ready at once. */
const STATUSES = {
  queued: 'ready',
  running: 'started',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'canceled',
} as const satisfies Readonly<Record<Job['status'], string>>;

/** Statuses that a caller's filter means; IonQ's `submitted` never lasts here. */
export function statusesNamed(name: string): readonly Job['status'][] {
  const own = Object.entries(STATUSES).flatMap(([status, shown]) =>
    // Clients also write queued and running.
    shown === name || status === name ? [status] : [],
  );
  // The cast is safe: the keys are statuses.
  return own as readonly Job['status'][];
}

/** Path of a job. */
export function ionqPath(id: string): string {
  return `${IONQ_PREFIX}/jobs/${id}`;
}

/**
 * UUID that stands for a key. IonQ's clients read the ids of keys and projects as UUIDs; the digits of the key's id are
 * in it.
 *
 * @param id - 16 hexadecimal digits.
 */
export function uuidOfKey(id: string): string {
  return `${id.slice(0, 8)}-${id.slice(8, 12)}-8${id.slice(12, 15)}-8${id.slice(15)}00-000000000000`;
}

/** A job as IonQ's interface shows it. */
export function viewIonqJob(shown: IonqJob, live: Pick<LiveFacts, 'expectedStart'>, now: number) {
  const { job, facts, circuit } = shown;
  const { id, keyId, createdAt, startedAt, finishedAt, status } = job;
  const isChild = circuit !== undefined;
  const isMany = facts.type === 'ionq.multi-circuit.v1' && !isChild;
  const ownId = isChild ? childId(id, circuit) : id;
  const expectedStart = status === 'queued' ? live.expectedStart(id) : undefined;
  const hasResults = status === 'completed' && !facts.dryRun;
  return {
    id: ownId,
    status: STATUSES[status],
    type: isChild ? 'ionq.circuit.v1' : facts.type,
    backend: facts.backend,
    dry_run: facts.dryRun,
    submitter_id: keyId,
    // A key has the jobs of one project: its own.
    project_id: uuidOfKey(keyId),
    parent_job_id: isChild ? id : null,
    child_job_ids: isMany ? facts.bits.map((_, i) => childId(id, i)) : null,
    session_id: facts.session,
    metadata: isChild ? null : facts.metadata,
    name: isChild ? (facts.names[circuit] ?? null) : facts.name,
    submitted_at: isoTime(createdAt),
    started_at: startedAt === undefined ? null : isoTime(startedAt),
    completed_at: finishedAt === undefined ? null : isoTime(finishedAt),
    predicted_wait_time_ms:
      expectedStart === undefined ? null : Math.round(Math.max(0, expectedStart - now)),
    predicted_execution_duration_ms: null,
    execution_duration_ms:
      startedAt === undefined || finishedAt === undefined
        ? null
        : Math.round(finishedAt - startedAt),
    ...(facts.shots === undefined ? {} : { shots: facts.shots }),
    ...(facts.backend === 'simulator' && {
      noise: {
        model: facts.noiseModel,
        ...(facts.noiseSeed === undefined ? {} : { seed: facts.noiseSeed }),
      },
    }),
    failure: failureOf(job),
    output: { simulated: true, ...basisOf(facts.noiseModel) },
    settings: facts.settings,
    stats: {
      qubits: isChild ? (facts.bits[circuit] ?? 0) : facts.qubits,
      circuits: isChild ? 1 : facts.bits.length,
      ...(isChild ? {} : { gate_counts: facts.gateCounts }),
    },
    results: hasResults ? resultDescriptors(shown, ionqPath(ownId)) : null,
  };
}

/** Fault of a failed job, in the words of IonQ's document and, as `error`, in those that older clients read. */
function failureOf({ status, error }: Job) {
  if (status !== 'failed') return null;
  const { code, message } = error ?? { code: 'INTERNAL_ERROR', message: 'The job failed.' };
  const told = { message, error: message };
  if (specCodeOf(code) === 'BAD_REQUEST') return { code: 'InvalidInput', ...told };
  if (code === 'JOBS_INTERRUPTED') return { code: 'SystemCancel', ...told };
  return {
    code: specCodeOf(code) === 'INTERNAL_ERROR' ? 'InternalError' : 'SimulationError',
    ...told,
  };
}

/** Splits the id of a job, or of one circuit of a job. */
export function splitId(text: string): { readonly id: JobId; readonly circuit?: number } {
  const [, id, circuit] = /^(.+)-(\d{1,5})$/.exec(text) ?? [];
  return id === undefined ? { id: text } : { id, circuit: Number(circuit) };
}
