/** Models of a test's upstream. */

import {
  TextModel,
  type TextModelOptions,
} from '../../../../../src/workloads/models/text-generation/text-model.ts';
import type { TextUpstreamServer } from '../../../../support/text-upstream.ts';

/** A key that must show nowhere. */
export const KEY = 'sk-hunter2-0123456789';
/** The upstream's, unless a test sets another: far away, since answers take time on a busy machine. */
export const TIMEOUT_MS = 1_000_000;
/** Any valid request. */
export const HELLO = { input: 'Hello' };
/** The signal of a caller who waits for the answer. */
export const PATIENT = new AbortController().signal;

/** A caller with a key of that tier. */
export const STANDARD = { tier: 'standard' } as const;
export const ENTERPRISE = { tier: 'enterprise' } as const;

/** Options that a test sets itself. */
export type TextModelChanges = Partial<NonNullable<TextModelOptions['upstream']>> &
  Omit<Partial<TextModelOptions>, 'upstream'>;

/** A model that is not started; it is retried within milliseconds, and by itself only then. */
export function textModelOf(
  { baseUrl }: TextUpstreamServer,
  changes: TextModelChanges = {},
): TextModel {
  const { maxConcurrent, maxWaiting, ...upstream } = changes;
  return new TextModel({
    upstream: {
      baseUrl,
      model: 'tiny',
      apiKey: KEY,
      timeoutMs: TIMEOUT_MS,
      maxTokens: 1024,
      probeIntervalMs: 3_600_000,
      ...upstream,
    },
    now: () => 1_000_000,
    longestRetryMs: 20,
    ...(maxConcurrent !== undefined && { maxConcurrent }),
    ...(maxWaiting !== undefined && { maxWaiting }),
  });
}
