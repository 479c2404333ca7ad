/**
 * Plans the sums of a state's masses (squared amplitudes) by the values of some of its qubits.
 *
 * An item always reads a whole run of neighbouring groups, whichever qubits are binned, so
 * memory is read in whole cache lines and few pages. If an item cannot visit all of a bin, several
 * items sum parts of it, which are added in order.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import {
  type ScratchPlan,
  type StoredState,
  subsetSums,
  WORD_BYTES,
  wordImage,
  writeWords,
} from './command.ts';
import { GROUP_BYTES, GROUP_SHIFT } from './precision.ts';

/** log2 of the bytes of a region: neighbouring groups that are read together. */
const REGION_SHIFT = 9;
/** log2 of the amplitudes of an item. */
const ITEM_QUBITS = 14;

/** An offset in the state in 32-bit words, and what it adds to the number of the bin. */
export type BinOffset = readonly [offset: number, bin: number];

/** The fields of the command that assembly/masses.ts does, lists still being lists. */
export interface MassesPlan {
  readonly numItems: number;
  /** By bit of the item's number. */
  readonly outer: readonly BinOffset[];
  readonly tiles: readonly BinOffset[];
  readonly lines: readonly BinOffset[];
  readonly laneMask: number;
  /** As `lines`, with lane numbers instead of offsets. */
  readonly laneLines: readonly BinOffset[];
  /** Offsets in 32-bit words. */
  readonly runs: readonly number[];
  readonly runBytes: number;
  readonly numBins: number;
  /** Number of partial lists of bins, stored one after another, to be summed. */
  readonly numParts: number;
}

/** Number of low qubits whose groups form a region. */
export function regionQubits({ precision: { laneQubits } }: StoredState): number {
  return laneQubits + REGION_SHIFT - GROUP_SHIFT;
}

/**
 * Plans the masses of the values of qubits.
 *
 * @param binned - Bit i of a bin's number is qubit binned[i].
 * @param summed - The other qubits of the program, in any order.
 */
export function planMasses(
  state: StoredState,
  binned: readonly Qubit[],
  summed: readonly Qubit[],
): MassesPlan {
  const { precision } = state;
  const { laneQubits } = precision;
  const nearQubits = regionQubits(state);
  const placeOf = (qubit: Qubit): BinOffset => [wordImage(qubit, precision), binOf(binned, qubit)];
  const laneBins = ascending(binned.filter((qubit) => qubit < laneQubits));
  const lines = ascending(binned.filter((qubit) => qubit >= laneQubits && qubit < nearQubits));
  let room = ITEM_QUBITS - laneQubits - lines.length;

  const rest = ascending(summed.filter((qubit) => qubit >= laneQubits));
  const runQubits = rest.filter((qubit, i) => qubit === laneQubits + i).slice(0, room);
  room -= runQubits.length;
  const runs = rest.slice(runQubits.length, runQubits.length + room);
  const parts = rest.slice(runQubits.length + runs.length);
  room -= runs.length;
  const far = ascending(binned.filter((qubit) => qubit >= nearQubits));
  const numBins = 2 ** binned.length;
  const outer: BinOffset[] = [
    ...far.slice(room).map(placeOf),
    ...parts.map((qubit, i): BinOffset => [wordImage(qubit, precision), numBins * 2 ** i]),
  ];
  return {
    numItems: 2 ** outer.length,
    outer: outer.sort(([a], [b]) => a - b),
    tiles: placesOf(far.slice(0, room).map(placeOf)),
    lines: placesOf(lines.map(placeOf)),
    laneMask: laneBins.reduce((mask, qubit) => mask | (1 << qubit), 0),
    laneLines: placesOf(laneBins.map((qubit) => [2 ** qubit, binOf(binned, qubit)])),
    runs: subsetSums(runs.map((qubit) => wordImage(qubit, precision))),
    runBytes: GROUP_BYTES * 2 ** runQubits.length,
    numBins,
    numParts: 2 ** parts.length,
  };
}

function binOf(binned: readonly Qubit[], qubit: Qubit): number {
  return 2 ** binned.indexOf(qubit);
}

function ascending(qubits: readonly Qubit[]): readonly Qubit[] {
  return [...qubits].sort((a, b) => a - b);
}

/** Sums of all subsets of places. */
function placesOf(bits: readonly BinOffset[]): readonly BinOffset[] {
  const offsets = subsetSums(bits.map(([offset]) => offset));
  const bins = subsetSums(bits.map(([, bin]) => bin));
  return offsets.map((offset, i): BinOffset => [offset, bins[i]!]);
}

/** A plan's lists in a block of scratch memory. */
export interface PlacedMasses {
  readonly plan: MassesPlan;
  /** Offset of the list of bins in the block. */
  readonly bins: number;
  /**
   * Writes the lists.
   *
   * @returns The fields of the command, up to the address of the bins.
   */
  write(memory: SharedArrayBuffer, block: number, state: number): readonly number[];
}

/** Reserves room for a plan's lists, and for its bins and one double more. */
export function placeMasses(plan: MassesPlan, scratch: ScratchPlan): PlacedMasses {
  const lists = [plan.outer, plan.tiles, plan.lines, plan.laneLines].map((places) => {
    const words = places.flat();
    return { count: places.length, words, offset: scratch.reserve(4 * words.length) };
  });
  const runs = scratch.reserve(4 * plan.runs.length);
  const bins = scratch.reserve(8 * (plan.numBins * plan.numParts + 1));
  return {
    plan,
    bins,
    write: (memory, block, state) => {
      for (const { words, offset } of lists) writeWords(memory, block + offset, words);
      writeWords(memory, block + runs, plan.runs);
      const [outer, tiles, lines, laneLines] = lists.map(({ count, offset }) => [
        count,
        block + offset,
      ]);
      return [
        ...[state / WORD_BYTES, ...outer!, ...tiles!, ...lines!],
        ...[plan.laneMask, ...laneLines!, plan.runs.length, block + runs, plan.runBytes],
        block + bins,
      ];
    },
  };
}
