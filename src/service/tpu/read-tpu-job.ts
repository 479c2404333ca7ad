/** From the body of a TPU job to what is to run, or all that is wrong with it. */
import { type Fault, MAX_FAULTS } from '../../errors/coded-error.ts';
import { formFaults } from '../../errors/form-faults.ts';
import { sizeFaults } from '../../errors/size-faults.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import { type SliceShape, sliceFaults, sliceShapeOf } from '../../workloads/tpu/slice-request.ts';
import { TPU_PROCEDURES } from '../../workloads/tpu/tpu-procedures.ts';
import { RequestInvalidError } from '../errors.ts';
import {
  inputFaults,
  isJsonObject,
  MAX_INPUT_LENGTH,
  optionsOf,
  processorFaults,
  type WorkOptions,
} from '../jobs/procedure-input.ts';
import { tpuJobBody } from '../schemas/tpu.ts';

/** A TPU job that would run. */
export interface ReadTpuJob extends WorkOptions {
  readonly jobType: string;
  readonly slice: SliceShape;
  /** The body as it was sent. */
  readonly request: JsonObject;
}

/** @throws {RequestInvalidError} listing every fault. */
export function readTpuJob(body: unknown, simulators: readonly string[]): ReadTpuJob {
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
  return {
    jobType: job_type,
    slice: sliceShapeOf(request),
    request: body,
    ...optionsOf(parsed.data),
  };
}

/** What is wrong, beside faults of form, with the fields of a body that have none. */
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
