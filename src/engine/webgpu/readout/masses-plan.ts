/**
 * How the masses of a chunk are added up by the values of some of its qubits: which qubits are an
 * invocation's number, which a workgroup's, and which an invocation visits all values of.
 */
import type { Qubit } from '../../../circuit/circuit.ts';

const MAX_THREAD_QUBITS = 8;
/** log2 of the sums of a dispatch. */
const MAX_SLOT_BITS = 18;
/** log2 of the workgroups that keep any device busy. */
const BUSY_GROUP_BITS = 13;
/** log2 of the terms of an invocation that make it worth its start. */
const MIN_LOOP_BITS = 8;
/** log2 of the terms that the kernel adds with three accumulators of 16 terms each. */
const MAX_LOOP_BITS = 12;

/** A qubit whose values have bins of their own. */
export interface BinnedQubit {
  readonly qubit: Qubit;
  /** What its 1 contributes to the bin's number; no two qubits share a bit. */
  readonly image: number;
}

/** The dispatches of one chunk. */
export interface MassesPlan {
  readonly threadQubits: number;
  /** Binned qubits of one dispatch; bit i of a slot is the i-th. */
  readonly binned: readonly BinnedQubit[];
  /** The others: a dispatch for each value. */
  readonly sliced: readonly BinnedQubit[];
  /** By bit of a workgroup's number [bit of the index, bit of the slot]. */
  readonly groupPlaces: readonly (readonly [number, number])[];
  /** By bit of an invocation's number, its bit of the slot. */
  readonly threadSlots: readonly number[];
  readonly loopQubits: readonly Qubit[];
  readonly slotBits: number;
}

/**
 * The plan for chunks of some size.
 *
 * @param asked - Qubits below `chunkQubits`.
 * @param groupBits - log2 of the workgroups that keep the device busy, where sums can be split.
 * @param maxSlotBits - log2 of the sums of a dispatch; at least 8.
 */
export function planMasses(
  chunkQubits: number,
  asked: readonly BinnedQubit[],
  groupBits = BUSY_GROUP_BITS,
  maxSlotBits = MAX_SLOT_BITS,
): MassesPlan {
  const threadQubits = Math.min(MAX_THREAD_QUBITS, chunkQubits);
  const inThread = asked.filter(({ qubit }) => qubit < threadQubits);
  const beyond = asked.filter(({ qubit }) => qubit >= threadQubits);
  const numHigh = Math.min(beyond.length, maxSlotBits - inThread.length);
  const high = beyond.slice(0, numHigh);
  const binned = [...inThread, ...high];
  const isBinned = new Set(asked.map(({ qubit }) => qubit));
  const summed: Qubit[] = [];
  for (let q = threadQubits; q < chunkQubits; q++) if (!isBinned.has(q)) summed.push(q);
  // As many parts of a bin as workgroups are missing: the host adds them up.
  const missing = Math.max(0, groupBits - high.length);
  const numParts = Math.max(
    0,
    summed.length - MAX_LOOP_BITS,
    Math.min(summed.length - MIN_LOOP_BITS, missing, maxSlotBits - binned.length),
  );
  const loopQubits = summed.slice(0, summed.length - numParts);
  const parts = summed.slice(loopQubits.length);
  const slotOf = (qubit: Qubit) => {
    const bit = binned.findIndex((other) => other.qubit === qubit);
    return bit < 0 ? 0 : 2 ** bit;
  };
  return {
    threadQubits,
    binned,
    sliced: beyond.slice(numHigh),
    groupPlaces: [
      ...high.map(({ qubit }) => [2 ** qubit, slotOf(qubit)] as const),
      ...parts.map((qubit, i) => [2 ** qubit, 2 ** (binned.length + i)] as const),
    ].sort(([a], [b]) => a - b),
    threadSlots: Array.from({ length: threadQubits }, (_, q) => slotOf(q)),
    loopQubits,
    slotBits: binned.length + numParts,
  };
}
