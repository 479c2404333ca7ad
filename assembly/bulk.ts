/** Clears and copies whole states, one chunk an item. */
import { place } from './vectors';

// Fields, u32 each after the command's header; the order of inChunks in cpu-states.ts. All but the bytes of a chunk are in
// 32-bit words.
const TO: usize = 32;
const FROM: usize = 36;
const SIZE: usize = 40;
const CHUNK_BYTES: usize = 44;
const MASK: usize = 48;

/** Clears a chunk of a state that becomes |0…0⟩. */
export function clearChunk(command: usize, index: i32): void {
  const to = place(command + TO);
  const chunk: usize = load<u32>(command, CHUNK_BYTES);
  const offset = <usize>index * chunk;
  memory.fill(to + offset, 0, min(chunk, place(command + SIZE) - offset));
  if (index == 0) store<real>(to, 1);
}

export function copyChunk(command: usize, index: i32): void {
  const chunk: usize = load<u32>(command, CHUNK_BYTES);
  const offset = <usize>index * chunk;
  const bytes = min(chunk, place(command + SIZE) - offset);
  memory.copy(place(command + TO) + offset, place(command + FROM) + offset, bytes);
}

/** Clears the groups whose offset has any bit of a mask. */
export function clearUntouched(command: usize, index: i32): void {
  const to = place(command + TO);
  const chunk: usize = load<u32>(command, CHUNK_BYTES);
  const mask = place(command + MASK);
  const begin = <usize>index * chunk;
  const end = min(begin + chunk, place(command + SIZE));
  // The lowest bit of the mask tells how far groups are alike.
  const run = min(chunk, mask & (0 - mask));
  for (let at = begin; at < end; at += run) {
    if ((at & mask) != 0) memory.fill(to + at, 0, run);
  }
}
