/** A circuit's job as the record that callers see. */
import type { Job, JobId } from '../../jobs/job.ts';
import { isoTime, type JsonText } from '../envelope.ts';
import type { CircuitSummary } from '../schemas/circuits.ts';
import { decodeFacts } from './stored-request.ts';

/** What is known of a job only while the process works on it. */
export interface LiveFacts {
  queuePosition(id: JobId): number | undefined;
  /** Milliseconds since 1970 UTC. */
  expectedStart(id: JobId): number | undefined;
  progress(id: JobId): number | undefined;
}

/** The record without its result. */
export function summarizeCircuit(job: Job, live: LiveFacts): CircuitSummary {
  const { shots, seed, qubits } = decodeFacts(job.request);
  const isQueued = job.status === 'queued';
  const position = isQueued ? live.queuePosition(job.id) : undefined;
  const expectedStart = isQueued ? live.expectedStart(job.id) : undefined;
  return {
    circuit_id: job.id,
    status: job.status,
    processor: job.target,
    shots,
    seed,
    qubits,
    priority: job.priority,
    created_at: isoTime(job.createdAt),
    ...(job.startedAt === undefined ? {} : { started_at: isoTime(job.startedAt) }),
    ...(job.finishedAt === undefined ? {} : { finished_at: isoTime(job.finishedAt) }),
    ...(position === undefined ? {} : { queue_position: position }),
    ...(expectedStart === undefined ? {} : { expected_start_at: isoTime(expectedStart) }),
    ...(job.status === 'running' ? { progress: live.progress(job.id) ?? 0 } : {}),
    ...(job.error === undefined ? {} : { error: job.error }),
  };
}

/** The whole record; the stored result is put in place as the text it is. */
export function circuitRecordJson(job: Job, live: LiveFacts): JsonText {
  const summary = JSON.stringify(summarizeCircuit(job, live));
  if (job.result === undefined) return { json: summary };
  return { json: `${summary.slice(0, -1)},${job.result.slice(1)}` };
}
