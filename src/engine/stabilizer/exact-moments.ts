/** Exact expectation values and variances of observables, of the mean of all shots where there is noise. */
import type { PauliFactor, PauliSum, PauliTerm } from '../../circuit/observable.ts';
import type { StabilizerProgram } from '../../compiler/program.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { BackwardWalk, LANES } from './backward-walk.ts';

/** Expectation values of observables before the measurements of the end. */
export async function expectationsOf(
  program: StabilizerProgram,
  observables: readonly PauliSum[],
  slicer: TimeSlicer,
): Promise<number[]> {
  const strings = observables.flatMap((sum) => sum.map(({ factors }) => factors));
  const values = await meansOf(program, strings, slicer);
  let next = 0;
  return observables.map((sum) =>
    sum.reduce((total, { coefficient }) => total + coefficient * values[next++]!, 0),
  );
}

/** ⟨O²⟩ − ⟨O⟩² of each observable. */
export async function variancesOf(
  program: StabilizerProgram,
  observables: readonly PauliSum[],
  expectations: readonly number[],
  slicer: TimeSlicer,
): Promise<number[]> {
  const sums: PauliSum[] = [];
  for (const observable of observables) sums.push(await squareOf(observable, slicer));
  const squares = await expectationsOf(program, sums, slicer);
  return squares.map((square, i) => Math.max(0, square - expectations[i]! ** 2));
}

/** Work of a factor of a product. */
const FACTOR_UNITS = 16;

/** O², whose products of strings that anticommute cancel. */
async function squareOf(observable: PauliSum, slicer: TimeSlicer): Promise<PauliSum> {
  const terms: PauliTerm[] = [];
  let identity = 0;
  for (const [i, first] of observable.entries()) {
    identity += first.coefficient ** 2;
    for (const second of observable.slice(i + 1)) {
      const product = productOf(first.factors, second.factors);
      const units = FACTOR_UNITS * (first.factors.length + second.factors.length);
      if (slicer.spend(units)) await slicer.pause();
      if (product === undefined) continue;
      const coefficient = 2 * first.coefficient * second.coefficient * product.sign;
      terms.push({ coefficient, factors: product.factors });
    }
  }
  return [{ coefficient: identity, factors: [] }, ...terms];
}

const LETTERS = ['X', 'Y', 'Z'] as const;

/** The product of two strings that commute; undefined if they do not. */
function productOf(
  first: readonly PauliFactor[],
  second: readonly PauliFactor[],
): { readonly sign: number; readonly factors: readonly PauliFactor[] } | undefined {
  const letters = new Map(first.map(({ qubit, pauli }) => [qubit, pauli]));
  /** The product so far is i to this number. */
  let turns = 0;
  for (const { qubit, pauli } of second) {
    const other = letters.get(qubit);
    if (other === undefined) letters.set(qubit, pauli);
    else if (other === pauli) letters.delete(qubit);
    else {
      const [from, to] = [LETTERS.indexOf(other), LETTERS.indexOf(pauli)];
      // X·Y = i·Z and so on in turn; the other way around, −i.
      turns += (to - from + 3) % 3 === 1 ? 1 : 3;
      letters.set(qubit, LETTERS[3 - from - to]!);
    }
  }
  if (turns % 2 === 1) return undefined;
  const factors = [...letters].map(([qubit, pauli]) => ({ qubit, pauli }));
  return { sign: turns % 4 === 0 ? 1 : -1, factors };
}

/** Expectation values of Pauli strings. */
async function meansOf(
  program: StabilizerProgram,
  strings: readonly (readonly PauliFactor[])[],
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const values = new Float64Array(strings.length);
  for (let first = 0; first < strings.length; first += LANES) {
    const some = strings.slice(first, first + LANES);
    values.set(await meansOfSome(program, some, slicer), first);
  }
  return values;
}

async function meansOfSome(
  program: StabilizerProgram,
  strings: readonly (readonly PauliFactor[])[],
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const walk = new BackwardWalk(program);
  for (const [lane, factors] of strings.entries()) {
    for (const { pauli, qubit } of factors) {
      if (pauli !== 'Z') walk.flips[qubit]! |= 1 << lane;
      if (pauli !== 'X') walk.signs[qubit]! |= 1 << lane;
    }
  }
  const values = new Float64Array(strings.length).fill(1);
  const { channels } = program;
  /** Strings whose mean is 0. */
  let vanishing = 0;
  await walk.run(
    program.numBodyInstructions,
    {
      measured: (anticommuting) => {
        vanishing |= anticommuting;
      },
      reset: (anticommuting) => {
        vanishing |= anticommuting;
      },
      noise: (channel, anticommutingWith) => {
        const lost = new Float64Array(strings.length);
        for (const { flips, signs, probability } of channels[channel]!.errors) {
          const anticommuting = anticommutingWith(flips, signs);
          if (anticommuting === 0) continue;
          for (let lane = 0; lane < lost.length; lane++) {
            if (((anticommuting >>> lane) & 1) === 1) lost[lane]! += 2 * probability;
          }
        }
        for (let lane = 0; lane < lost.length; lane++) values[lane]! *= 1 - lost[lane]!;
      },
    },
    slicer,
  );
  for (const flips of walk.flips) vanishing |= flips;
  for (let lane = 0; lane < values.length; lane++) {
    if (((vanishing >>> lane) & 1) === 1) values[lane] = 0;
    else if (((walk.negative >>> lane) & 1) === 1) values[lane]! *= -1;
  }
  return values;
}
