/** Entry of a worker thread: serves the pool with the engines that `workerData` describes. */
import { workerData } from 'node:worker_threads';
import { compile } from '../../compiler/compile.ts';
import { parentOfThread } from '../../processes/parent-port.ts';
import { openEngine } from './open-engine.ts';
import { KEPT_ON_CPU } from './prepared-circuits.ts';
import { serveEngine } from './serve-engine.ts';
import type { WorkerSetup } from './worker-messages.ts';

const setup: WorkerSetup = workerData;
serveEngine(parentOfThread(), {
  open: (precision) => openEngine(setup.engine, precision),
  compile,
  kept: KEPT_ON_CPU,
});
