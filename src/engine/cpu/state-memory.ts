/** Clears and copies states in shared memory. */
import type { MaybePromise } from '../state-operations.ts';
import { COMMAND_HEADER_WORDS, COMMAND_KINDS, writeCommand } from './command.ts';
import type { CommandRunner } from './command-runner.ts';

/** Bytes of a state that one item clears or copies; a power of two. */
const PIECE_BYTES = 2 ** 20;
/** Fields after the header: to, from, bytes, bytes of a piece, mask. */
const FIELDS = 5;

/** Makes the state at `to` |0…0⟩. */
export function clearState(runner: CommandRunner, to: number, bytes: number): MaybePromise<void> {
  return inPieces(runner, COMMAND_KINDS.clear, { to, from: 0, bytes, mask: 0 });
}

/** Copies the state at `from`. */
export function copyState(
  runner: CommandRunner,
  from: number,
  to: number,
  bytes: number,
): MaybePromise<void> {
  return inPieces(runner, COMMAND_KINDS.copy, { to, from, bytes, mask: 0 });
}

/** Clears the groups whose byte offset has any bit of `mask`. */
export function clearUntouched(
  runner: CommandRunner,
  to: number,
  bytes: number,
  mask: number,
): MaybePromise<void> {
  return inPieces(runner, COMMAND_KINDS.clearUntouched, { to, from: 0, bytes, mask });
}

function inPieces(
  runner: CommandRunner,
  kind: number,
  { to, from, bytes, mask }: { to: number; from: number; bytes: number; mask: number },
): MaybePromise<void> {
  const piece = Math.min(bytes, PIECE_BYTES);
  const numItems = bytes / piece;
  return runner.withScratch(4 * (COMMAND_HEADER_WORDS + FIELDS), (command) => {
    const header = { kind, numItems, perClaim: 1 };
    writeCommand(runner.memory, command, header, [to, from, bytes, piece, mask]);
    return runner.runCommand(command, numItems);
  });
}
