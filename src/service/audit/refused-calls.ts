/**
 * Refused admin calls for the audit log: calls with valid keys that lack the scope `admin`.
 *
 * A key can make as many such calls as its rate limit allows, so not every call gets an entry. The first call
 * of a key is written at once. The calls of the following hour are counted by route and written as one entry
 * at its end. After its first entry, a key therefore adds at most one entry per hour.
 */
import type { AuditLog } from './audit-log.ts';

const WINDOW_MS = 3_600_000;

/** Dependencies of RefusedCalls. */
export interface RefusedCallsOptions {
  readonly audit: Pick<AuditLog, 'append'>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Milliseconds on a monotonic clock. */
  readonly elapsedMs: () => number;
}

interface KeyWindow {
  /** End of the window on the clock of `elapsedMs`. */
  readonly endsAt: number;
  /** Milliseconds since 1970 UTC. */
  readonly openedAt: number;
  /** Calls by route that are not written yet. */
  readonly calls: Map<string, number>;
}

/** Counts refused calls and writes them to the log. */
export class RefusedCalls {
  readonly #options: RefusedCallsOptions;
  readonly #windows = new Map<string, KeyWindow>();

  constructor(options: RefusedCallsOptions) {
    this.#options = options;
  }

  /**
   * Counts a call.
   *
   * @param route - Method and path pattern; their number is limited.
   */
  note(keyId: string, route: string): void {
    this.writeEnded();
    const window = this.#windows.get(keyId);
    if (window !== undefined) {
      window.calls.set(route, (window.calls.get(route) ?? 0) + 1);
      return;
    }
    this.#open(keyId);
    this.#append(keyId, { calls: { [route]: 1 } });
  }

  /** Writes the counts of windows that have ended. */
  writeEnded(): void {
    const elapsed = this.#options.elapsedMs();
    for (const [keyId, window] of this.#windows) {
      if (elapsed < window.endsAt) continue;
      this.#windows.delete(keyId);
      if (window.calls.size === 0) continue;
      // Open another window, so that a key that goes on for days gets one entry per hour.
      this.#open(keyId);
      this.#write(keyId, window);
    }
  }

  /** Writes all counts and clears them. */
  writeAll(): void {
    for (const [keyId, window] of this.#windows) {
      if (window.calls.size > 0) this.#write(keyId, window);
    }
    this.#windows.clear();
  }

  #open(keyId: string): void {
    const { now, elapsedMs } = this.#options;
    this.#windows.set(keyId, {
      endsAt: elapsedMs() + WINDOW_MS,
      openedAt: now(),
      calls: new Map(),
    });
  }

  #write(keyId: string, { openedAt, calls }: KeyWindow): void {
    this.#append(keyId, {
      since: new Date(openedAt).toISOString(),
      calls: Object.fromEntries(calls),
    });
  }

  #append(keyId: string, details: Readonly<Record<string, unknown>>): void {
    const { audit, now } = this.#options;
    audit.append({ at: now(), actor: keyId, action: 'admin.refused', subject: keyId, details });
  }
}
