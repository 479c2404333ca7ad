/** Collapses a qubit after a measurement or a reset. */
import { GROUP_SHIFT, IMAG, LANES, place } from './vectors';

const GROUP: usize = 1 << GROUP_SHIFT;

/**
 * Projects a subcube onto the outcome, scales it, and leaves the qubit as |left⟩.
 *
 * @param first - The first group where the qubit is 0; `free` are the address bits of the others.
 * @param distance - Distance of groups that differ in the qubit.
 */
export function collapsePairs(
  first: usize,
  free: usize,
  distance: usize,
  outcome: i32,
  left: i32,
  scale: f64,
): void {
  const factor = v128.splat<real>(<real>scale);
  const zero = v128.splat<real>(0);
  const kept = outcome ? distance : 0;
  const filled = left ? distance : 0;
  const cleared = distance - filled;
  let i: usize = 0;
  do {
    const p = first + i;
    const re = v128.mul<real>(factor, v128.load(p + kept));
    const im = v128.mul<real>(factor, v128.load(p + kept, IMAG));
    v128.store(p + cleared, zero);
    v128.store(p + cleared, zero, IMAG);
    v128.store(p + filled, re);
    v128.store(p + filled, im, IMAG);
    i = (i - free) & free;
  } while (i != 0);
}

/**
 * As `collapsePairs`, for the lane qubit that is `laneBit` of the lane number.
 *
 * @param scratch - 32 bytes.
 */
export function collapseLanes(
  at: usize,
  bytes: usize,
  laneBit: i32,
  outcome: i32,
  left: i32,
  scale: f64,
  scratch: usize,
): void {
  for (let lane = 0; lane < LANES; lane++) {
    const isFilled = ((lane & laneBit) != 0) == (left != 0);
    store<real>(scratch + (<usize>lane << alignof<real>()), isFilled ? <real>scale : 0);
    const source = (lane & ~laneBit) | (outcome ? laneBit : 0);
    for (let byte = 0; byte < <i32>sizeof<real>(); byte++) {
      const to = (<usize>lane << alignof<real>()) + byte;
      store<u8>(scratch + 16 + to, <u8>((source << <i32>alignof<real>()) + byte));
    }
  }
  const factors = v128.load(scratch);
  const sources = v128.load(scratch, 16);
  const end = at + bytes;
  for (; at < end; at += GROUP) {
    v128.store(at, v128.mul<real>(factors, v128.swizzle(v128.load(at), sources)));
    v128.store(at, v128.mul<real>(factors, v128.swizzle(v128.load(at, IMAG), sources)), IMAG);
  }
}

// Fields, u32 each but the scale; the order in which collapse.ts of the engine writes them.
/** In 32-bit words, as the distance. */
const STATE: usize = 32;
/** Bytes of an item: neighbouring groups, or as many with one value of a qubit beyond them. */
const ITEM_BYTES: usize = 36;
const DISTANCE: usize = 40;
const LANE_BIT: usize = 44;
const OUTCOME: usize = 48;
const LEFT: usize = 52;
const SCALE: usize = 56;

export function collapseItem(command: usize, item: i32, scratch: usize): void {
  const state = place(command + STATE);
  const bytes: usize = load<u32>(command, ITEM_BYTES);
  const distance = place(command + DISTANCE);
  const outcome: i32 = load<i32>(command, OUTCOME);
  const left: i32 = load<i32>(command, LEFT);
  const scale = load<f64>(command, SCALE);
  let offset = <usize>item * bytes;
  if (distance == 0) {
    const laneBit: i32 = load<i32>(command, LANE_BIT);
    collapseLanes(state + offset, bytes, laneBit, outcome, left, scale, scratch);
    return;
  }
  // A qubit beyond the item is a gap in the item numbers: each item handles both its values.
  if (distance >= bytes) offset += offset & -distance;
  collapsePairs(state + offset, (bytes - GROUP) & ~distance, distance, outcome, left, scale);
}
