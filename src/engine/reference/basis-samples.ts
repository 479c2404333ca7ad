/**
 * Draws basis states: one draw a shot, sorted, then one walk over the probabilities.
 *
 * The walk needs no array of cumulative sums, which would take half the memory of the state.
 */
import type { BitImages } from '../../math/bit-images.ts';
import type { BasisSamples, SampleRequest } from '../state-operations.ts';
import { sortedTerminalDraws } from '../terminal-draws.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from '../time-slicer.ts';

/**
 * Draws a basis state for each shot, as engine.ts defines it.
 *
 * @param physicalOf - Logical basis index → physical basis index.
 */
export async function sampleBasisStates(
  state: Float64Array,
  physicalOf: BitImages,
  request: SampleRequest,
  slicer: TimeSlicer,
): Promise<BasisSamples> {
  const draws = await sortedTerminalDraws(request, slicer);
  const norm = await normOf(state, physicalOf, slicer);
  const numAmplitudes = state.length / 2;
  const basisIndices = new Uint32Array(Math.min(draws.length, numAmplitudes));
  const occurrences = new Uint32Array(basisIndices.length);
  let numDrawn = 0;
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
      lastPossible = i;
      const first = next;
      while (next < draws.length && draws[next]! * norm < cumulative) next++;
      if (next === first) continue;
      basisIndices[numDrawn] = i;
      occurrences[numDrawn] = next - first;
      numDrawn++;
    }
    if (slicer.spend(2 * (to - from))) await slicer.pause();
  }
  if (next < draws.length) {
    // A draw just below 1, times the norm, may round up to the norm.
    if (numDrawn === 0 || basisIndices[numDrawn - 1] !== lastPossible) {
      basisIndices[numDrawn++] = lastPossible;
    }
    occurrences[numDrawn - 1]! += draws.length - next;
  }
  return {
    basisIndices: basisIndices.slice(0, numDrawn),
    occurrences: occurrences.slice(0, numDrawn),
  };
}

/** Sums all probabilities in the order of the walk, so that both reach the same total. */
async function normOf(
  state: Float64Array,
  physicalOf: BitImages,
  slicer: TimeSlicer,
): Promise<number> {
  const numAmplitudes = state.length / 2;
  let norm = 0;
  for (let from = 0; from < numAmplitudes; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numAmplitudes);
    for (let i = from; i < to; i++) {
      const physical = physicalOf.at(i);
      norm += state[2 * physical]! ** 2 + state[2 * physical + 1]! ** 2;
    }
    if (slicer.spend(2 * (to - from))) await slicer.pause();
  }
  return norm;
}
