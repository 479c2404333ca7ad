/** Errors that a procedure call ends with. */
import { coded, type Fault, firstOf } from '../../errors/coded-error.ts';
import { faultSentence } from '../../errors/fault-path.ts';

/**
 * The input matches its schema, but the procedure finds at run time that it makes no sense. The paths of its faults
 * begin at the input.
 */
export class ProcedureInputError extends coded(
  'WORKLOADS_TASK_INPUT',
  (faults: readonly Fault[]) => {
    const where = faultSentence(firstOf(faults));
    const more = faults.length === 1 ? '' : ` (and ${faults.length - 1} more)`;
    return { message: `The input cannot be worked on. ${where}${more}`, faults };
  },
) {}

/** The run exceeded its deadline. */
export class ProcedureDeadlineError extends coded(
  'WORKLOADS_TASK_DEADLINE',
  (deadlineMs: number) => `The task was not through after ${deadlineMs} ms, and was ended.`,
) {}

/** The run exceeded the memory limit of its process. */
export class ProcedureMemoryError extends coded(
  'WORKLOADS_TASK_MEMORY',
  (limitMb: number) => `The task took more than ${limitMb} MB of memory, and was ended.`,
) {}

/** The result is larger than the limit for stored results. */
export class ProcedureResultError extends coded(
  'WORKLOADS_TASK_RESULT',
  (bytes: number, limitBytes: number) =>
    `The result takes ${bytes} bytes as JSON; the limit is ${limitBytes}.`,
) {}

/**
 * The process ended during the run, and so did those that repeated it. `how` is for callers, without details of the
 * machine.
 */
export class ProcedureLostError extends coded(
  'WORKLOADS_TASK_LOST',
  (how: string) => `The process that ran the task ended (${how}).`,
) {}

/** The queue of tasks is full. */
export class ProcedureQueueFullError extends coded(
  'WORKLOADS_QUEUE_FULL',
  (limit: number, retryAfterS: number) => ({
    message: `${limit} tasks wait, which is the most; try again later.`,
    retryAfterS,
  }),
) {}
