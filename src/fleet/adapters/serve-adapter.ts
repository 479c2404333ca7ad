/**
 * Main function of adapter processes, shared by both entries: opens the engine, warms it up, serves the pool, and
 * watches that each device makes progress.
 *
 * Work submitted to a device takes well under a second, so a device that has not caught up for half a minute hangs,
 * whatever its driver says. Its process still answers then, so nothing else would notice.
 */
import { compile } from '../../compiler/compile.ts';
import { compileGradient } from '../../compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../compiler/shape.ts';
import { parentOfProcess } from '../../processes/parent-port.ts';
import { KEPT_ON_ADAPTER } from '../workers/prepared-circuits.ts';
import { serveEngine, type WorkerPort } from '../workers/serve-engine.ts';
import { warmUp } from '../workers/warm-up.ts';
import type { AdapterEngine } from './open-adapter.ts';

const LOOK_EVERY_MS = 5000;
const HANG_LIMIT_MS = 30_000;

/** Options of watching a device. */
export interface DeviceWatchOptions {
  readonly everyMs?: number;
  readonly limitMs?: number;
}

/** Calls back once, when the device was lost or has hung. */
export function watchDevice(
  device: Pick<GPUDevice, 'lost' | 'queue'>,
  onLost: (how: string) => void,
  { everyMs = LOOK_EVERY_MS, limitMs = HANG_LIMIT_MS }: DeviceWatchOptions = {},
): void {
  let hasEnded = false;
  let pendingSince: number | undefined;
  const end = (how: string) => {
    clearInterval(timer);
    if (!hasEnded) onLost(how);
    hasEnded = true;
  };
  const look = () => {
    if (pendingSince !== undefined) {
      if (performance.now() - pendingSince < limitMs) return;
      end(`the GPU did nothing for ${limitMs} ms`);
      return;
    }
    pendingSince = performance.now();
    const done = () => {
      pendingSince = undefined;
    };
    device.queue.onSubmittedWorkDone().then(done, done);
  };
  const timer = setInterval(look, everyMs).unref();
  void device.lost.then(({ message }) => end(`the GPU device was lost: ${message}`));
}

/** Opens an engine and serves it to the pool that has started this process. */
export async function serveAdapter(open: () => Promise<AdapterEngine>): Promise<void> {
  const port: WorkerPort = parentOfProcess();
  const { engine, devices, tuning } = await open();
  for (const device of devices) watchDevice(device, (how) => port.post({ kind: 'lost', how }));
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
}
