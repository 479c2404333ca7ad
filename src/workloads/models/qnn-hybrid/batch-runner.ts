/**
 * Runs batches on the first of several processors that is available.
 *
 * During its maintenance a processor keeps the circuits that wait for it, which is right for circuits
 * that name that processor. An inference names a model: until it starts it moves to the next processor
 * when the current one becomes unavailable, and its wait is bounded.
 */
import { ProcessorUnavailableError } from '../../../fleet/errors.ts';
import type { CircuitResult, CircuitRun, Processor, RunHooks } from '../../../fleet/processor.ts';
import { drained } from '../../drained.ts';
import { ModelUnavailableError } from '../../errors.ts';

/** Interval at which waiting batches are retried, milliseconds. */
const LOOK_EVERY_MS = 250;
/** Retry-After of a service that is stopping, seconds. */
const RESTART_S = 5;

/** Result of a batch, and the processor that ran it. */
export interface RanBatch {
  readonly processor: string;
  readonly result: CircuitResult;
}

/** An attempt to run a batch on one processor. */
interface Attempt {
  readonly processor: Processor;
  /** Time on the clock of `performance.now()`. */
  readonly mustBeginBy: number;
  readonly controller: AbortController;
  hasBegun: boolean;
}

/** Runs the batches of one model. */
export class BatchRunner {
  readonly #modelId: string;
  readonly #processors: readonly Processor[];
  readonly #attempts = new Set<Attempt>();
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param processors - Processors that may run the batches, the preferred one first. */
  constructor(modelId: string, processors: readonly Processor[]) {
    this.#modelId = modelId;
    this.#processors = processors;
  }

  /** Whether any processor is available. */
  get hasProcessor(): boolean {
    return this.#processors.some((processor) => processor.availability().available);
  }

  /** Reason why no processor is available, and the seconds until the first may return, if known. */
  whyNone(): { readonly reason: string; readonly retryAfterS?: number } {
    const states = this.#processors.map((processor) => processor.availability());
    const reasons = this.#processors.map(
      ({ spec }, i) => `${spec.id}: ${states[i]?.reason ?? 'Busy.'}`,
    );
    const waits = states.flatMap(({ retryAfterS }) => retryAfterS ?? []);
    return {
      reason: `None of its processors is available. ${reasons.join(' ')}`,
      ...(waits.length > 0 && { retryAfterS: Math.min(...waits) }),
    };
  }

  /**
   * Runs a batch.
   *
   * @param maxWaitMs - Longest wait until it starts, milliseconds; Infinity for no limit.
   * @throws {ModelUnavailableError} if no processor is available, the batch has not started in time, or
   *   the service is stopping.
   * @throws {ProcessorUnavailableError} if the last processor refused it nevertheless.
   * @throws as `Processor.run` otherwise.
   */
  async run(
    task: CircuitRun,
    hooks: RunHooks,
    maxWaitMs: number,
    signal: AbortSignal,
  ): Promise<RanBatch> {
    const mustBeginBy = performance.now() + maxWaitMs;
    let refusal: unknown;
    for (const processor of this.#processors) {
      if (!processor.availability().available) continue;
      try {
        const result = await this.#attempt(processor, task, hooks, mustBeginBy, signal);
        return { processor: processor.spec.id, result };
      } catch (error) {
        if (!(error instanceof ProcessorUnavailableError)) throw error;
        refusal = error;
      }
    }
    // A processor that reports itself available and refuses is the best candidate left.
    if (refusal !== undefined && this.hasProcessor) throw refusal;
    const { reason, retryAfterS } = this.whyNone();
    throw new ModelUnavailableError(this.#modelId, reason, retryAfterS);
  }

  /** Refuses new batches, and ends waiting and running ones after `graceMs` milliseconds. */
  async close(graceMs = 0): Promise<void> {
    this.#isClosed = true;
    await drained(() => this.#attempts.size, graceMs);
    for (const { controller } of this.#attempts) controller.abort(this.#stopping());
  }

  async #attempt(
    processor: Processor,
    task: CircuitRun,
    hooks: RunHooks,
    mustBeginBy: number,
    signal: AbortSignal,
  ): Promise<CircuitResult> {
    signal.throwIfAborted();
    if (this.#isClosed) throw this.#stopping();
    // Not `AbortSignal.any`, which costs more than the rest of this function.
    const controller = new AbortController();
    const onAbort = () => controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort);
    const attempt: Attempt = { processor, mustBeginBy, controller, hasBegun: false };
    this.#attempts.add(attempt);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    const followed: RunHooks = {
      ...hooks,
      onStarted: () => {
        attempt.hasBegun = true;
        hooks.onStarted?.();
      },
      onStartedOver: () => {
        attempt.hasBegun = false;
        hooks.onStartedOver?.();
      },
    };
    try {
      return await processor.run(task, followed, controller.signal);
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#attempts.delete(attempt);
      if (this.#attempts.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  /** Aborts waiting attempts whose processor has become unavailable or whose time is over. */
  #look(): void {
    const now = performance.now();
    for (const { processor, mustBeginBy, controller, hasBegun } of this.#attempts) {
      if (hasBegun) continue;
      const { available, reason = '', retryAfterS } = processor.availability();
      if (!available) {
        controller.abort(new ProcessorUnavailableError(processor.spec.id, reason, retryAfterS));
      } else if (now > mustBeginBy) {
        controller.abort(this.#tooLate(processor));
      }
    }
  }

  #tooLate(processor: Processor): ModelUnavailableError {
    const waitS = Math.max(1, Math.ceil((processor.load().expectedWaitMs ?? 0) / 1000));
    return new ModelUnavailableError(this.#modelId, 'Its turn did not come in time.', waitS);
  }

  #stopping(): ModelUnavailableError {
    return new ModelUnavailableError(this.#modelId, 'The service is stopping.', RESTART_S);
  }
}
