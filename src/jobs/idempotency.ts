/**
 * Idempotency keys. A caller that does not know whether a request arrived repeats it with the same key, and
 * the work is done once.
 *
 * A key is claimed for a job id before the job is created. A repeat finds the claim, usually with the stored
 * answer. There is no answer while the first request is in progress, or if the process ended before it could
 * answer; the repeat then waits for the job and answers from its record. The job must exist by then, so call
 * JobRunner.submit synchronously after `claim` resolves, without an await in between.
 */
import { createHash } from 'node:crypto';
import type { OnDamaged } from '../storage/damaged-records.ts';
import type { JobId } from './job.ts';

/** Lifetime of a key, milliseconds. */
export const IDEMPOTENCY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Form of an idempotency key: 1 to 255 printable ASCII characters. */
export const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** SHA-256, hex, of the part of a request that a repeat must share. */
export function hashBody(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** Request with an idempotency key. */
export interface ClaimRequest {
  /** API key. Idempotency keys of different API keys are independent. */
  readonly keyId: string;
  readonly idempotencyKey: string;
  /** Hash of method, path and body. */
  readonly bodyHash: string;
  /** Id of the job that is created if the claim succeeds. */
  readonly jobId: JobId;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/** Job that an idempotency key stands for. */
export type Claim =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'replay'; readonly jobId: JobId; readonly response?: string };

/** Store of idempotency keys. */
export interface IdempotencyStore {
  /**
   * Claims the key for a new job, or returns the job that it stands for. Of several concurrent claims one
   * succeeds. A claim ends after 24 hours, or if its process died before it created the job.
   *
   * @throws {IdempotencyConflictError} if the key stands for another request.
   */
  claim(request: ClaimRequest): Promise<Claim>;
  /** Stores the text of the answer; an existing answer stays. */
  settle(keyId: string, idempotencyKey: string, response: string): Promise<void>;
  /** Releases a claim without an answer: the request was refused, and a repeat may succeed. */
  release(keyId: string, idempotencyKey: string): Promise<void>;
  /**
   * Deletes all expired keys.
   *
   * @param batch - Number of keys deleted at once; the event loop runs between batches.
   * @returns The number of deleted keys.
   */
  prune(now: number, batch?: number): Promise<number>;
}

/**
 * The answer that a store has for a key; undefined if there is none. A damaged one counts as missing: the job's
 * record has the same content.
 *
 * @param response - Stored value.
 */
export function storedAnswer(
  response: unknown,
  { keyId, idempotencyKey }: Pick<ClaimRequest, 'keyId' | 'idempotencyKey'>,
  onDamaged: OnDamaged,
): string | undefined {
  if (typeof response !== 'string') return undefined;
  // The empty text means that the record of a final job is the answer.
  if (response === '') return response;
  try {
    JSON.parse(response);
    return response;
  } catch {
    const id = `${keyId} ${JSON.stringify(idempotencyKey)}`;
    onDamaged({ table: 'idempotency', id, what: 'its response is no JSON' });
    return undefined;
  }
}
