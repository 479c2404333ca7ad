/** What a failure says: whether its circuit is run again, and whether its engine is to be tested. */
import { CodedError } from '../errors/coded-error.ts';
import { EngineFailure, EngineLostError, OutOfMemoryError, WorkerLostError } from './errors.ts';
import type { LaneId } from './width.ts';

/**
 * A circuit is started this often at most: on an adapter, on another, on several together, and on the
 * CPU. When all of them are killed at once, each may take it before its end is known.
 */
const MAX_ATTEMPTS = { cpu: 2, adapter: 4 } as const;
/** What an adapter has too little of, another may have. */
const NO_MEMORY = 'ENGINE_STATE_MEMORY';

/**
 * Whether a circuit that failed on a lane is run again: where its engine was lost, be it on the same one,
 * which is opened anew; and where an adapter had no memory for it, if something else takes it.
 *
 * @param attempts - Its starts so far.
 */
export function isTriedAgain(
  error: unknown,
  lane: LaneId,
  attempts: number,
  isTakenElsewhere: () => boolean,
): boolean {
  const isAdapter = lane !== 'small' && lane !== 'wide';
  if (attempts >= (isAdapter ? MAX_ATTEMPTS.adapter : MAX_ATTEMPTS.cpu)) return false;
  if (error instanceof WorkerLostError) return true;
  const hasNoMemory = error instanceof EngineFailure && error.code === NO_MEMORY;
  return isAdapter && hasNoMemory && isTakenElsewhere();
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
