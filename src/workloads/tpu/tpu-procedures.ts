/** What jobs on the TPU fleet do: a procedure for each job type, under its name. */
import type { Procedure } from '../procedures/procedure.ts';
import { inference } from './inference.ts';

/** The procedures; `name` is the job type. */
export const TPU_PROCEDURES: readonly Procedure[] = [inference];
