/**
 * Transfers parts of states between devices, in windows, and plans which parts. Several windows are in
 * flight at a time: while the host copies one, the devices read and write others.
 */

import type { GpuState } from '../gpu-state.ts';
import { settledAll } from './settled-all.ts';
import type { DevicePairs } from './spread-program.ts';
import type { StagingBuffers } from './staging-buffers.ts';
import { type FixedQubit, type Run, runsIn, windowsWhere } from './state-runs.ts';

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

/** A device's staging buffers, and its share of a state. */
interface StagedState {
  readonly staging: StagingBuffers;
  readonly state: GpuState;
}

/**
 * Plans an exchange of device qubits with qubits inside the devices. Each device sends every other
 * device the amplitudes whose near qubits have the values of the other's far qubits. There are
 * rounds in which each device has one partner.
 *
 * @param states - By rank.
 * @param staging - By rank.
 * @param windowSize - Amplitudes; a power of two.
 */
export function swapParts(
  states: readonly GpuState[],
  staging: readonly StagingBuffers[],
  pairs: DevicePairs,
  windowSize: number,
): readonly (readonly Iterator<TransferWindow>[])[] {
  const { numQubits } = states[0]!;
  const at = (rank: number): StagedState => ({ staging: staging[rank]!, state: states[rank]! });
  const farBits = pairs.map(([far]) => 1 << (far - numQubits));
  const isFarOne = (rank: number) => farBits.map((bit) => (rank & bit) !== 0);
  const rounds: Iterator<TransferWindow>[][] = [];
  for (let flips = 1; flips < 2 ** pairs.length; flips++) {
    const flipped = farBits.reduce((mask, bit, i) => ((flips >> i) & 1 ? mask | bit : mask), 0);
    const ways: Iterator<TransferWindow>[] = [];
    for (const rank of states.keys()) {
      const partner = rank ^ flipped;
      if (partner < rank) continue;
      const fixedTo = (values: readonly boolean[]): readonly FixedQubit[] =>
        pairs.map(([, qubit], i) => ({ qubit, isOne: values[i]! }));
      const sent = fixedTo(isFarOne(partner));
      const taken = fixedTo(isFarOne(rank));
      ways.push(swapWindows(at(rank), sent, at(partner), taken, windowSize));
    }
    rounds.push(ways);
  }
  return rounds;
}

function* swapWindows(
  a: StagedState,
  partOfA: readonly FixedQubit[],
  b: StagedState,
  partOfB: readonly FixedQubit[],
  windowSize: number,
): Generator<TransferWindow> {
  const ofB = windowsWhere(b.state, partOfB, windowSize);
  for (const runs of windowsWhere(a.state, partOfA, windowSize)) {
    const next = ofB.next();
    if (next.done) throw new Error('unreachable: parts of different sizes');
    const [inA, inB] = [runsIn(a.state, runs), runsIn(b.state, next.value)];
    yield [
      { from: a.staging, source: inA, to: b.staging, target: inB },
      { from: b.staging, source: inB, to: a.staging, target: inA },
    ];
  }
}

/** Sends a device's whole share to another device with as many chunks. */
export function* moveStates(
  from: StagedState,
  to: StagedState,
  windowSize: number,
): Generator<TransferWindow> {
  for (const runs of windowsWhere(from.state, [], windowSize)) {
    const [source, target] = [runsIn(from.state, runs), runsIn(to.state, runs)];
    yield [{ from: from.staging, source, to: to.staging, target }];
  }
}
