/** Cuts the circuits of a batch into jobs of a vendor. */
import { evaluateAngles } from '../../circuit/angle-formulas.ts';
import { type Batch, factsOfShape } from '../../fleet/workers/sent-batch.ts';

/** Circuits of one shape within a job. */
interface JobRows {
  /** Index of the request that they are from, and their rows in it. */
  readonly request: number;
  readonly from: number;
  readonly to: number;
}

/** A job of a vendor. */
export interface PlannedJob {
  readonly shots: number;
  readonly rows: readonly JobRows[];
}

/** Circuits that a job may have. Fewer than a vendor takes bring the first results sooner. */
interface JobLimits {
  readonly maxCircuits: number;
}

/** Operations of the circuits of one job: as many as one circuit may have, because fitting these takes seconds. */
const MAX_OPERATIONS = 10_000;
/** Bytes of the counts of one job, as JSON, which the vendor's answer must not exceed. */
const MAX_COUNTS_BYTES = 32 * 2 ** 20;
/** Bytes of an entry of counts without its label. */
const ENTRY_BYTES = 14;

/** The jobs for the circuits of some requests, in order. The same requests give the same jobs. */
export function plannedJobs(
  requests: readonly Batch[],
  { maxCircuits }: JobLimits,
): readonly PlannedJob[] {
  const jobs: { readonly shots: number; readonly rows: JobRows[] }[] = [];
  let left = { circuits: 0, operations: 0, bytes: 0 };
  for (const [request, { circuit, request: asked }] of requests.entries()) {
    const { shots = 0, numCircuits } = asked;
    const operations = 1 + factsOfShape(circuit).work.numOperations;
    const bytes = Math.min(shots, 2 ** circuit.numBits) * (circuit.numBits + ENTRY_BYTES);
    for (let from = 0; from < numCircuits; ) {
      const room = Math.floor(
        Math.min(left.circuits, left.operations / operations, left.bytes / bytes),
      );
      const last = jobs.at(-1);
      if (last === undefined || last.shots !== shots || room < 1) {
        jobs.push({ shots, rows: [] });
        left = {
          circuits: maxCircuits,
          operations: Math.max(MAX_OPERATIONS, operations),
          bytes: Math.max(MAX_COUNTS_BYTES, bytes),
        };
        continue;
      }
      const to = Math.min(numCircuits, from + room);
      last.rows.push({ request, from, to });
      const number = to - from;
      left = {
        circuits: left.circuits - number,
        operations: left.operations - number * operations,
        bytes: left.bytes - number * bytes,
      };
      from = to;
    }
  }
  return jobs;
}

/** Angles of the circuits of some rows of a request, row after row. */
export function anglesOfRows({ request }: Batch, { from, to }: JobRows): Float64Array {
  const { angles, formulas, numCircuits } = request;
  const width = angles.length / numCircuits;
  const rows = Float64Array.from(angles.subarray(from * width, to * width));
  return formulas === undefined ? rows : evaluateAngles(formulas, rows, to - from);
}
