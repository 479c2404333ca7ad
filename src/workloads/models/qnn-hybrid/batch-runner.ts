/**
 * Runs batches on the first of several processors that is available.
 *
 * A processor keeps what waits for it through its maintenance, which is right for circuits that were
 * sent to it by name. An inference was sent to a model: as long as it has not begun it leaves a
 * processor that has gone, for the next one, and it does not wait for ever.
 */
import { ProcessorUnavailableError } from '../../../fleet/errors.ts';
import type { BatchRun, BatchRunResult, Processor, RunHooks } from '../../../fleet/processor.ts';
import { drained } from '../../drained.ts';
import { ModelUnavailableError } from '../../errors.ts';

/** Interval at which waiting batches are retried, milliseconds. */
const LOOK_EVERY_MS = 250;
/** To come back after the service has been started again. */
const RESTART_S = 5;

/** Result of a batch, and the processor that ran it. */
export interface RanBatch {
  readonly processor: string;
  readonly result: BatchRunResult;
}

/** A task on one processor. */
interface Attempt {
  readonly processor: Processor;
  /** On the clock of `performance.now()`. */
  readonly mustBeginBy: number;
  readonly controller: AbortController;
  hasBegun: boolean;
}

/** Runs the tasks of one model. */
export class BatchRunner {
  readonly #modelId: string;
  readonly #processors: readonly Processor[];
  readonly #attempts = new Set<Attempt>();
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param processors - The preferred one first. */
  constructor(modelId: string, processors: readonly Processor[]) {
    this.#modelId = modelId;
    this.#processors = processors;
  }

  /** Whether any processor is available. */
  get hasProcessor(): boolean {
    return this.#processors.some((processor) => processor.availability().available);
  }

  /** Why none is, and after how many seconds the first may be back where that is known. */
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
   * Runs a task.
   *
   * @param maxWaitMs - Until it begins; Infinity for no bound.
   * @throws {ModelUnavailableError} if no processor is available, it has not begun in time, or the
   *   service is stopping.
   * @throws {ProcessorUnavailableError} if the last one refused it all the same.
   * @throws as `Processor.runBatch` otherwise.
   */
  async run(
    task: BatchRun,
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
    // What says of itself that it is available, and refuses, is the best that is known.
    if (refusal !== undefined && this.hasProcessor) throw refusal;
    const { reason, retryAfterS } = this.whyNone();
    throw new ModelUnavailableError(this.#modelId, reason, retryAfterS);
  }

  /** Takes nothing new; what waits or runs after `graceMs` is ended. */
  async close(graceMs = 0): Promise<void> {
    this.#isClosed = true;
    await drained(() => this.#attempts.size, graceMs);
    for (const { controller } of this.#attempts) controller.abort(this.#stopping());
  }

  async #attempt(
    processor: Processor,
    task: BatchRun,
    hooks: RunHooks,
    mustBeginBy: number,
    signal: AbortSignal,
  ): Promise<BatchRunResult> {
    signal.throwIfAborted();
    if (this.#isClosed) throw this.#stopping();
    // By hand: a signal that AbortSignal.any makes costs more than the rest of this function.
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
      return await processor.runBatch(task, followed, controller.signal);
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#attempts.delete(attempt);
      if (this.#attempts.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  /** Ends the attempts that wait in vain. */
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
    const waitS = Math.max(1, Math.ceil(processor.load().expectedWaitMs / 1000));
    return new ModelUnavailableError(this.#modelId, 'Its turn did not come in time.', waitS);
  }

  #stopping(): ModelUnavailableError {
    return new ModelUnavailableError(this.#modelId, 'The service is stopping.', RESTART_S);
  }
}
