/** Measurement of one qubit: its masses, and the collapse to an outcome. */
import type { Qubit } from '../../circuit/circuit.ts';
import type { QubitMasses } from '../state-operations.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from '../time-slicer.ts';

/** The masses of a physical qubit. */
export async function qubitMasses(
  state: Float64Array,
  qubit: Qubit,
  slicer: TimeSlicer,
): Promise<QubitMasses> {
  const numAmplitudes = state.length / 2;
  let zero = 0;
  let one = 0;
  for (let from = 0; from < numAmplitudes; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numAmplitudes);
    for (let i = from; i < to; i++) {
      const mass = state[2 * i]! ** 2 + state[2 * i + 1]! ** 2;
      if ((i >>> qubit) & 1) one += mass;
      else zero += mass;
    }
    if (slicer.spend(to - from)) await slicer.pause();
  }
  return { zero, one };
}

/**
 * Projects onto `outcome`, renormalises, and leaves the qubit as |left⟩: the outcome itself after a
 * measurement, 0 after a reset.
 *
 * @param mass - Mass of the outcome, as `qubitMasses` returns it; positive.
 */
export async function collapse(
  state: Float64Array,
  qubit: Qubit,
  outcome: 0 | 1,
  left: 0 | 1,
  mass: number,
  slicer: TimeSlicer,
): Promise<void> {
  const scale = 1 / Math.sqrt(mass);
  const mask = 2 ** qubit;
  const numPairs = state.length / 4;
  let base = 0;
  for (let from = 0; from < numPairs; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numPairs);
    for (let pair = from; pair < to; pair++) {
      const kept = 2 * (base + outcome * mask);
      const re = scale * state[kept]!;
      const im = scale * state[kept + 1]!;
      const cleared = 2 * (base + (1 - left) * mask);
      state[cleared] = 0;
      state[cleared + 1] = 0;
      const filled = 2 * (base + left * mask);
      state[filled] = re;
      state[filled + 1] = im;
      base = ((base | mask) + 1) & ~mask;
    }
    if (slicer.spend(2 * (to - from))) await slicer.pause();
  }
}
