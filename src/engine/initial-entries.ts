/**
 * The amplitudes that a run begins with, in the order of an engine's memory. They are computed where they are needed:
 * the density matrix of a pure state has as many entries as the square of its amplitudes.
 */
import type { Initialize } from '../compiler/program.ts';
import { BitImages } from '../math/bit-images.ts';

/** Amplitudes that an engine writes at a time. */
export const ENTRIES_PER_CHUNK = 2 ** 16;

/** Amplitudes by physical basis index. */
export class InitialEntries {
  /** Qubits of the program's state. */
  readonly numQubits: number;
  /** Physical basis index → logical basis index. */
  readonly #logicalOf: BitImages;
  /** Writes the amplitude of a logical basis index at a position. */
  readonly #write: (index: number, out: Float64Array, at: number) => void;

  constructor({ state, places }: Omit<Initialize, 'kind'>) {
    this.numQubits = places.length;
    const images = new Array<number>(places.length);
    for (const [qubit, place] of places.entries()) images[place] = 2 ** qubit;
    this.#logicalOf = new BitImages(images);
    const half = places.length / 2;
    // Rows are the lower half of the qubits.
    const [rowMask, columnShift] = [2 ** half - 1, half];
    if (state.kind === 'mixed') {
      const { entries } = state;
      if (entries.length !== 2 * 2 ** places.length) {
        throw new Error('unreachable: a mixed state where there is no density matrix');
      }
      this.#write = (index, out, at) => {
        const from = 2 * ((index & rowMask) * 2 ** half + (index >>> columnShift));
        out[at] = entries[from]!;
        out[at + 1] = entries[from + 1]!;
      };
      return;
    }
    const { amplitudes } = state;
    if (amplitudes.length === 2 * 2 ** places.length) {
      this.#write = (index, out, at) => {
        out[at] = amplitudes[2 * index]!;
        out[at + 1] = amplitudes[2 * index + 1]!;
      };
      return;
    }
    this.#write = (index, out, at) => {
      const [row, column] = [2 * (index & rowMask), 2 * (index >>> columnShift)];
      const [re, im] = [amplitudes[row]!, amplitudes[row + 1]!];
      const [re2, im2] = [amplitudes[column]!, -amplitudes[column + 1]!];
      out[at] = re * re2 - im * im2;
      out[at + 1] = re * im2 + im * re2;
    };
  }

  /**
   * Fills an array, interleaved re, im.
   *
   * @param first - Physical basis index of its first amplitude.
   */
  fill(first: number, out: Float64Array): void {
    for (let i = 0; i < out.length; i += 2) {
      this.#write(this.#logicalOf.at(first + i / 2) >>> 0, out, i);
    }
  }
}
