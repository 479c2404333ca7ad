/** Clears and copies whole states, one chunk an item. */

// Fields, u32 each after the command's header; the order of state-memory.ts.
const TO: usize = 32;
const FROM: usize = 36;
const BYTES: usize = 40;
const CHUNK: usize = 44;
const MASK: usize = 48;

/** Clears a chunk of a state that becomes |0…0⟩. */
export function clearChunk(command: usize, index: i32): void {
  const to: usize = load<u32>(command, TO);
  const chunk: usize = load<u32>(command, CHUNK);
  const offset = <usize>index * chunk;
  memory.fill(to + offset, 0, min(chunk, <usize>load<u32>(command, BYTES) - offset));
  if (index == 0) store<real>(to, 1);
}

export function copyChunk(command: usize, index: i32): void {
  const chunk: usize = load<u32>(command, CHUNK);
  const offset = <usize>index * chunk;
  const bytes = min(chunk, <usize>load<u32>(command, BYTES) - offset);
  memory.copy(<usize>load<u32>(command, TO) + offset, <usize>load<u32>(command, FROM) + offset, bytes);
}

/** Clears the groups whose offset has any bit of a mask. */
export function clearUntouched(command: usize, index: i32): void {
  const to: usize = load<u32>(command, TO);
  const chunk: usize = load<u32>(command, CHUNK);
  const mask: usize = load<u32>(command, MASK);
  const begin = <usize>index * chunk;
  const end = min(begin + chunk, <usize>load<u32>(command, BYTES));
  // The lowest bit of the mask tells how far groups are alike.
  const run = min(chunk, mask & (0 - mask));
  for (let at = begin; at < end; at += run) {
    if ((at & mask) != 0) memory.fill(to + at, 0, run);
  }
}
