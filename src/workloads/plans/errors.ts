/** Errors of running plans. */
import { CodedError } from '../../errors/coded-error.ts';

/** A task of the plan failed or was cancelled, so the plan cannot complete. */
export class PlanTaskError extends CodedError {
  readonly code = 'WORKLOADS_PLAN_TASK';

  /** @param how - `failed: …` or `was cancelled`, without a full stop. */
  constructor(name: string, how: string) {
    super(`The task ${name} of the plan ${how}`);
  }
}

/** A task refers to a part that a result does not have. */
export class PlanReferenceError extends CodedError {
  readonly code = 'WORKLOADS_PLAN_REFERENCE';

  constructor(name: string, from: string, path: string, fields: readonly string[]) {
    const there = fields.length === 0 ? 'nothing' : fields.slice(0, 20).join(', ');
    super(
      `The task ${name} of the plan needs ${path} of what ${from} found, which is not there; it found ${there}.`,
    );
  }
}

/** The referenced values exceed the size limit of an input. */
export class PlanInputSizeError extends CodedError {
  readonly code = 'WORKLOADS_PLAN_INPUT';

  constructor(name: string, limitCharacters: number) {
    super(
      `The results that the task ${name} of the plan refers to take more than ${limitCharacters} characters in its input.`,
    );
  }
}
