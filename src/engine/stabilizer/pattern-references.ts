/**
 * Reference samples of a program whose gates depend on conditions that are known before anything is measured, such as
 * whether qubits are lost: one for each pattern of these conditions, on the program without noise and Pauli gates and
 * with the branches of the pattern alone.
 */
import { STABILIZER_OPS, type StabilizerProgram } from '../../compiler/program.ts';
import { wordsFor } from '../classical-bits.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { type StabilizerKernels, tableauRowWords, tableauWords } from './stabilizer-kernels.ts';

const ops = STABILIZER_OPS;

/** Patterns, and outcomes of them that are 1, which are kept for the next shots. */
const MAX_KEPT = 2 ** 14;
const MAX_KEPT_ONES = 2 ** 20;

/** Units of work of one call of the kernels, about. */
const MOST_UNITS = 2 ** 22;

/** Places in the memory of the kernels, in words. */
function placesOf({ code, branches, numQubits }: StabilizerProgram, numMeasures: number) {
  const tableau = 4 * Math.ceil(code.length / 4);
  const outcomes = tableau + tableauWords(numQubits);
  const pattern = outcomes + wordsFor(numMeasures);
  return { code: 0, tableau, outcomes, pattern, end: pattern + wordsFor(branches.length) };
}

/** Bytes that the reference samples of a program take at most. */
export const patternBytes = (program: StabilizerProgram, numMeasures: number): number =>
  4 * (placesOf(program, numMeasures).end + MAX_KEPT_ONES) +
  MAX_KEPT * 4 * (wordsFor(program.branches.length) + 32);

/** Reference samples of a program by pattern. */
export class PatternReferences {
  readonly #program: StabilizerProgram;
  /** Instructions of reference samples. A branch begins with `unless`, its number and where it ends. */
  readonly #code: Int32Array;
  readonly #numMeasures: number;
  #kernels: StabilizerKernels | undefined;
  readonly #known = new Map<string, Int32Array>();
  #numOnes = 0;

  constructor(program: StabilizerProgram) {
    this.#program = program;
    const { code, numMeasures } = codeOfReferences(program);
    this.#code = code;
    this.#numMeasures = numMeasures;
  }

  /**
   * The measurements, by their numbers in the program, whose outcome is 1.
   *
   * @param pattern - By branch, whether its condition holds, as bits of words.
   * @param kernels - Another memory of these is used.
   */
  async onesOf(
    pattern: Int32Array,
    kernels: StabilizerKernels,
    slicer: TimeSlicer,
  ): Promise<Int32Array> {
    let key = '';
    for (const word of pattern) key += String.fromCharCode(word & 0xffff, word >>> 16);
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    const { numQubits } = this.#program;
    const places = placesOf(this.#program, this.#numMeasures);
    this.#kernels ??= kernels.another();
    this.#kernels.reserve(places.end);
    const { words } = this.#kernels;
    words.set(this.#code, places.code);
    words.set(pattern, places.pattern);
    this.#kernels.openTableau(places.tableau, numQubits);
    const unitsPerInstruction = 4 * tableauRowWords(numQubits) ** 2;
    const most = Math.max(1, Math.floor(MOST_UNITS / unitsPerInstruction));
    const length = this.#code.length / 4;
    for (let place = 0; place < length; ) {
      const to = Math.min(length, place + most);
      const { code, outcomes } = places;
      const numBlocks = Math.ceil(numQubits / 32);
      place = this.#kernels.walkPattern(code, place, to, places.pattern, outcomes, numBlocks);
      if (slicer.spend(most * unitsPerInstruction)) await slicer.pause();
    }
    const ones: number[] = [];
    const register = words.subarray(places.outcomes, places.pattern);
    for (const [i, word] of register.entries()) {
      for (let rest = word; rest !== 0; rest &= rest - 1) {
        ones.push(32 * i + 31 - Math.clz32(rest & -rest));
      }
    }
    const found = Int32Array.from(ones);
    this.#keep(key, found);
    return found;
  }

  /** Frees the memory. */
  release(): void {
    this.#kernels?.release();
    this.#kernels = undefined;
    this.#known.clear();
    this.#numOnes = 0;
  }

  #keep(key: string, ones: Int32Array): void {
    if (this.#known.size >= MAX_KEPT || this.#numOnes + ones.length > MAX_KEPT_ONES) {
      this.#known.clear();
      this.#numOnes = 0;
    }
    this.#known.set(key, ones);
    this.#numOnes += ones.length;
  }
}

/** The gates but Paulis, measurements into bits of their own, resets, and branches of a program. */
function codeOfReferences({ code, branches }: StabilizerProgram) {
  const kept: number[] = [];
  let numMeasures = 0;
  let branch = 0;
  let [open, end] = [-1, -1];
  for (let place = 0; 4 * place <= code.length; place++) {
    if (place === end) {
      kept[open + 2] = kept.length / 4;
      end = -1;
    }
    const [op, a, b] = [code[4 * place], code[4 * place + 1]!, code[4 * place + 2]!];
    if (op === undefined) break;
    if (place === branches[branch]) {
      [open, end] = [kept.length, b];
      kept.push(ops.unless, branch++, 0, 0);
    } else if (op === ops.measure) kept.push(op, a, numMeasures++, 0);
    else if (op >= ops.h && op <= ops.reset) kept.push(op, a, b, 0);
  }
  return { code: Int32Array.from(kept), numMeasures };
}
