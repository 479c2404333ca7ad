/**
 * Plans how the masses of a chunk are summed by the values of some qubits: which qubits number
 * invocations, which number workgroups, and which an invocation loops over.
 */
import type { Qubit } from '../../../circuit/circuit.ts';

const MAX_THREAD_QUBITS = 8;
/** log2 of the sums of a dispatch. */
const MAX_SLOT_BITS = 18;
/** log2 of the workgroups that keep any device busy. */
const BUSY_GROUP_BITS = 13;
/** log2 of the fewest terms that make an invocation worthwhile. */
const MIN_LOOP_BITS = 8;
/** log2 of the most terms of an invocation: three nested accumulators of 16 terms each. */
const MAX_LOOP_BITS = 12;

/** A qubit whose values are binned separately. */
export interface BinnedQubit {
  readonly qubit: Qubit;
  /** Added to the bin's number if the qubit is 1; no two qubits share a bit. */
  readonly image: number;
}

/** Dispatches over one chunk. */
export interface MassesPlan {
  readonly threadQubits: number;
  /** Binned qubits of one dispatch; the i-th is bit i of a slot. */
  readonly binned: readonly BinnedQubit[];
  /** Other binned qubits: there is a dispatch for each of their values. */
  readonly sliced: readonly BinnedQubit[];
  /** For each bit of a workgroup's number, [bit of the index, bit of the slot]. */
  readonly groupPlaces: readonly (readonly [number, number])[];
  /** For each bit of an invocation's number, its bit of the slot. */
  readonly threadSlots: readonly number[];
  readonly loopQubits: readonly Qubit[];
  readonly slotBits: number;
}

/**
 * Plans the dispatches of chunks of one size.
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
  // Splits bins until there are enough workgroups; the host adds the parts.
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
