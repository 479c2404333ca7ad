/**
 * Ends the event streams of a key that is no longer valid and, if QCS_REVOKED_KEY_JOBS says so, its waiting
 * jobs.
 *
 * Requests look up their key, so a change takes effect at once. Streams and jobs make no further request, so
 * they are checked every second: time passes, and another process may change a key (`qcs keys`).
 */
import type { FastifyInstance } from 'fastify';
import { type ApiKey, isValidAt } from '../http/api-key.ts';
import type { OpenStreams } from '../jobs/job-event-stream.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { taskFactsOf } from '../work/read-task.ts';

const LOOK_EVERY_MS = 1000;

/** Ends streams and jobs whose key is no longer valid. */
export class KeyWatch {
  readonly #deps: Pick<ServiceDeps, 'jobs' | 'keys' | 'now' | 'settings'>;
  readonly #streams: OpenStreams;

  constructor(deps: Pick<ServiceDeps, 'jobs' | 'keys' | 'now' | 'settings'>, streams: OpenStreams) {
    this.#deps = deps;
    this.#streams = streams;
  }

  /** Checks every second until the application closes. */
  start(app: FastifyInstance): void {
    const looking = setInterval(() => {
      this.look().catch((error) => app.log.error({ err: error }, 'keys could not be read'));
    }, LOOK_EVERY_MS).unref();
    app.addHook('preClose', async () => clearInterval(looking));
  }

  /** Checks all keys now. */
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
      // A stream opened meanwhile has just been checked.
      ({ keyText, scope }) => found.has(keyText) && !found.get(keyText)?.scopes.includes(scope),
    );
  }

  async #cancelWaitingJobs(): Promise<void> {
    const { jobs, keys, settings } = this.#deps;
    if (settings.revokedKeyJobs === 'finish' || !jobs.hasWaiting) return;
    const revoked = (await keys.list()).filter((key) => key.revokedAt !== undefined);
    const ids = new Set(revoked.map(({ id }) => id));
    await jobs.cancelWaiting((job) => {
      if (!ids.has(job.keyId)) return false;
      // A task of a plan belongs to the plan, which has begun.
      return job.kind !== 'task' || taskFactsOf(job.request).parent === undefined;
    });
  }
}
