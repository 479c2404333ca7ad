/** Plans which parts of states the devices send each other. */
import type { GpuState } from '../gpu-state.ts';
import type { DevicePairs } from './spread-program.ts';
import type { StagingBuffers } from './staging-buffers.ts';
import { type FixedQubit, runsIn, windowsWhere } from './state-runs.ts';
import type { TransferWindow } from './transfers.ts';

/** A device's staging buffers, and its share of a state. */
export interface StagedState {
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
