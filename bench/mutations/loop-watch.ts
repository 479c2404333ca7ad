/**
 * Loaded into the service's process before its own code: writes each pause of the main thread's event
 * loop to the file that LOOP_WATCH_FILE names, a line of JSON each.
 *
 * On a busy machine most pauses are the machine's: the thread was ready and no core was free, or it waited
 * for a disk that others use. The kernel counts the time for which the thread computed, so a line says
 * apart what a request can have brought about.
 */
import { appendFileSync, openSync, readSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** A pause of the event loop. */
export interface Pause {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly ms: number;
  /** The part of `ms` in which the thread was ready and waited for a core. */
  readonly waited_ms: number;
  /** The part of `ms` in which the thread computed or collected garbage. The rest it was blocked, as by a disk. */
  readonly computed_ms: number;
}

const EVERY_MS = 5;
const LEAST_MS = 25;

const file = process.env['LOOP_WATCH_FILE'];
if (file !== undefined && isMainThread && process.argv[1]?.endsWith('main.ts')) watch(file);

function watch(path: string): void {
  const schedule = openSync('/proc/self/schedstat', 'r');
  const bytes = Buffer.alloc(100);
  /** Milliseconds for which the main thread has computed, and waited for a core, so far. */
  const look = () => {
    const length = readSync(schedule, bytes, 0, bytes.length, 0);
    const [cpu = 0, waited = 0] = bytes.toString('latin1', 0, length).split(' ').map(Number);
    return { at: performance.now(), cpu: cpu / 1e6, waited: waited / 1e6 };
  };
  let last = look();
  setInterval(() => {
    const now = look();
    const ms = now.at - last.at - EVERY_MS;
    if (ms >= LEAST_MS) {
      const to = performance.timeOrigin + now.at;
      const [waited_ms, computed_ms] = [now.waited - last.waited, now.cpu - last.cpu];
      const pause: Pause = { from: to - ms, to, ms, waited_ms, computed_ms };
      appendFileSync(path, `${JSON.stringify(pause)}\n`);
    }
    last = now;
  }, EVERY_MS).unref();
}
