/** A circuit's job as the record that callers see. */
import type { ProgramWarning } from '../../circuit/openqasm/token-stream.ts';
import type { Job } from '../../jobs/job.ts';
import type { JsonText } from '../envelope.ts';
import { type LiveFacts, recordText, viewJob } from '../jobs/job-view.ts';
import type { CircuitSummary } from '../schemas/circuits.ts';
import { decodeFacts } from './stored-request.ts';

/** The record without its result. */
export function summarizeCircuit(job: Job, live: LiveFacts): CircuitSummary {
  const { shots, seed, qubits } = decodeFacts(job.request);
  return { circuit_id: job.id, processor: job.target, shots, seed, qubits, ...viewJob(job, live) };
}

/**
 * The whole record; the stored result is put in place as the text it is.
 *
 * @param warnings - Of a circuit that was just submitted; a result holds them itself.
 */
export function circuitRecordJson(
  job: Job,
  live: LiveFacts,
  warnings: readonly ProgramWarning[] = [],
): JsonText {
  const summary = summarizeCircuit(job, live);
  const isNoted = warnings.length === 0 || job.result !== undefined;
  return recordText(isNoted ? summary : { ...summary, warnings }, job);
}
