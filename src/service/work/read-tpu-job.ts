/** Reads a TPU job from a body, or lists every fault. */
import { type Fault, MAX_FAULTS } from '../../errors/coded-error.ts';
import { formFaults, sizeFaults } from '../../errors/form-faults.ts';
import { isJsonObject, type JsonObject } from '../../workloads/procedures/json.ts';
import { sliceFaults, sliceShapeOf } from '../../workloads/tpu/slice-request.ts';
import { TPU_PROCEDURES } from '../../workloads/tpu/tpu-procedures.ts';
import type { TpuType } from '../../workloads/tpu/tpu-zones.ts';
import { RequestInvalidError } from '../http/errors.ts';
import type { Reading } from '../http/reading/reading.ts';
import type { JobSubmission } from '../jobs/job-kind.ts';
import {
  inputFaults,
  MAX_INPUT_LENGTH,
  optionsOf,
  type ProcedureContext,
  type ProcedureOptions,
  processorFaults,
} from '../jobs/procedure-jobs.ts';
import { WHOLE_REQUEST } from '../jobs/stored-request.ts';
import { tpuJobBody } from './tpu-schema.ts';

/** TPU job to be created; its target is the zone. */
export interface TpuJobSubmission extends JobSubmission, ProcedureOptions {
  /** The body as it was sent. */
  readonly request: JsonObject;
}

/** Procedure and slice of a TPU job. */
export interface TpuJobSlice {
  readonly job_type: string;
  readonly tpu_type: TpuType;
  readonly chips: number;
}

/** Reads a body of POST /tpu/jobs in a process. */
export const TPU_JOB_READING: Reading<ProcedureContext, TpuJobSubmission> = {
  name: 'TPU job',
  read: (body, { simulators }) => readTpuJob(body, simulators),
};

/**
 * Reads a JSON value as a TPU job.
 *
 * @throws {RequestInvalidError} listing every fault.
 */
export function readTpuJob(body: unknown, simulators: readonly string[]): TpuJobSubmission {
  const sized = sizeFaults(body, MAX_INPUT_LENGTH);
  if (sized.length > 0) throw new RequestInvalidError(sized);
  const parsed = tpuJobBody.safeParse(body);
  if (!parsed.success) {
    const faults = formFaults(parsed.error, tpuJobBody, body);
    throw new RequestInvalidError([...faults, ...otherFaults(body, faults)].slice(0, MAX_FAULTS));
  }
  const { job_type, tpu_type, zone, chips, input = {} } = parsed.data;
  const procedure = TPU_PROCEDURES.find(({ name }) => name === job_type);
  if (procedure === undefined) throw new Error(`unreachable: no procedure for ${job_type}`);
  if (!isJsonObject(input) || !isJsonObject(body)) {
    throw new Error('unreachable: a body or an input that is no object');
  }
  const request = { tpu_type, zone, chips };
  const faults: readonly Fault[] = [
    ...sliceFaults(request),
    ...inputFaults(procedure, input, ['input']),
    ...processorFaults(parsed.data, simulators),
  ];
  if (faults.length > 0) throw new RequestInvalidError(faults.slice(0, MAX_FAULTS));
  const { zone: target, tpuType, chips: numChips } = sliceShapeOf(request);
  const slice: TpuJobSlice = { job_type, tpu_type: tpuType, chips: numChips };
  return tpuJobSubmission(target, slice, body, optionsOf(parsed.data));
}

/** Creates a submission from a well-formed TPU job, new or repeated. */
export function tpuJobSubmission(
  target: string,
  slice: TpuJobSlice,
  request: JsonObject,
  options: ProcedureOptions,
): TpuJobSubmission {
  const { processor } = options;
  const facts = { ...slice, ...(processor !== undefined && { processor }), ...WHOLE_REQUEST };
  return { ...options, target, facts, request };
}

/** Faults of meaning in the well-formed fields of a body. */
function otherFaults(body: unknown, formFaults: readonly Fault[]): readonly Fault[] {
  if (!isJsonObject(body)) return [];
  const { job_type, tpu_type, zone, chips, input = {} } = body;
  const procedure = TPU_PROCEDURES.find(({ name }) => name === job_type);
  const found = [
    ...sliceFaults({
      tpu_type: typeof tpu_type === 'string' ? tpu_type : undefined,
      zone: typeof zone === 'string' ? zone : undefined,
      chips: typeof chips === 'number' ? chips : undefined,
    }),
    ...(procedure !== undefined && isJsonObject(input)
      ? inputFaults(procedure, input, ['input'])
      : []),
  ];
  return found.filter(({ path }) => formFaults.every((fault) => fault.path !== path));
}
