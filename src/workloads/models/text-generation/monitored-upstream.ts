/**
 * The upstream of text generation, monitored by a self-test: a completion of a few tokens, sent the same
 * way as a request.
 *
 * A request that fails because of the upstream triggers a self-test at once. The failure alone neither
 * makes the model unavailable nor leads to quarantine: a prompt that makes the upstream fail must not
 * take the model from all other callers. If the upstream is overloaded (HTTP 429), nothing is sent until
 * the time that it names.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { HealthMonitor } from '../../../fleet/health-monitor.ts';
import type { Availability } from '../../../fleet/processor.ts';
import type { Tier } from '../../../fleet/schedule/scheduled-run.ts';
import { UpstreamError } from '../../../upstream/errors.ts';
import { TimeLimit } from '../../../upstream/time-limit.ts';
import { printable } from '../../../upstream/upstream-text.ts';
import { drained } from '../../drained.ts';
import { ModelUnavailableError } from '../../errors.ts';
import { type ChatAnswer, ChatClient } from './chat-client.ts';
import { PrioritySemaphore } from './priority-semaphore.ts';
import type { CheckedTextRequest } from './text-request.ts';

/** Upstream configured by the operator. */
export interface TextUpstream {
  /** Base URL without a trailing slash: `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  /** Name of the model; undefined for the only one that the upstream lists. */
  readonly model: string | undefined;
  /** API key, sent as bearer token; never shown. */
  readonly apiKey: string | undefined;
  /** Time limit of one request, and of the wait for a slot, milliseconds. */
  readonly timeoutMs: number;
  /** Largest `max_tokens` of a caller. */
  readonly maxTokens: number;
  /** Interval between self-tests while they pass, milliseconds. */
  readonly probeIntervalMs: number;
}

/** Settings of an upstream. */
export interface MonitoredUpstreamOptions {
  /** Name of the model in messages. */
  readonly modelId: string;
  readonly upstream: TextUpstream;
  /** Current time, milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Concurrent requests to the upstream; default 8. */
  readonly maxConcurrent?: number;
  /** Waiting requests; default 64. */
  readonly maxWaiting?: number;
  /** Longest interval between self-tests while they fail, milliseconds; default 30,000. */
  readonly longestRetryMs?: number;
}

/** Generated text, its model and its duration. */
export interface TextResult extends ChatAnswer {
  /** The upstream's name of the model. Its host is not disclosed. */
  readonly backend: string;
  /** Milliseconds from the request to the upstream to the end of its answer. */
  readonly timing: { readonly upstreamMs: number };
}

const PROBE = { input: 'Reply with the word ready.', maxTokens: 8 };
const LONGEST_RETRY_MS = 30_000;
/** Pause after a 429 without Retry-After. */
const DEFAULT_PAUSE_S = 5;
const MAX_MODELS_NAMED = 5;
const MAX_MODEL_NAME_LENGTH = 60;

/** Ranks in the queue; lower goes first. Self-tests precede requests, which need one that passed. */
const RANKS: Readonly<Record<'selfTest' | Tier, number>> = {
  selfTest: 0,
  enterprise: 1,
  standard: 2,
};

/** An upstream with self-tests and bounded concurrency. */
export class MonitoredUpstream {
  readonly #options: MonitoredUpstreamOptions;
  readonly #client: ChatClient;
  readonly #monitor: HealthMonitor;
  readonly #semaphore: PrioritySemaphore;
  readonly #maxConcurrent: number;
  readonly #maxWaiting: number;
  /** Name of the model; undefined until the upstream has listed it. */
  #model: string | undefined;
  /** Time on the clock of `performance.now()`. */
  #pauseEndsAt = 0;
  #pausedAt = 0;
  /** Exponential moving average of request durations. */
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
      // Everything that a self-test awaits ends by its own time-outs.
      lastSignOfLife: () => performance.now(),
      onChange: () => {},
      now,
      intervalMs: upstream.probeIntervalMs,
      longestRetryMs: Math.min(longestRetryMs, upstream.probeIntervalMs),
      // A self-test makes up to two requests, whose own time-outs give better messages.
      limitMs: 2 * upstream.timeoutMs + 1000,
    });
  }

  /** The model and the host, for the operator. */
  get description(): string {
    return `${this.#model ?? 'its only model'} at ${this.#client.host}`;
  }

  /** Outcome of the last self-test, or the pause that the upstream asked for. */
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
    // Only requests ahead count, so that a queue full of Standard requests refuses no Enterprise one.
    if (this.#semaphore.numAhead(rank) >= this.#maxWaiting) throw this.#busyError(rank);
    using _place = await this.#enter(rank, signal);
    // The upstream may have become unavailable during the wait.
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

  /** Stops self-tests, refuses new requests, and ends unanswered ones after `graceMs` milliseconds. */
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

  /** Retry-After in seconds: the estimated time until the requests now ahead have been served. */
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

  /** The error for the caller; its Retry-After is that of all other callers. */
  #pausedIfFull(error: UpstreamError): UpstreamError {
    const { fault, retryAfterS = DEFAULT_PAUSE_S } = error;
    if (fault.kind !== 'status' || fault.status !== 429) return error;
    this.#pausedAt = this.#options.now();
    this.#pauseEndsAt = performance.now() + retryAfterS * 1000;
    return new UpstreamError(fault, retryAfterS);
  }

  /** Runs the self-test; resolves to a fault that is not an error. */
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

/** Reason why no model is chosen. */
function reasonForModels(names: readonly string[]): string {
  if (names.length === 0) return 'The upstream lists no model.';
  const shown = names
    .slice(0, MAX_MODELS_NAMED)
    .map((name) => printable(name, MAX_MODEL_NAME_LENGTH));
  const more = names.length > MAX_MODELS_NAMED ? ' …' : '';
  return `The upstream lists ${names.length} models (${shown.join(', ')}${more}): QCS_LLM_MODEL has to name one.`;
}
