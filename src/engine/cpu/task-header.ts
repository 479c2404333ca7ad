/** What every task begins with; assembly/index.ts reads the same words. */

/** Positions of the header's words. */
export const TASK_WORDS = {
  kind: 0,
  numItems: 1,
  nextItem: 2,
  isCancelled: 3,
  perClaim: 4,
} as const;

/** Words of the header; some are kept for later. */
export const TASK_HEADER_WORDS = 8;

/** First word of a task. */
export const TASK_KINDS = { sweep: 1, clear: 32, copy: 33, clearUntouched: 34, batch: 48 } as const;
