/**
 * Refused admin calls for the audit log: those of valid keys without the scope `admin`.
 *
 * Anyone with a key can make as many as its rate limit allows, so not every one becomes an entry. The
 * first of a key is written at once; those of the hour after it are counted by route and written as one
 * entry at its end. So a key adds one entry an hour at most beside its first.
 */
import type { AuditLog } from './audit-log.ts';

const WINDOW_MS = 3_600_000;

/** Dependencies of the record of refused calls. */
export interface RefusedCallsOptions {
  readonly audit: Pick<AuditLog, 'append'>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Milliseconds on a clock that never goes back. */
  readonly elapsedMs: () => number;
}

interface KeyWindow {
  /** On the clock of `elapsedMs`. */
  readonly endsAt: number;
  /** Milliseconds since 1970 UTC. */
  readonly openedAt: number;
  /** Not written yet, by route. */
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
   * Takes note of a call.
   *
   * @param route - Method and pattern of the path; there are only so many.
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

  /** Writes what was counted in windows that have ended. */
  writeEnded(): void {
    const elapsed = this.#options.elapsedMs();
    for (const [keyId, window] of this.#windows) {
      if (elapsed < window.endsAt) continue;
      this.#windows.delete(keyId);
      if (window.calls.size === 0) continue;
      // The next calls are counted, too: who goes on for days has one entry an hour.
      this.#open(keyId);
      this.#write(keyId, window);
    }
  }

  /** Writes everything counted, and forgets it. */
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
