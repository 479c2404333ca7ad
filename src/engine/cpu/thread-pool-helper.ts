/** Entry of a helper thread: joins every open command until the thread is terminated. */
import { flushCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';
import { CONTROL, CONTROL_BYTES, type HelperSetup, IS_OPEN } from './kernel-host.ts';
import { instantiateKernels } from './wasm-kernels.ts';

/** Polls of the epoch before the thread sleeps: some 20 µs, as long as waking takes. */
const LOOKS_BEFORE_SLEEP = 2000;
const ALL_CLAIMS = 2 ** 31 - 1;

const { module, memory, controlAt, scratchAt }: HelperSetup = workerData;
const kernels = instantiateKernels(module, memory);
kernels.setScratch(scratchAt);
const control = new Int32Array(memory.buffer, controlAt, CONTROL_BYTES / 4);

/** Joins the open command; false when there is none. */
function join(): boolean {
  for (;;) {
    const joined = Atomics.load(control, CONTROL.joined);
    if ((joined & IS_OPEN) === 0) return false;
    if (Atomics.compareExchange(control, CONTROL.joined, joined, joined + 1) === joined)
      return true;
  }
}

/** Waits for another epoch than this one. */
function nextEpoch(epoch: number): number {
  for (let look = 0; look < LOOKS_BEFORE_SLEEP; look++) {
    const now = Atomics.load(control, CONTROL.epoch);
    if (now !== epoch) return now;
  }
  Atomics.wait(control, CONTROL.epoch, epoch);
  return Atomics.load(control, CONTROL.epoch);
}

// Node stores compiled code when a thread ends by itself, and this one is terminated. Nothing is written twice.
flushCompileCache();

// The first command may have been opened before this thread started.
for (let epoch = Atomics.load(control, CONTROL.epoch); ; epoch = nextEpoch(epoch)) {
  if (!join()) continue;
  while (kernels.work(Atomics.load(control, CONTROL.command), ALL_CLAIMS) === 0);
  // The last helper to leave a closed command wakes the calling thread.
  if (Atomics.sub(control, CONTROL.joined, 1) === 1) Atomics.notify(control, CONTROL.joined);
}
