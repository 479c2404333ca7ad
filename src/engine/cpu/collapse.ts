/** Measurement of one qubit: its masses, and the collapse to an outcome. */
import type { Qubit } from '../../circuit/circuit.ts';
import { andThen, type MaybePromise, type QubitMasses } from '../state-operations.ts';
import {
  COMMAND_HEADER_WORDS,
  COMMAND_KINDS,
  itemsPerClaim,
  type StoredState,
  stateBytes,
  WORD_BYTES,
  wordImage,
  writeCommand,
} from './command.ts';
import { GROUP_BYTES } from './precision.ts';
import type { CommandRunner } from './thread-pool.ts';

/** States up to this are done by the calling thread at once; larger ones in items of this size. */
const ITEM_BYTES = 2 ** 17;
const MAX_PER_CLAIM = 8;
const COMMAND_BYTES = 4 * (COMMAND_HEADER_WORDS + 8);

/** The masses of a physical qubit. */
export function qubitMasses(
  runner: CommandRunner,
  state: StoredState,
  qubit: Qubit,
): MaybePromise<QubitMasses> {
  const bytes = stateBytes(state);
  const { distance, laneBit } = placeOf(state, qubit);
  if (bytes <= ITEM_BYTES) {
    return runner.withScratch(128, (at) => {
      runner.kernels.stateMasses(state.at / WORD_BYTES, bytes, distance, laneBit, at, at + 64);
      return sumOf(new Float64Array(runner.memory, at + 64, 2));
    });
  }
  const numItems = bytes / ITEM_BYTES;
  return runner.withScratch(COMMAND_BYTES + 16 * numItems, (command) => {
    const out = command + COMMAND_BYTES;
    const perClaim = itemsPerClaim(numItems, MAX_PER_CLAIM);
    const header = { kind: COMMAND_KINDS.qubitMasses, numItems, perClaim };
    const place = [state.at / WORD_BYTES, ITEM_BYTES, distance / WORD_BYTES, laneBit];
    writeCommand(runner.memory, command, header, [...place, out]);
    const read = () => sumOf(new Float64Array(runner.memory, out, 2 * numItems));
    return andThen(runner.runCommand(command, numItems), read);
  });
}

/** The masses of all items, in their order. */
function sumOf(masses: Float64Array): QubitMasses {
  let zero = 0;
  let one = 0;
  for (let i = 0; i < masses.length; i += 2) {
    zero += masses[i]!;
    one += masses[i + 1]!;
  }
  return { zero, one };
}

/**
 * Keeps the amplitudes of `outcome`, renormalised, and leaves the qubit as |left⟩.
 *
 * @param mass - The outcome's; positive.
 */
export function collapse(
  runner: CommandRunner,
  state: StoredState,
  qubit: Qubit,
  outcome: 0 | 1,
  left: 0 | 1,
  mass: number,
): MaybePromise<void> {
  const bytes = stateBytes(state);
  const { distance, laneBit } = placeOf(state, qubit);
  const scale = 1 / Math.sqrt(mass);
  if (bytes <= ITEM_BYTES) {
    const { kernels } = runner;
    const at = state.at / WORD_BYTES;
    if (distance > 0) {
      const free = (bytes - GROUP_BYTES) & ~distance;
      return kernels.collapseState(at, free, distance, outcome, left, scale);
    }
    return runner.withScratch(64, (scratch) =>
      kernels.collapseStateLanes(at, bytes, laneBit, outcome, left, scale, scratch),
    );
  }
  // For a qubit beyond an item, each item handles both values.
  const numItems = bytes / ITEM_BYTES / (distance >= ITEM_BYTES ? 2 : 1);
  return runner.withScratch(COMMAND_BYTES, (command) => {
    const perClaim = itemsPerClaim(numItems, MAX_PER_CLAIM);
    const header = { kind: COMMAND_KINDS.collapse, numItems, perClaim };
    const place = [state.at / WORD_BYTES, ITEM_BYTES, distance / WORD_BYTES, laneBit];
    const fields = [...place, outcome, left];
    writeCommand(runner.memory, command, header, fields);
    new Float64Array(runner.memory, command + 4 * (COMMAND_HEADER_WORDS + fields.length), 1)[0] =
      scale;
    return runner.runCommand(command, numItems);
  });
}

/**
 * Location of a qubit: distance in bytes between groups that differ in it, or its bit of the lane
 * number.
 */
function placeOf(
  { precision }: StoredState,
  qubit: Qubit,
): { readonly distance: number; readonly laneBit: number } {
  if (qubit < precision.laneQubits) return { distance: 0, laneBit: 2 ** qubit };
  return { distance: WORD_BYTES * wordImage(qubit, precision), laneBit: 0 };
}
