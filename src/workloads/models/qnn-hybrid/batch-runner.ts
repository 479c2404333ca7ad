/** Runs the batches of a model on its first available processor, and ends them when the service stops. */
import { ProcessorUnavailableError } from '../../../fleet/errors.ts';
import type { CircuitResult, CircuitRun, Processor, RunHooks } from '../../../fleet/processor.ts';
import { drained } from '../../drained.ts';
import { ModelUnavailableError } from '../../errors.ts';
import { type Ran, runOnFirst } from '../../procedures/processor-turn.ts';

/** Retry-After of a service that is stopping, seconds. */
const RESTART_S = 5;

/** Runs the batches of one model. */
export class BatchRunner {
  readonly #modelId: string;
  readonly #processors: readonly Processor[];
  readonly #running = new Set<AbortController>();
  #isClosed = false;

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
    hooks: Pick<RunHooks, 'onStarted' | 'readmitted'>,
    maxWaitMs: number,
    signal: AbortSignal,
  ): Promise<Ran<CircuitResult>> {
    signal.throwIfAborted();
    if (this.#isClosed) throw this.#stopping();
    const controller = new AbortController();
    const onAbort = () => controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort);
    this.#running.add(controller);
    const limit = {
      mustBeginBy: performance.now() + maxWaitMs,
      tooLate: (processor: Processor) => this.#tooLate(processor),
    };
    try {
      return await runOnFirst(
        this.#processors,
        (processor, own, ownSignal) => processor.run(task, { ...hooks, ...own }, ownSignal),
        controller.signal,
        (hasBegun) => {
          if (hasBegun) hooks.onStarted?.();
        },
        limit,
      );
    } catch (error) {
      // A processor that reports itself available and refuses is the best candidate left.
      if (!(error instanceof ProcessorUnavailableError) || this.hasProcessor) throw error;
      const { reason, retryAfterS } = this.whyNone();
      throw new ModelUnavailableError(this.#modelId, reason, retryAfterS);
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#running.delete(controller);
    }
  }

  /** Refuses new batches, and ends waiting and running ones after `graceMs` milliseconds. */
  async close(graceMs = 0): Promise<void> {
    this.#isClosed = true;
    await drained(() => this.#running.size, graceMs);
    for (const controller of this.#running) controller.abort(this.#stopping());
  }

  #tooLate(processor: Processor): ModelUnavailableError {
    const waitS = Math.max(1, Math.ceil((processor.load().expectedWaitMs ?? 0) / 1000));
    return new ModelUnavailableError(this.#modelId, 'Its turn did not come in time.', waitS);
  }

  #stopping(): ModelUnavailableError {
    return new ModelUnavailableError(this.#modelId, 'The service is stopping.', RESTART_S);
  }
}
