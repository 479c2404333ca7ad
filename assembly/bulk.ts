/** Clears and copies whole states, one piece an item. */

// Fields, u32 each after the command's header; the order of state-memory.ts.
const TO: usize = 32;
const FROM: usize = 36;
const BYTES: usize = 40;
const PIECE: usize = 44;
const MASK: usize = 48;

/** Clears a piece of a state that becomes |0…0⟩. */
export function clearPiece(command: usize, index: i32): void {
  const to: usize = load<u32>(command, TO);
  const piece: usize = load<u32>(command, PIECE);
  const offset = <usize>index * piece;
  memory.fill(to + offset, 0, min(piece, <usize>load<u32>(command, BYTES) - offset));
  if (index == 0) store<real>(to, 1);
}

export function copyPiece(command: usize, index: i32): void {
  const piece: usize = load<u32>(command, PIECE);
  const offset = <usize>index * piece;
  const bytes = min(piece, <usize>load<u32>(command, BYTES) - offset);
  memory.copy(<usize>load<u32>(command, TO) + offset, <usize>load<u32>(command, FROM) + offset, bytes);
}

/** Clears the groups whose offset has any bit of a mask. */
export function clearUntouched(command: usize, index: i32): void {
  const to: usize = load<u32>(command, TO);
  const piece: usize = load<u32>(command, PIECE);
  const mask: usize = load<u32>(command, MASK);
  const begin = <usize>index * piece;
  const end = min(begin + piece, <usize>load<u32>(command, BYTES));
  // The lowest bit of the mask tells how far groups are alike.
  const run = min(piece, mask & (0 - mask));
  for (let at = begin; at < end; at += run) {
    if ((at & mask) != 0) memory.fill(to + at, 0, run);
  }
}
