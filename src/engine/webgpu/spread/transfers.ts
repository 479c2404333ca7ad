/**
 * Transfers parts of states between devices, in windows. Several windows are in flight at a time:
 * while the host copies one, the devices read and write others.
 */

import { settledAll } from './settled-all.ts';
import type { StagingBuffers } from './staging-buffers.ts';
import type { Run } from './state-runs.ts';

/** A transfer between two devices; source and target have the same size. */
export interface Transfer {
  readonly from: StagingBuffers;
  readonly source: readonly Run[];
  readonly to: StagingBuffers;
  readonly target: readonly Run[];
}

/** Transfers done together: all are read before any is written, so that devices can swap. */
export type TransferWindow = readonly Transfer[];

/** Windows in flight between two devices: one is read, one copied, one written. */
const LANES = 3;

/**
 * Transfers windows that do not overlap.
 *
 * @param ways - Windows of each pair of devices, transferred independently.
 * @param pause - Called between windows; what it throws ends all transfers.
 * @throws {DeviceLostError} if a device is lost; no transfer is in progress by then.
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
      // The mapped bytes of a lost device vanish; the loss itself is reported soon after.
      const { from, to } = window[i]!;
      await settledAll([from.context.settle(), to.context.settle()]);
      throw error;
    }
    fetched.done();
    room.done();
  }
}
