/**
 * Watches that a device does its work: what is given to it takes well under a second, so a device
 * that has not caught up for half a minute hangs, whatever its driver says. The process that holds it
 * still answers then, so nothing else would notice.
 */

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
