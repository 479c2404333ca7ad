/**
 * Runs a circuit or a batch on the first of several processors that is available.
 *
 * Until it has started it moves to the next processor when the current one becomes unavailable: the
 * caller addressed an agent, and need not wait out the maintenance of one processor.
 */
import { ProcessorUnavailableError } from '../../fleet/errors.ts';
import type { Processor, RunHooks } from '../../fleet/processor.ts';

/** Interval at which a waiting circuit is checked, milliseconds. */
const LOOK_EVERY_MS = 250;

/** Submits the circuit or batch to a processor. */
export type Submit<T> = (processor: Processor, hooks: RunHooks, signal: AbortSignal) => Promise<T>;

/** The result, and the processor that ran it. */
export interface Ran<T> {
  readonly processor: string;
  readonly result: T;
}

/** Called with whether the run has started on a processor, when that changes. */
export type OnBegun = (hasBegun: boolean) => void;

/** The first available processor; if none is available, the first. */
export function preferredProcessor(processors: readonly Processor[]): Processor | undefined {
  return processors.find((processor) => processor.availability().available) ?? processors[0];
}

/**
 * Runs a circuit or a batch on the first available processor.
 *
 * @param processors - The preferred one first; at least one.
 * @throws {ProcessorUnavailableError} if none is available.
 * @throws the error that `submit` rejects with, the signal's reason included.
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
    // Readmitted: the call was accepted, and bounds its own circuits in flight.
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
