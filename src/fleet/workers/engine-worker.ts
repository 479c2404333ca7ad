/** Entry of a worker thread: serves the pool with the engines that `workerData` describes. */
import { parentPort, workerData } from 'node:worker_threads';
import { compile } from '../../compiler/compile.ts';
import { openEngine } from './open-engine.ts';
import { KEPT_ON_CPU } from './prepared-circuits.ts';
import { serveEngine } from './serve-engine.ts';
import { threadPort } from './thread-host.ts';
import type { WorkerSetup } from './worker-messages.ts';

if (parentPort === null) throw new Error('unreachable: this module is the entry of a thread');
const setup: WorkerSetup = workerData;
serveEngine(threadPort(parentPort), {
  open: (precision) => openEngine(setup.engine, precision),
  compile,
  kept: KEPT_ON_CPU,
});
