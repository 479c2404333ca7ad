/**
 * The upstream of text generation with what decides whether it is available: a self-test, which is a
 * completion of a few tokens by the way that requests take.
 *
 * A request that failed for the upstream's sake has the self-test run at once. It does not make the
 * model unavailable by itself, and is no fault that leads to quarantine: a prompt on which the
 * upstream chokes is one caller's, and must not take the model from all the others. A full upstream
 * (HTTP 429) is different: until the time it names nobody's request would run, so none is sent.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { HealthMonitor } from '../../../fleet/health-monitor.ts';
import type { Availability } from '../../../fleet/processor.ts';
import type { Tier } from '../../../fleet/schedule/scheduled-run.ts';
import { drained } from '../../drained.ts';
import { ModelUnavailableError, UpstreamError } from '../../errors.ts';
import { type ChatAnswer, ChatClient } from './chat-client.ts';
import { PrioritySemaphore } from './priority-semaphore.ts';
import type { CheckedTextRequest } from './text-request.ts';
import { TimeLimit } from './time-limit.ts';
import { printable } from './upstream-text.ts';

/** An upstream as the operator names it. */
export interface TextUpstream {
  /** Without a slash at its end: `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  /** Undefined: the only one that it lists. */
  readonly model: string | undefined;
  /** Sent as bearer token, shown nowhere. */
  readonly apiKey: string | undefined;
  /** Time limit of one request, and of the wait for the semaphore. */
  readonly timeoutMs: number;
  /** The most that a caller may ask for. */
  readonly maxTokens: number;
  /** Between self-tests while they pass. */
  readonly probeIntervalMs: number;
}

/** Settings of an upstream. */
export interface MonitoredUpstreamOptions {
  /** For messages. */
  readonly modelId: string;
  readonly upstream: TextUpstream;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Requests to it at a time; default 8. */
  readonly maxConcurrent?: number;
  /** Requests that wait for a turn; default 64. */
  readonly maxWaiting?: number;
  /** Between self-tests while they fail, at most; default 30 s. */
  readonly longestRetryMs?: number;
}

/** Text, what wrote it and how long that took. */
export interface TextResult extends ChatAnswer {
  /** The upstream's model. Its host is the operator's alone. */
  readonly backend: string;
  /** Milliseconds from the request to the upstream to the end of its answer. */
  readonly timing: { readonly upstreamMs: number };
}

const PROBE = { input: 'Reply with the word ready.', maxTokens: 8 };
const LONGEST_RETRY_MS = 30_000;
/** After a 429 that does not say how long. */
const DEFAULT_PAUSE_S = 5;
const MAX_MODELS_NAMED = 5;
const MAX_MODEL_NAME_LENGTH = 60;

/** Lower goes first: nobody is served by an upstream that does not pass its self-test. */
const RANKS: Readonly<Record<'selfTest' | Tier, number>> = {
  selfTest: 0,
  enterprise: 1,
  standard: 2,
};

/** An upstream that is tested, and not asked for more than it is to take. */
export class MonitoredUpstream {
  readonly #options: MonitoredUpstreamOptions;
  readonly #client: ChatClient;
  readonly #monitor: HealthMonitor;
  readonly #semaphore: PrioritySemaphore;
  readonly #maxConcurrent: number;
  readonly #maxWaiting: number;
  /** Undefined until the upstream has said which one it has. */
  #model: string | undefined;
  /** On the clock of `performance.now()`. */
  #pauseEndsAt = 0;
  #pausedAt = 0;
  /** Mean of recent requests, the latest counting most. */
  #typicalMs: number | undefined;
  #isClosed = false;

  constructor(options: MonitoredUpstreamOptions) {
    const { upstream, now } = options;
    this.#options = options;
    this.#model = upstream.model;
    this.#client = new ChatClient({ ...upstream, now });
    this.#maxConcurrent = options.maxConcurrent ?? 8;
    this.#maxWaiting = options.maxWaiting ?? 64;
    this.#semaphore = new PrioritySemaphore(this.#maxConcurrent);
    const longestRetryMs = options.longestRetryMs ?? LONGEST_RETRY_MS;
    this.#monitor = new HealthMonitor({
      selfTest: (onStarted, signal) => this.#selfTest(onStarted, signal),
      // All that a self-test waits for ends by itself: requests at their time-out, pauses at theirs.
      lastSignOfLife: () => performance.now(),
      onChange: () => {},
      now,
      intervalMs: upstream.probeIntervalMs,
      longestRetryMs: Math.min(longestRetryMs, upstream.probeIntervalMs),
      // It makes up to two requests, whose own limits tell more.
      limitMs: 2 * upstream.timeoutMs + 1000,
    });
  }

  /** The model and the host, for the operator. */
  get description(): string {
    return `${this.#model ?? 'its only model'} at ${this.#client.host}`;
  }

  /** The outcome of the last self-test, or that the upstream asked for a pause. */
  availability(): Availability {
    const pauseMs = this.#pauseEndsAt - performance.now();
    if (pauseMs <= 0) return this.#monitor.availability;
    return {
      available: false,
      reason: 'The upstream takes no more requests for now.',
      checkedAt: this.#pausedAt,
      retryAfterS: Math.ceil(pauseMs / 1000),
    };
  }

  /** Runs the self-test. */
  check(): Promise<void> {
    return this.#monitor.check();
  }

  /**
   * Sends the request when its turn comes.
   *
   * @throws {ModelUnavailableError} at once when not available or too many wait, later when its turn
   *   does not come in time.
   * @throws {UpstreamError}
   * @throws {UpstreamRefusedError} if the upstream says that the request is at fault.
   * @throws the signal's reason, soon after it aborts.
   */
  async generate(
    request: CheckedTextRequest,
    tier: Tier,
    signal: AbortSignal,
  ): Promise<TextResult> {
    this.#assertAvailable();
    const rank = RANKS[tier];
    // Only those ahead count, so that a line full of Standard requests keeps no Enterprise one out.
    if (this.#semaphore.numAhead(rank) >= this.#maxWaiting) throw this.#busyError(rank);
    using _place = await this.#enter(rank, signal);
    // It may have gone while the request waited.
    this.#assertAvailable();
    try {
      const result = await this.#complete(request, signal);
      const { upstreamMs } = result.timing;
      this.#typicalMs = 0.8 * (this.#typicalMs ?? upstreamMs) + 0.2 * upstreamMs;
      return result;
    } catch (error) {
      if (this.#isClosed) this.#assertAvailable();
      if (error instanceof UpstreamError) void this.#monitor.check();
      throw error;
    }
  }

  /** Ends self-tests and takes nothing new; what is not answered after `graceMs` is ended. */
  async close(graceMs = 0): Promise<void> {
    this.#isClosed = true;
    this.#monitor.close();
    await drained(() => this.#semaphore.numHeld, graceMs);
    this.#client.close();
  }

  #assertAvailable(): void {
    const { modelId } = this.#options;
    if (this.#isClosed) throw new ModelUnavailableError(modelId, 'The service is stopping.');
    const { available, reason = '', retryAfterS } = this.availability();
    if (!available) throw new ModelUnavailableError(modelId, reason, retryAfterS);
  }

  async #enter(rank: number, signal: AbortSignal): Promise<Disposable> {
    using limit = new TimeLimit(this.#options.upstream.timeoutMs, signal);
    try {
      return await this.#semaphore.acquire(rank, limit.signal);
    } catch {
      signal.throwIfAborted();
      throw this.#busyError(rank);
    }
  }

  /** To come back when those ahead that wait now will have had their turn. */
  #busyError(rank: number): ModelUnavailableError {
    const { modelId, upstream } = this.#options;
    const numWaiting = this.#semaphore.numAhead(rank);
    const waitMs =
      ((this.#typicalMs ?? upstream.timeoutMs) * (numWaiting + 1)) / this.#maxConcurrent;
    const reason = `${this.#maxConcurrent} requests are with the upstream and ${numWaiting} wait.`;
    return new ModelUnavailableError(modelId, reason, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  async #complete(request: CheckedTextRequest, signal: AbortSignal): Promise<TextResult> {
    if (this.#model === undefined) throw new Error('unreachable: the self-test finds the model');
    const begun = performance.now();
    try {
      const answer = await this.#client.complete(this.#model, request, signal);
      const upstreamMs = performance.now() - begun;
      return { ...answer, backend: answer.upstreamModel, timing: { upstreamMs } };
    } catch (error) {
      throw error instanceof UpstreamError ? this.#pausedIfFull(error) : error;
    }
  }

  /** The error to tell the caller, who is to stay away as long as everybody else. */
  #pausedIfFull(error: UpstreamError): UpstreamError {
    const { fault, retryAfterS = DEFAULT_PAUSE_S } = error;
    if (fault.kind !== 'status' || fault.status !== 429) return error;
    this.#pausedAt = this.#options.now();
    this.#pauseEndsAt = performance.now() + retryAfterS * 1000;
    return new UpstreamError(fault, retryAfterS);
  }

  /** Resolves to what is wrong where no error says it. */
  async #selfTest(onStarted: () => void, signal: AbortSignal): Promise<string | undefined> {
    await this.#endOfPause(signal);
    using _place = await this.#semaphore.acquire(RANKS.selfTest, signal);
    onStarted();
    if (this.#options.upstream.model === undefined) {
      const names = await this.#client.models(signal);
      if (names.length !== 1) return reasonForModels(names);
      this.#model = names[0];
    }
    await this.#complete(PROBE, signal);
    return undefined;
  }

  async #endOfPause(signal: AbortSignal): Promise<void> {
    const pauseMs = this.#pauseEndsAt - performance.now();
    if (pauseMs > 0) await delay(pauseMs, undefined, { signal, ref: false });
  }
}

/** Why none of the upstream's models is taken. */
function reasonForModels(names: readonly string[]): string {
  if (names.length === 0) return 'The upstream lists no model.';
  const shown = names
    .slice(0, MAX_MODELS_NAMED)
    .map((name) => printable(name, MAX_MODEL_NAME_LENGTH));
  const more = names.length > MAX_MODELS_NAMED ? ' …' : '';
  return `The upstream lists ${names.length} models (${shown.join(', ')}${more}): QCS_LLM_MODEL has to name one.`;
}
