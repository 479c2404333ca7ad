/**
 * Counts the calls that a pool may start, and the processes it may spawn, from the state of its
 * processes.
 *
 * A call that only waits for processors computes nothing, so another call may run in another process
 * meanwhile. Each process takes memory, so their number is bounded, and keys share the bound: no call of
 * a key starts while the key's waiting calls hold as many processes as are left for all others. A key
 * alone can hold half of them, a second key half of the rest, and one remains for a key that has none.
 */
import type { PooledProcess } from './pooled-process.ts';

/** Most processes for each call that may run. */
const MAX_PROCESSES_PER_CALL = 2;

/** The state of a process that is counted. */
export type CountedProcess = Pick<PooledProcess, 'isEnding' | 'isStarting' | 'isFree'> & {
  /** Key of its call; undefined without one. */
  readonly key: string | undefined;
  /** Key of its call if that call only waits for processors; undefined otherwise. */
  readonly parkedFor: string | undefined;
};

/** Result of the count. */
export interface Census {
  /** Processes that can take a call, now or once they have started. */
  readonly numReady: number;
  /** Processes that may be started. */
  readonly numStartable: number;
  /** Calls that may start before another ends, provided that there are processes for them. */
  readonly mayBegin: number;
  /** Processes that no call could use. */
  readonly numExtra: number;
  /** Keys whose calls may not start now. */
  readonly keysThatWait: ReadonlySet<string>;
  /** Keys with a call in a process, computing or waiting. */
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
