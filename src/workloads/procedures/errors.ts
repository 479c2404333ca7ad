/** Errors of procedures: what a run ends with. */
import { CodedError, type Fault, MAX_FAULTS } from '../../errors/coded-error.ts';
import { faultSentence } from '../../errors/fault-path.ts';

/** The input has good form, but the procedure finds while it runs that it makes no sense. */
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

/** The run was not through when its time was over. */
export class ProcedureDeadlineError extends CodedError {
  readonly code = 'WORKLOADS_TASK_DEADLINE';

  constructor(deadlineMs: number) {
    super(`The task was not through after ${deadlineMs} ms, and was ended.`);
  }
}

/** The run took more memory than a process of its kind may. */
export class ProcedureMemoryError extends CodedError {
  readonly code = 'WORKLOADS_TASK_MEMORY';

  constructor(limitMb: number) {
    super(`The task took more than ${limitMb} MB of memory, and was ended.`);
  }
}

/** The result is larger than one that is stored. */
export class ProcedureResultError extends CodedError {
  readonly code = 'WORKLOADS_TASK_RESULT';

  constructor(bytes: number, limitBytes: number) {
    super(`The result takes ${bytes} bytes as JSON; the limit is ${limitBytes}.`);
  }
}

/** The process ended under the run, and so did those that ran it again. */
export class ProcedureLostError extends CodedError {
  readonly code = 'WORKLOADS_TASK_LOST';

  /** @param how - How the process ended, for callers: nothing of the machine in it. */
  constructor(how: string) {
    super(`The process that ran the task ended (${how}).`);
  }
}

/** As many tasks wait as may. */
export class ProcedureQueueFullError extends CodedError {
  readonly code = 'WORKLOADS_QUEUE_FULL';
  readonly retryAfterS: number;

  constructor(limit: number, retryAfterS: number) {
    super(`${limit} tasks wait, which is the most; try again later.`);
    this.retryAfterS = retryAfterS;
  }
}
