/** States in the shared memory: room for them, clearing, copying. */
import type { MaybePromise } from '../state-operations.ts';
import { TASK_HEADER_WORDS, TASK_KINDS } from './task-header.ts';
import type { TaskRunner } from './task-runner.ts';

/** Bytes of a state that one item clears or copies; a power of two. */
const PIECE_BYTES = 2 ** 20;
/** Fields after the header: to, from, bytes, bytes of a piece, mask. */
const FIELDS = 5;

/** Makes the state at `to` |0…0⟩. */
export function clearState(runner: TaskRunner, to: number, bytes: number): MaybePromise<void> {
  return inPieces(runner, TASK_KINDS.clear, { to, from: 0, bytes, mask: 0 });
}

/** Copies the state at `from`. */
export function copyState(
  runner: TaskRunner,
  from: number,
  to: number,
  bytes: number,
): MaybePromise<void> {
  return inPieces(runner, TASK_KINDS.copy, { to, from, bytes, mask: 0 });
}

/** Clears the groups whose byte offset has any bit of `mask`. */
export function clearUntouched(
  runner: TaskRunner,
  to: number,
  bytes: number,
  mask: number,
): MaybePromise<void> {
  return inPieces(runner, TASK_KINDS.clearUntouched, { to, from: 0, bytes, mask });
}

function inPieces(
  runner: TaskRunner,
  kind: number,
  { to, from, bytes, mask }: { to: number; from: number; bytes: number; mask: number },
): MaybePromise<void> {
  const piece = Math.min(bytes, PIECE_BYTES);
  const numItems = bytes / piece;
  return runner.withScratch(4 * (TASK_HEADER_WORDS + FIELDS), (task) => {
    const header = [kind, numItems, 0, 0, 1, 0, 0, 0];
    const words = Uint32Array.from([...header, to, from, bytes, piece, mask]);
    new Uint32Array(runner.memory, task, words.length).set(words);
    return runner.runTask(task, numItems);
  });
}
