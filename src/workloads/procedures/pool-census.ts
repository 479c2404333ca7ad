/**
 * How many calls a pool may begin, and processes it may start, as its processes stand.
 *
 * A call that only waits for processors computes nothing, and so leaves its place to another call, in
 * another process. That is bounded, as each process has memory, and the bound is shared: no call of a key
 * begins whose waiting calls have as many places as are left for all others. So a key alone has half of
 * them, a second one half of what is left, and there is one for a key that has none.
 */
import type { PooledProcess } from './pooled-process.ts';

/** Processes there are at most, for each call that may run. */
const MAX_PROCESSES_PER_CALL = 2;

/** What is asked of a process. */
export type CountedProcess = Pick<PooledProcess, 'isEnding' | 'isStarting' | 'isFree'> & {
  /** Whose call it has; undefined without one. */
  readonly key: string | undefined;
  /** Whose call it has that only waits for processors; undefined without one. */
  readonly parkedFor: string | undefined;
};

/** The numbers. */
export interface Census {
  /** Processes that can be given a call, now or once they have started. */
  readonly numReady: number;
  /** Processes that may be started. */
  readonly numStartable: number;
  /** Calls that may begin before one ends, as long as there are processes for them. */
  readonly mayBegin: number;
  /** Processes beyond what calls that may run have a use for. */
  readonly numExtra: number;
  /** Keys of which no call may begin. */
  readonly keysThatWait: ReadonlySet<string>;
  /** Keys that have a call in a process, whatever it does. */
  readonly keysAtWork: ReadonlySet<string>;
}

/** @param numProcesses - Calls that may run at a time, not counting those that only wait. */
export function censusOf(processes: Iterable<CountedProcess>, numProcesses: number): Census {
  const maxProcesses = MAX_PROCESSES_PER_CALL * numProcesses;
  const parked = new Map<string, number>();
  const keysAtWork = new Set<string>();
  let [numThere, numReady, numParked] = [0, 0, 0];
  for (const { isEnding, isStarting, isFree, key, parkedFor } of processes) {
    if (isEnding) continue;
    if (key !== undefined) keysAtWork.add(key);
    numThere++;
    if (isStarting || isFree) numReady++;
    if (parkedFor === undefined) continue;
    numParked++;
    parked.set(parkedFor, (parked.get(parkedFor) ?? 0) + 1);
  }
  const numBusy = numThere - numReady - numParked;
  const numLeft = maxProcesses - numParked;
  const keysThatWait = [...parked].filter(([, count]) => count >= numLeft);
  return {
    numReady,
    numStartable: Math.max(0, maxProcesses - numThere),
    mayBegin: Math.max(0, numProcesses - numBusy),
    numExtra: Math.max(0, numThere - numParked - numProcesses),
    keysThatWait: new Set(keysThatWait.map(([key]) => key)),
    keysAtWork,
  };
}
