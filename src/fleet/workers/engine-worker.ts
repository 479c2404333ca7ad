/** Entry of a worker thread: serves the pool with CPU engines as `workerData` describes them. */
import { workerData } from 'node:worker_threads';
import { compile } from '../../compiler/compile.ts';
import { compileGradient } from '../../compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../compiler/shape.ts';
import { openCpuEngine } from '../../engine/cpu/cpu-engine.ts';
import { parentOfThread } from '../../processes/parent-port.ts';
import { KEPT_ON_CPU } from './prepared-circuits.ts';
import { serveEngine } from './serve-engine.ts';
import { warmUpSteps } from './warm-up.ts';
import type { WorkerSetup } from './worker-messages.ts';

const setup: WorkerSetup = workerData;
const { numThreads, maxQubits, memoryBytes } = setup.engine;
serveEngine(parentOfThread(), {
  open: (precision) =>
    openCpuEngine({ precision, numThreads, maxQubits: maxQubits[precision], memoryBytes }),
  compiler: { compile, compileShape, compileGradient },
  kept: KEPT_ON_CPU,
  ...(setup.warmsUp && { warmUp: warmUpSteps }),
});
