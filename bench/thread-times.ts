/**
 * Processor time of another process by kind of thread, from Linux's /proc.
 *
 * Kinds rather than threads: the main thread, the threads with engines and the one that reads large
 * bodies ("workers"), and what the JavaScript engine runs beside them to collect garbage and to
 * compile ("helpers").
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Seconds of processor time. */
export interface ThreadTimes {
  readonly main: number;
  readonly workers: number;
  readonly helpers: number;
}

const NS_PER_S = 1e9;

/** Processor time of a process's threads since its start; undefined if /proc does not tell. */
export function threadTimes(pid: number): ThreadTimes | undefined {
  const times = { main: 0, workers: 0, helpers: 0 };
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const folder = `/proc/${pid}/task/${thread}`;
      // schedstat counts nanoseconds; stat counts ticks of 10 ms.
      const spent = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / NS_PER_S;
      const name = readFileSync(`${folder}/comm`, 'utf8').trim();
      if (Number(thread) === pid) times.main += spent;
      else if (name === 'WorkerThread') times.workers += spent;
      else times.helpers += spent;
    }
  } catch {
    return undefined;
  }
  return times;
}
