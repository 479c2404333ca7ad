/**
 * Runs a circuit or a batch on the first of several processors that is available.
 *
 * As long as it has not begun it leaves a processor that has gone, for the next one: a task was sent to
 * an agent, and does not wait out the maintenance of a processor.
 */
import { ProcessorUnavailableError } from '../../fleet/errors.ts';
import type { Processor, RunHooks } from '../../fleet/processor.ts';

/** How often what waits is looked at. */
const LOOK_EVERY_MS = 250;

/** Sends it to a processor. */
export type Submit<T> = (processor: Processor, hooks: RunHooks, signal: AbortSignal) => Promise<T>;

/** What ran, and where. */
export interface Ran<T> {
  readonly processor: string;
  readonly result: T;
}

/** Hears whether it has begun on a processor, as that changes. */
export type OnBegun = (hasBegun: boolean) => void;

/** The first of them that is available; without any the first. */
export function preferredProcessor(processors: readonly Processor[]): Processor | undefined {
  return processors.find((processor) => processor.availability().available) ?? processors[0];
}

/**
 * Runs it.
 *
 * @param processors - The preferred one first; at least one.
 * @throws {ProcessorUnavailableError} if none is available.
 * @throws what `submit` rejects with, the signal's reason among it.
 */
export async function runOnFirst<T>(
  processors: readonly Processor[],
  submit: Submit<T>,
  signal: AbortSignal,
  onBegun: OnBegun,
): Promise<Ran<T>> {
  let refusal: unknown;
  for (const processor of processors) {
    if (!processor.availability().available) continue;
    try {
      const result = await attempt(processor, submit, signal, onBegun);
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
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  let hasBegun = false;
  const timer = setInterval(() => {
    if (!hasBegun && !processor.availability().available) controller.abort(unavailable(processor));
  }, LOOK_EVERY_MS).unref();
  const follow = (begun: boolean) => {
    hasBegun = begun;
    onBegun(begun);
  };
  const hooks: RunHooks = {
    onStarted: () => follow(true),
    onStartedOver: () => follow(false),
    // The call was accepted, and has a bound of its own on what it sends.
    readmitted: true,
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
