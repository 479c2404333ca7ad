/**
 * Sampling of basis states: one draw a shot, sorted, then one walk over the probabilities.
 *
 * The walk needs no array of cumulative sums, which would be half as large as the state itself.
 */
import type { BitImages } from '../../math/bit-images.ts';
import { uniformDraw } from '../../math/philox.ts';
import { sortUniformDraws } from '../../math/uniform-sort.ts';
import { type Pacer, UNITS_PER_CHUNK } from '../pacer.ts';

/** One draw costs about as much as this many amplitudes. */
const UNITS_PER_DRAW = 32;

/** Which shots draw, and from which stream. */
export interface SampleRequest {
  readonly shots: Uint32Array;
  readonly seed: number;
  /** Number of the terminal event. */
  readonly event: number;
}

/**
 * Draws a basis state for each shot, as engine.ts defines it.
 *
 * @param physicalOf - Logical basis index → physical basis index.
 * @param onBasisState - Called with each drawn basis state, physical, and its number of shots.
 */
export async function sampleBasisStates(
  state: Float64Array,
  physicalOf: BitImages,
  request: SampleRequest,
  pacer: Pacer,
  onBasisState: (physical: number, occurrences: number) => void,
): Promise<void> {
  const draws = sortUniformDraws(await drawAll(request, pacer));
  const norm = await normOf(state, physicalOf, pacer);
  const numAmplitudes = state.length / 2;
  let cumulative = 0;
  let next = 0;
  let lastPossible = 0;
  for (let from = 0; from < numAmplitudes && next < draws.length; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numAmplitudes);
    for (let i = from; i < to && next < draws.length; i++) {
      const physical = physicalOf.at(i);
      const mass = state[2 * physical]! ** 2 + state[2 * physical + 1]! ** 2;
      if (mass === 0) continue;
      cumulative += mass;
      lastPossible = physical;
      const first = next;
      while (next < draws.length && draws[next]! * norm < cumulative) next++;
      if (next > first) onBasisState(physical, next - first);
    }
    if (pacer.spend(2 * (to - from))) await pacer.pause();
  }
  // A draw next to 1 times the norm may round up to the norm itself.
  if (next < draws.length) onBasisState(lastPossible, draws.length - next);
}

async function drawAll({ shots, seed, event }: SampleRequest, pacer: Pacer): Promise<Float64Array> {
  const draws = new Float64Array(shots.length);
  const shotsPerChunk = UNITS_PER_CHUNK / UNITS_PER_DRAW;
  for (let from = 0; from < shots.length; from += shotsPerChunk) {
    const to = Math.min(from + shotsPerChunk, shots.length);
    for (let i = from; i < to; i++) draws[i] = uniformDraw(seed, shots[i]!, event, 0);
    if (pacer.spend(UNITS_PER_DRAW * (to - from))) await pacer.pause();
  }
  return draws;
}

/** The sum of all probabilities, in the order of the walk, so that both end at the same number. */
async function normOf(state: Float64Array, physicalOf: BitImages, pacer: Pacer): Promise<number> {
  const numAmplitudes = state.length / 2;
  let norm = 0;
  for (let from = 0; from < numAmplitudes; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numAmplitudes);
    for (let i = from; i < to; i++) {
      const physical = physicalOf.at(i);
      norm += state[2 * physical]! ** 2 + state[2 * physical + 1]! ** 2;
    }
    if (pacer.spend(2 * (to - from))) await pacer.pause();
  }
  return norm;
}
