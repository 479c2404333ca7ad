/** Rules for failed runs: whether a run is tried again, and whether its engine is to be tested. */
import { CodedError } from '../errors/coded-error.ts';
import { EngineFailure, EngineLostError, OutOfMemoryError, WorkerLostError } from './errors.ts';
import type { LaneId } from './schedule/lane.ts';

/**
 * A circuit is given up when its engine was lost so often while it ran nothing else. Three losses in a row
 * are hardly chance. Adapters have one more: when all are killed at once, a circuit may have been given
 * to an adapter, to another, to several together and to the CPU before their ends are known.
 *
 * Losses in company do not count: one of a list may have ended the engine of all. From then on each
 * of them runs by itself (`mayBeListed`), so that the one at fault is found, and no other.
 */
const MAX_LOSSES_ALONE = { cpu: 3, adapter: 4 } as const;
/** A circuit is given up when it filled the heap of a worker as often. */
const MAX_HEAPS_FILLED = 2;
/** Starts on adapters that had no memory for it, and on what came after. */
const MAX_ATTEMPTS = 4;
/** Error code of an adapter without enough memory; another adapter may have more. */
const NO_MEMORY = 'ENGINE_STATE_MEMORY';

/**
 * Whether a circuit that failed on a lane is run again: where its engine was lost, be it on the same one,
 * which is opened anew; and where an adapter had no memory for it, if something else takes it.
 *
 * @param attempts - Its starts so far.
 * @param lossesAlone - How often its engine was lost while it ran nothing else, this time included.
 */
export function isTriedAgain(
  error: unknown,
  lane: LaneId,
  { attempts, lossesAlone }: { readonly attempts: number; readonly lossesAlone: number },
  isTakenElsewhere: () => boolean,
): boolean {
  const isAdapter = lane !== 'small' && lane !== 'wide';
  if (error instanceof WorkerLostError) {
    // Once, for what a worker keeps of earlier circuits may have filled its heap. A new one has nothing of them.
    if (hasFilledItsHeap(error)) return lossesAlone < MAX_HEAPS_FILLED;
    return lossesAlone < (isAdapter ? MAX_LOSSES_ALONE.adapter : MAX_LOSSES_ALONE.cpu);
  }
  const hasNoMemory = error instanceof EngineFailure && error.code === NO_MEMORY;
  return isAdapter && hasNoMemory && attempts < MAX_ATTEMPTS && isTakenElsewhere();
}

/** Whether a worker ended because the circuit filled its heap. */
export function hasFilledItsHeap(error: WorkerLostError): boolean {
  return error.isOutOfMemory && error.wasAlone;
}

/** Whether a failed circuit says something about the engine rather than about the circuit. */
export function isSignOfTrouble(error: unknown): boolean {
  return (
    error instanceof EngineLostError ||
    error instanceof OutOfMemoryError ||
    (error instanceof EngineFailure && error.code === NO_MEMORY) ||
    !(error instanceof CodedError)
  );
}
