/**
 * Carries parts of states from device to device, in windows, of which several are on their way at a
 * time: while the host copies one, the devices send and take others.
 */

import { settledAll } from './settled-all.ts';
import type { StagingBuffers } from './staging-buffers.ts';
import type { Run } from './state-runs.ts';

/** What goes one way; both sides have as many bytes. */
export interface Transfer {
  readonly from: StagingBuffers;
  readonly source: readonly Run[];
  readonly to: StagingBuffers;
  readonly target: readonly Run[];
}

/** What goes at a time: all of it is read before any of it is written, so that devices may swap. */
export type TransferWindow = readonly Transfer[];

/** On their way at a time on one way between devices: one is read, one copied, one written. */
const LANES = 3;

/**
 * Carries windows that no two have a place in common.
 *
 * @param ways - Each goes on by itself.
 * @param pause - Between windows; what it throws ends all.
 * @throws {DeviceLostError} if a device is gone; nothing is on its way by then.
 */
export async function runTransfers(
  ways: readonly Iterator<TransferWindow>[],
  pause: () => Promise<void>,
): Promise<void> {
  let hasFailed = false;
  const lane = async (way: Iterator<TransferWindow>) => {
    try {
      for (let next = way.next(); !next.done && !hasFailed; next = way.next()) {
        await carry(next.value);
        await pause();
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  await settledAll(ways.flatMap((way) => Array.from({ length: LANES }, () => lane(way))));
}

async function carry(window: TransferWindow): Promise<void> {
  const fetching = window.map(({ from, source }) => from.fetch(source));
  const opening = window.map(({ to, target }) => to.room(target));
  const landings = await settledAll([...fetching, ...opening]);
  for (const i of window.keys()) {
    const [fetched, room] = [landings[i]!, landings[window.length + i]!];
    try {
      room.bytes.set(fetched.bytes);
    } catch (error) {
      // A device that is lost takes its mapped bytes along; it says so soon after.
      const { from, to } = window[i]!;
      await settledAll([from.context.settle(), to.context.settle()]);
      throw error;
    }
    fetched.done();
    room.done();
  }
}
