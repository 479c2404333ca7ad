/**
 * Runs circuits on the first of several processors that is available.
 *
 * During its maintenance a processor keeps the circuits that wait for it, which is right for circuits that name that
 * processor. Callers of an agent or of a model do not: until their circuits have started they move to the next
 * processor when the current one becomes unavailable.
 */
import { ProcessorUnavailableError } from '../../fleet/errors.ts';
import type { Processor, RunHooks } from '../../fleet/processor.ts';

/** Interval at which waiting circuits are checked, milliseconds. */
const LOOK_EVERY_MS = 250;

/** Submits the circuits to a processor. */
export type Submit<T> = (processor: Processor, hooks: RunHooks, signal: AbortSignal) => Promise<T>;

/** The result, and the processor that ran it. */
export interface Ran<T> {
  readonly processor: string;
  readonly result: T;
}

/** Called with whether the run has started on a processor, when that changes. */
export type OnBegun = (hasBegun: boolean) => void;

/** The longest wait for a processor, and the error of waiting longer. */
export interface WaitLimit {
  /** On the clock of `performance.now()`. */
  readonly mustBeginBy: number;
  readonly tooLate: (processor: Processor) => Error;
}

/** The first available processor; if none is available, the first. */
export function preferredProcessor(processors: readonly Processor[]): Processor | undefined {
  return processors.find((processor) => processor.availability().available) ?? processors[0];
}

/**
 * Runs circuits on the first available processor.
 *
 * @param processors - The preferred one first; at least one.
 * @param limit - No limit unless given.
 * @throws {ProcessorUnavailableError} if none is available.
 * @throws the error of the limit; the error that `submit` rejects with, the signal's reason included.
 */
export async function runOnFirst<T>(
  processors: readonly Processor[],
  submit: Submit<T>,
  signal: AbortSignal,
  onBegun: OnBegun = () => {},
  limit?: WaitLimit,
): Promise<Ran<T>> {
  let refusal: unknown;
  for (const processor of processors) {
    if (!processor.availability().available) continue;
    try {
      const result = await attempt(processor, submit, signal, onBegun, limit);
      return { processor: processor.spec.id, result };
    } catch (error) {
      if (!(error instanceof ProcessorUnavailableError)) throw error;
      onBegun(false);
      refusal = error;
    }
  }
  throw refusal ?? unavailable(processors[0]);
}

async function attempt<T>(
  processor: Processor,
  submit: Submit<T>,
  signal: AbortSignal,
  onBegun: OnBegun,
  limit: WaitLimit | undefined,
): Promise<T> {
  signal.throwIfAborted();
  // Not `AbortSignal.any`, which costs more than the rest of this function.
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  let hasBegun = false;
  const look = () => {
    if (hasBegun) return;
    if (!processor.availability().available) controller.abort(unavailable(processor));
    else if (limit && performance.now() > limit.mustBeginBy) {
      controller.abort(limit.tooLate(processor));
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  const follow = (begun: boolean) => {
    hasBegun = begun;
    onBegun(begun);
  };
  const hooks: RunHooks = {
    onStarted: () => follow(true),
    onStartedOver: () => follow(false),
  };
  try {
    return await submit(processor, hooks, controller.signal);
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function unavailable(processor: Processor | undefined): ProcessorUnavailableError {
  if (processor === undefined) return new ProcessorUnavailableError('', 'There is none.');
  const { reason = 'It was not available.', retryAfterS } = processor.availability();
  return new ProcessorUnavailableError(processor.spec.id, reason, retryAfterS);
}
