/** Process that lets a thread fill its heap, in the way of its argument, and prints how the thread ended. */
import { childThread, SupervisedChild } from '../../src/processes/supervised-child.ts';

const entry = new URL('./full-heap-thread.ts', import.meta.url);
const child = new SupervisedChild<string, { readonly kind: 'ready' }>(
  { start: childThread({ entry, heapLimitMb: 160 }), startLimitMs: 600_000 },
  {
    onReady: () => {
      child.setHolding(true);
      child.post(process.argv[2] ?? '');
    },
    onMessage: () => {},
    onEnd: ({ how, isOutOfMemory }) => {
      process.stdout.write(JSON.stringify({ how, isOutOfMemory }));
    },
  },
);
child.setHolding(true);
