/**
 * Idempotency keys: a caller that does not know whether a request arrived repeats it with the same
 * key, and the work is done once.
 *
 * A key is claimed for a job id before that job is created. Who comes second finds the claim: with
 * the stored answer; or without one while the first is under way, or when the process ended before it
 * could answer, and then waits for that job and answers from its record. To make sure that the job is
 * there to be waited for, call JobRunner.submit in the same turn in which `claim` resolves, with no
 * await in between.
 */
import { createHash } from 'node:crypto';
import type { JobId } from './job.ts';

/** How long a key stands for its request, in milliseconds. */
export const IDEMPOTENCY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Form of an idempotency key: 1 to 255 printable ASCII characters. */
export const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** SHA-256 of what must be the same in a repeat, as hex. */
export function hashBody(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** A request that carries a key. */
export interface ClaimRequest {
  /** The API key; idempotency keys of different ones have nothing to do with each other. */
  readonly keyId: string;
  readonly idempotencyKey: string;
  /** Hash of method, path and body. */
  readonly bodyHash: string;
  /** The job that will be created if the claim succeeds. */
  readonly jobId: JobId;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/** Job that an idempotency key stands for. */
export type Claim =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'replay'; readonly jobId: JobId; readonly response?: string };

/** A store of idempotency keys. */
export interface IdempotencyStore {
  /**
   * Claims the key for a new job, or says which job it stands for; of several at once one claims it.
   * A claim is free again after 24 hours, and when the process that made it died before it created
   * the job.
   *
   * @throws {IdempotencyConflictError} if the key stands for another request.
   */
  claim(request: ClaimRequest): Promise<Claim>;
  /** Stores the answer's text; an answer that is there already stays. */
  settle(keyId: string, idempotencyKey: string, response: string): Promise<void>;
  /** Gives up a claim that has no answer: the request was refused, and a repeat may fare better. */
  release(keyId: string, idempotencyKey: string): Promise<void>;
  /**
   * Deletes all keys whose time is over.
   *
   * @param batch - Deleted in one go; between two batches the event loop goes on.
   * @returns How many.
   */
  prune(now: number, batch?: number): Promise<number>;
}
