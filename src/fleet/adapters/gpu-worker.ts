/** Entry of the process of one adapter: opens its engine, warms it up, serves the pool. */
import { compile } from '../../compiler/compile.ts';
import { compileGradient } from '../../compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../compiler/shape.ts';
import { parentOfProcess } from '../../processes/parent-port.ts';
import { KEPT_ON_ADAPTER } from '../workers/prepared-circuits.ts';
import { serveEngine, type WorkerPort } from '../workers/serve-engine.ts';
import { warmUp } from '../workers/warm-up.ts';
import type { GpuWorkerSetup } from '../workers/worker-messages.ts';
import { watchDevice } from './device-watch.ts';
import { openAdapter } from './open-adapter.ts';

const port: WorkerPort = parentOfProcess();
// Checked: processStarter wrote it.
const setup: GpuWorkerSetup = JSON.parse(process.argv[2] ?? '');
const { engine, device, tuning } = await openAdapter(setup);
watchDevice(device, (how) => port.post({ kind: 'lost', how }));
await warmUp(engine);
serveEngine(port, {
  open: (precision) => {
    if (precision === 'f32') return engine;
    throw new Error('unreachable: adapters compute in single precision');
  },
  compiler: { compile, compileShape, compileGradient },
  kept: KEPT_ON_ADAPTER,
  report: { target: engine.target, openMs: performance.now(), ...(tuning && { tuning }) },
});
