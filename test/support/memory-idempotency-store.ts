/** Idempotency keys in memory. Claims end with the process, so none is orphaned. */
import { IdempotencyConflictError } from '../../src/jobs/errors.ts';
import {
  type Claim,
  type ClaimRequest,
  IDEMPOTENCY_LIFETIME_MS,
  type IdempotencyStore,
} from '../../src/jobs/idempotency.ts';

interface Entry {
  readonly request: ClaimRequest;
  readonly response?: string;
}

/** IdempotencyStore for tests, and for the script that writes the OpenAPI document. */
export class MemoryIdempotencyStore implements IdempotencyStore {
  readonly #entries = new Map<string, Entry>();

  async claim(request: ClaimRequest): Promise<Claim> {
    const name = nameOf(request.keyId, request.idempotencyKey);
    const entry = this.#entries.get(name);
    if (entry === undefined || isExpired(entry, request.now)) {
      this.#entries.set(name, { request });
      return { kind: 'claimed' };
    }
    if (entry.request.bodyHash !== request.bodyHash) {
      throw new IdempotencyConflictError(request.idempotencyKey);
    }
    const { response } = entry;
    return {
      kind: 'replay',
      jobId: entry.request.jobId,
      ...(response === undefined ? {} : { response }),
    };
  }

  async settle(keyId: string, idempotencyKey: string, response: string): Promise<void> {
    const name = nameOf(keyId, idempotencyKey);
    const entry = this.#entries.get(name);
    if (entry !== undefined) this.#entries.set(name, { response, ...entry });
  }

  async release(keyId: string, idempotencyKey: string): Promise<void> {
    const name = nameOf(keyId, idempotencyKey);
    if (this.#entries.get(name)?.response === undefined) this.#entries.delete(name);
  }

  async prune(now: number): Promise<number> {
    const expired = [...this.#entries].filter(([, entry]) => isExpired(entry, now));
    for (const [name] of expired) this.#entries.delete(name);
    return expired.length;
  }
}

/** Idempotency keys are printable, so NUL can separate the two parts. */
function nameOf(keyId: string, idempotencyKey: string): string {
  return `${keyId}\0${idempotencyKey}`;
}

function isExpired(entry: Entry, now: number): boolean {
  return entry.request.now <= now - IDEMPOTENCY_LIFETIME_MS;
}
