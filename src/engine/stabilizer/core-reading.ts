/** How measured bits of a near-Clifford program follow from its core and from fair coins. */
import {
  hasBit,
  identityRows,
  masksOf,
  multiplyRow,
  type PauliRows,
  stringOn,
} from '../../circuit/pauli-rows.ts';
import type { CoreString, NearCliffordProgram } from '../../compiler/program.ts';
import { flipBit, wordsFor } from '../classical-bits.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { type CoreState, inSlices } from './core-state.ts';

/** What outcomes are read from: each bit of the core and each coin flips some bits of the outcome, or none. */
export interface Reading {
  /** Probability of each basis state of the rotated core. */
  readonly weights: Float64Array;
  /** The outcome where all bits of the core and all coins are 0. */
  readonly base: Uint32Array;
  /** Flips by each bit of the core. */
  readonly coreFlips: readonly Uint32Array[];
  /** Flips by each coin. */
  readonly coinFlips: readonly Uint32Array[];
}

/** Rotates the state so that all measured bits can be read off its basis states and coins. */
export async function readingOf(
  program: NearCliffordProgram,
  state: CoreState,
  slicer: TimeSlicer,
): Promise<Reading> {
  const { coreQubits, tableau, measured, numBits, numQubits } = program;
  const isCore = coreOf(program);
  const rows = identityRows(measured.length, numQubits);
  const noFlips = () => new Uint32Array(wordsFor(numBits));
  const coins: { readonly row: number; readonly pivot: number; readonly flips: Uint32Array }[] = [];
  const strings: { readonly bit: number; readonly string: CoreString }[] = [];
  for (const [row, { bit, qubit }] of measured.entries()) {
    multiplyRow(rows, row, tableau, 2 * qubit + 1);
    const { flips } = masksOf(rows, row);
    for (const coin of coins) {
      if (!hasBit(flips, coin.pivot)) continue;
      multiplyRow(rows, row, rows, coin.row);
      flipBit(coin.flips, bit);
    }
    const outside = outsideOf(rows, row, isCore);
    const word = outside.findIndex((bits) => bits !== 0);
    if (word < 0) {
      strings.push({ bit, string: stringOn(coreQubits, rows, row) });
    } else {
      // A string that flips other qubits, times any product of the strings before, is a fair coin of its own.
      const pivot = 32 * word + 31 - Math.clz32(outside[word]! & -outside[word]!);
      coins.push({ row, pivot, flips: noFlips() });
      flipBit(coins.at(-1)!.flips, bit);
    }
    if (slicer.spend(coins.length * flips.length)) await slicer.pause();
  }
  const parities = await state.diagonalize(
    strings.map(({ string }) => string),
    slicer,
  );
  const base = noFlips();
  const coreFlips = coreQubits.map(noFlips);
  for (const [i, { bit }] of strings.entries()) {
    const { mask, isNegative } = parities[i]!;
    if (isNegative) flipBit(base, bit);
    for (const [place, flips] of coreFlips.entries()) {
      if (((mask >> place) & 1) === 1) flipBit(flips, bit);
    }
  }
  const { amplitudes } = state;
  const weights = new Float64Array(amplitudes.length / 2);
  await inSlices(weights.length, slicer, (from, to) => {
    for (let i = from; i < to; i++) {
      weights[i] = amplitudes[2 * i]! ** 2 + amplitudes[2 * i + 1]! ** 2;
    }
  });
  return { weights, base, coreFlips, coinFlips: coins.map(({ flips }) => flips) };
}

/** The mask of the core qubits. */
export function coreOf({ coreQubits, tableau }: NearCliffordProgram): Int32Array {
  const mask = new Int32Array(tableau.numWords);
  for (const qubit of coreQubits) mask[qubit >>> 5]! |= 1 << (qubit & 31);
  return mask;
}

/** Flips of a row on other qubits than those of the core. */
export const outsideOf = (rows: PauliRows, row: number, isCore: Int32Array): Int32Array =>
  masksOf(rows, row).flips.map((word, i) => word & ~isCore[i]!);
