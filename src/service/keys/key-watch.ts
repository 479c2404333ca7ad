/**
 * What ends with a key: its streams of events, and, as QCS_REVOKED_KEY_JOBS says, its waiting jobs.
 *
 * Requests look up their key, so a change takes effect at once. What has no further request is looked
 * at every second, because time passes and because another process may change a key (`qcs keys`).
 */
import type { FastifyInstance } from 'fastify';
import type { OpenStreams } from '../events/open-streams.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { taskFactsOf } from '../tasks/stored-task.ts';
import { type ApiKey, isValidAt } from './api-key.ts';

const LOOK_EVERY_MS = 1000;

/** Ends what has lost its key. */
export class KeyWatch {
  readonly #deps: Pick<ServiceDeps, 'jobs' | 'keys' | 'now' | 'settings'>;
  readonly #streams: OpenStreams;

  constructor(deps: Pick<ServiceDeps, 'jobs' | 'keys' | 'now' | 'settings'>, streams: OpenStreams) {
    this.#deps = deps;
    this.#streams = streams;
  }

  /** Looks every second, until the application closes. */
  start(app: FastifyInstance): void {
    const looking = setInterval(() => {
      this.look().catch((error) => app.log.error({ err: error }, 'keys could not be read'));
    }, LOOK_EVERY_MS).unref();
    app.addHook('preClose', async () => clearInterval(looking));
  }

  /** Ends now what has lost its key. */
  async look(): Promise<void> {
    await Promise.all([this.#endStreams(), this.#cancelWaitingJobs()]);
  }

  async #endStreams(): Promise<void> {
    const { keys, now } = this.#deps;
    const found = new Map<string, ApiKey | undefined>();
    for (const text of this.#streams.keyTexts()) {
      const key = await keys.find(text);
      found.set(text, key !== undefined && isValidAt(key, now()) ? key : undefined);
    }
    this.#streams.endRefused(
      // One that was opened meanwhile has just been checked.
      ({ keyText, scope }) => found.has(keyText) && !found.get(keyText)?.scopes.includes(scope),
    );
  }

  async #cancelWaitingJobs(): Promise<void> {
    const { jobs, keys, settings } = this.#deps;
    if (settings.revokedKeyJobs === 'finish' || [...jobs.inHand()].length === 0) return;
    const revoked = (await keys.list()).filter((key) => key.revokedAt !== undefined);
    const ids = new Set(revoked.map(({ id }) => id));
    const cancelled = [...jobs.inHand()].filter(({ job, hasBegun }) => {
      if (hasBegun || !ids.has(job.keyId)) return false;
      // A task of a plan is part of the plan, which has begun.
      return job.kind !== 'task' || taskFactsOf(job.request).parent === undefined;
    });
    await Promise.all(cancelled.map(({ job }) => jobs.cancel(job.id)));
  }
}
