/** Errors that a procedure call ends with. */
import { CodedError, coded, type Fault, MAX_FAULTS } from '../../errors/coded-error.ts';
import { faultSentence } from '../../errors/fault-path.ts';

/** The input matches its schema, but the procedure finds at run time that it makes no sense. */
export class ProcedureInputError extends CodedError {
  readonly code = 'WORKLOADS_TASK_INPUT';

  /** @param faults - At least one, paths relative to the input; the first 20 are kept. */
  constructor(faults: readonly Fault[]) {
    const first = faults[0];
    if (first === undefined) throw new Error('unreachable: a wrong input without a fault');
    const where = faultSentence(first);
    const more = faults.length === 1 ? '' : ` (and ${faults.length - 1} more)`;
    super(`The input cannot be worked on. ${where}${more}`, faults.slice(0, MAX_FAULTS));
  }
}

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

/** The process ended during the run, and so did those that repeated it. */
export class ProcedureLostError extends CodedError {
  readonly code = 'WORKLOADS_TASK_LOST';

  /** @param how - How the process ended, for callers: without details of the machine. */
  constructor(how: string) {
    super(`The process that ran the task ended (${how}).`);
  }
}

/** The queue of tasks is full. */
export class ProcedureQueueFullError extends CodedError {
  readonly code = 'WORKLOADS_QUEUE_FULL';
  readonly retryAfterS: number;

  constructor(limit: number, retryAfterS: number) {
    super(`${limit} tasks wait, which is the most; try again later.`);
    this.retryAfterS = retryAfterS;
  }
}
