/** Errors of plans that run. */
import { CodedError } from '../../errors/coded-error.ts';

/** A task of the plan did not come to a result, so the plan cannot. */
export class PlanTaskError extends CodedError {
  readonly code = 'WORKLOADS_PLAN_TASK';

  /** @param how - `failed: …` or `was cancelled`, without a full stop where it is a sentence's end. */
  constructor(name: string, how: string) {
    super(`The task ${name} of the plan ${how}`);
  }
}

/** A task refers to a part of a result that is not there. */
export class PlanReferenceError extends CodedError {
  readonly code = 'WORKLOADS_PLAN_REFERENCE';

  constructor(name: string, from: string, path: string, fields: readonly string[]) {
    const there = fields.length === 0 ? 'nothing' : fields.slice(0, 20).join(', ');
    super(
      `The task ${name} of the plan needs ${path} of what ${from} found, which is not there; it found ${there}.`,
    );
  }
}

/** The values that a task refers to are larger than an input may be. */
export class PlanInputSizeError extends CodedError {
  readonly code = 'WORKLOADS_PLAN_INPUT';

  constructor(name: string, limitCharacters: number) {
    super(
      `The results that the task ${name} of the plan refers to take more than ${limitCharacters} characters in its input.`,
    );
  }
}
