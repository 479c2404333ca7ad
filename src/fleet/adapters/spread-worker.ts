/**
 * Entry of the process of several adapters that hold states together: opens their engine, warms it up,
 * serves the pool.
 *
 * Adapters of one name are told apart by variables that a driver reads when its WebGPU instance is
 * made, so this entry sets them, and only while that adapter is opened.
 */
import { compile } from '../../compiler/compile.ts';
import { compileGradient } from '../../compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../compiler/shape.ts';
import { parentOfProcess } from '../../processes/parent-port.ts';
import { KEPT_ON_ADAPTER } from '../workers/prepared-circuits.ts';
import { serveEngine, type WorkerPort } from '../workers/serve-engine.ts';
import { warmUp } from '../workers/warm-up.ts';
import type { SpreadWorkerSetup } from '../workers/worker-messages.ts';
import { watchDevice } from './device-watch.ts';
import { type OpenPinned, openSpread } from './open-spread.ts';

const openPinned: OpenPinned = async (pin, open) => {
  const before = Object.keys(pin).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, pin);
  try {
    return await open();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
};

const port: WorkerPort = parentOfProcess();
// Checked: spreadStarter wrote it.
const setup: SpreadWorkerSetup = JSON.parse(process.argv[2] ?? '');
const { engine, devices, tuning } = await openSpread(setup, openPinned);
for (const device of devices) {
  watchDevice(device, (how) => port.post({ kind: 'lost', how }));
}
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
