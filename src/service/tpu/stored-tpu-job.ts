/** What is stored of a TPU job. */
import type { JsonObject } from '../../workloads/procedures/json.ts';
import type { TpuType } from '../../workloads/tpu/tpu-zones.ts';
import { encodeWork, storedFacts } from '../jobs/stored-request.ts';
import type { Tier } from '../keys/api-key.ts';

/** The facts of a job as they took effect; its zone is the job's target. */
export interface TpuJobFacts {
  readonly job_type: string;
  readonly tpu_type: TpuType;
  readonly chips: number;
  readonly seed: number;
  /** Of the caller's key, when it submitted. */
  readonly tier: Tier;
  /** Where its circuits go; absent where the caller left that open. */
  readonly processor?: string;
}

/** The stored text. */
export function encodeTpuJob(facts: TpuJobFacts, request: JsonObject): string {
  return encodeWork(facts, request);
}

/** The facts alone, of the text or of its beginning. */
export function tpuJobFactsOf(text: string): TpuJobFacts {
  // Checked: the text was written by encodeTpuJob.
  return storedFacts(text) as TpuJobFacts;
}
