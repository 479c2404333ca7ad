/**
 * Observables on a state: ⟨ψ|O|ψ⟩ of many of them, without copying the state, and the image O·ψ of one, block by block
 * (assembly/observable-image.ts). Strings with the same flips are done a group at a time (`pauli-groups.ts`).
 *
 * A command's items are spans of the state times some groups. The spans depend on the request and
 * the state alone, so values are the same whatever the number of threads.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import { bitOf, type PauliSum } from '../../circuit/observable.ts';
import { groupPaulis, operatorFactors, type PauliGroup, weightedSums } from '../pauli-groups.ts';
import { andThen, type MaybePromise } from '../state-operations.ts';
import {
  COMMAND_HEADER_WORDS,
  COMMAND_KINDS,
  ScratchPlan,
  type StoredState,
  stateBytes,
  WORD_BYTES,
  writeCommand,
} from './command.ts';
import { type PauliGeometry, planPaulis, visitFactor, writePauliPlan } from './pauli-plan.ts';
import { GROUP_SHIFT } from './precision.ts';
import type { CommandRunner } from './thread-pool.ts';

/** log2 of the bytes of a block; with its table it stays in the second-level cache. */
const BLOCK_SHIFT = 16;
/** Qubits of a span, at least. */
const SPAN_QUBITS = 18;
/** Strings of a command, unless a single group has more. */
const MAX_STRINGS = 2 ** 13;
/** Sums of a command: 16 MiB. */
const MAX_SUMS = 2 ** 21;
/** Visited amplitudes of an item. */
const VISITS_PER_ITEM = 2 ** 17;
const FIELDS = 9;
/** log2 of the bytes of a block of an image; with its sums and its table it stays in the second-level cache. */
const IMAGE_BLOCK_SHIFT = 14;
const IMAGE_FIELDS = 6;

/**
 * The expectation value of each observable.
 *
 * @param layout - Logical qubit → physical qubit.
 */
export function expectations(
  runner: CommandRunner,
  state: StoredState,
  observables: readonly PauliSum[],
  layout: readonly Qubit[],
): MaybePromise<readonly number[]> {
  const grouped = groupPaulis(observables, (qubit) => bitOf(layout[qubit]!));
  const sums = new Float64Array(grouped.numStrings);
  const parts = partsOf(grouped.groups);
  const from = (first: number): MaybePromise<readonly number[]> => {
    for (let i = first; i < parts.length; i++) {
      const done = sumStrings(runner, state, parts[i]!, sums);
      if (done instanceof Promise) return done.then(() => from(i + 1));
    }
    return weightedSums(grouped, sums);
  };
  return from(0);
}

/** Groups in parts that one command each takes. */
function partsOf(groups: readonly PauliGroup[]): readonly (readonly PauliGroup[])[] {
  const parts: PauliGroup[][] = [];
  let numStrings = MAX_STRINGS;
  for (const group of groups) {
    numStrings += group.signs.length;
    if (numStrings > MAX_STRINGS) {
      parts.push([]);
      numStrings = group.signs.length;
    }
    parts.at(-1)!.push(group);
  }
  return parts;
}

/** Writes the sums of the strings of some groups. */
function sumStrings(
  runner: CommandRunner,
  state: StoredState,
  groups: readonly PauliGroup[],
  sums: Float64Array,
): MaybePromise<void> {
  const cells = cellsOf(state);
  const { numQubits } = cells;
  const geometry = pauliGeometry(cells, BLOCK_SHIFT, true);
  const plan = planPaulis(groups, geometry);
  const numStrings = groups.reduce((sum, { signs }) => sum + signs.length, 0);
  const mostSpans = 2 ** Math.max(0, Math.floor(Math.log2(MAX_SUMS / numStrings)));
  const numSpans = Math.min(mostSpans, 2 ** Math.max(0, numQubits - SPAN_QUBITS));
  const perItem = Math.max(1, Math.floor((2 * VISITS_PER_ITEM * numSpans) / 2 ** numQubits));
  const numItems = numSpans * Math.ceil(groups.length / perItem);
  const scratch = new ScratchPlan();
  const command = scratch.reserve(4 * (COMMAND_HEADER_WORDS + FIELDS));
  const list = scratch.reserve(plan.bytes);
  const out = scratch.reserve(8 * numSpans * numStrings);
  const room = scratch.reserve(cells === state ? 0 : stateBytes(cells));
  return runner.withScratch(scratch.bytes, (at) => {
    const { memory } = runner;
    const end = writePauliPlan(memory, at + list, plan);
    const header = { kind: COMMAND_KINDS.expectation, numItems, perClaim: 1 };
    writeCommand(memory, at + command, header, [
      (cells === state ? state.at : copyCell(memory, state, cells, at + room)) / WORD_BYTES,
      ...[blockBytes(cells, geometry), stateBytes(cells) / numSpans / WORD_BYTES, numSpans],
      ...[perItem, at + list, end, at + out, numStrings],
    ]);
    const read = () => {
      const found = new Float64Array(runner.memory, at + out, numSpans * numStrings);
      addSpans(found, groups, geometry, sums);
    };
    return andThen(runner.runCommand(at + command, numItems), read);
  });
}

/**
 * Adds up the spans of each string.
 *
 * @param found - By span and string.
 */
function addSpans(
  found: Float64Array,
  groups: readonly PauliGroup[],
  geometry: PauliGeometry,
  sums: Float64Array,
): void {
  const first = groups[0]!.firstString;
  const last = groups.at(-1)!;
  const numStrings = last.firstString + last.signs.length - first;
  for (const group of groups) {
    const factor = visitFactor(group, geometry);
    for (
      let string = group.firstString;
      string < group.firstString + group.signs.length;
      string++
    ) {
      let sum = 0;
      for (let i = string - first; i < found.length; i += numStrings) sum += found[i]!;
      sums[string] = factor * sum;
    }
  }
}

/** Qubits of a cell. */
const CELL_QUBITS = 3;
/** Bytes of a cell of a table: eight doubles. */
const CELL_BYTES = 64;

/**
 * Division of a state into cells and blocks.
 *
 * @param blockShift - log2 of the bytes of a block.
 */
function pauliGeometry(
  { numQubits, precision: { laneQubits } }: StoredState,
  blockShift: number,
  halves: boolean,
): PauliGeometry {
  const blockQubits = Math.min(numQubits, blockShift - GROUP_SHIFT + laneQubits);
  return { cellQubits: CELL_QUBITS, cellBytes: CELL_BYTES, blockQubits, laneQubits, halves };
}

/** Bytes of a block. */
function blockBytes(state: StoredState, { blockQubits }: PauliGeometry): number {
  return stateBytes({ ...state, numQubits: blockQubits });
}

/** The state as whole cells: one of fewer qubits is extended by qubits that are |0⟩. */
function cellsOf(state: StoredState): StoredState {
  return state.numQubits >= CELL_QUBITS ? state : { ...state, numQubits: CELL_QUBITS };
}

/** Copies a state of less than a cell to where there is room for one. */
function copyCell(
  memory: SharedArrayBuffer,
  state: StoredState,
  cell: StoredState,
  to: number,
): number {
  const bytes = new Uint8Array(memory, to, stateBytes(cell)).fill(0);
  bytes.set(new Uint8Array(memory, state.at, stateBytes(state)));
  return to;
}

/**
 * Writes O·ψ, not normalised, over a state.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param imageAt - Address of the image, as long as the state and not the state.
 */
export function applyObservable(
  runner: CommandRunner,
  state: StoredState,
  observable: PauliSum,
  layout: readonly Qubit[],
  imageAt: number,
): MaybePromise<void> {
  const grouped = groupPaulis([observable], (qubit) => bitOf(layout[qubit]!));
  const cells = cellsOf(state);
  const isSmall = cells !== state;
  const geometry = pauliGeometry(cells, IMAGE_BLOCK_SHIFT, false);
  const plan = planPaulis(grouped.groups, geometry);
  const numItems = 2 ** (cells.numQubits - geometry.blockQubits);
  const scratch = new ScratchPlan();
  const command = scratch.reserve(4 * (COMMAND_HEADER_WORDS + IMAGE_FIELDS));
  const list = scratch.reserve(plan.bytes);
  const factors = scratch.reserve(8 * grouped.numStrings);
  const room = scratch.reserve(isSmall ? stateBytes(cells) : 0);
  const imageRoom = scratch.reserve(isSmall ? stateBytes(cells) : 0);
  return runner.withScratch(scratch.bytes, (at) => {
    const { memory } = runner;
    const end = writePauliPlan(memory, at + list, plan);
    new Float64Array(memory, at + factors, grouped.numStrings).set(operatorFactors(grouped));
    const header = { kind: COMMAND_KINDS.observableImage, numItems, perClaim: 1 };
    writeCommand(memory, at + command, header, [
      (isSmall ? copyCell(memory, state, cells, at + room) : state.at) / WORD_BYTES,
      (isSmall ? at + imageRoom : imageAt) / WORD_BYTES,
      ...[blockBytes(cells, geometry), at + list, end, at + factors],
    ]);
    const finish = () => {
      if (!isSmall) return;
      const bytes = new Uint8Array(runner.memory);
      bytes.copyWithin(imageAt, at + imageRoom, at + imageRoom + stateBytes(state));
    };
    return andThen(runner.runCommand(at + command, numItems), finish);
  });
}
