/**
 * Encodes the data of a batch's kernels: compiled shapes and angles for shaders/batch_evolve.wgsl, and the tables
 * that all circuits share when their states are read.
 */

import { bitOf, type PauliSum } from '../../../circuit/observable.ts';
import type { Subcube } from '../../batch-recipes.ts';
import { plainAngle } from '../../batch-request.ts';
import { type Complex, isOne, ONE, times } from '../../complex.ts';
import { groupPaulis } from '../../pauli-groups.ts';
import { type BatchStage, batchStages, REGISTER_QUBITS } from './batch-kernels.ts';
import type { BatchOperation, Factor, Phase } from './batch-operations.ts';
import type { LoweredShape } from './lower-shape.ts';

/** Words per radian: an angle of 4π has a half angle of one turn, 2^32, which is 0 modulo 2^32. */
const WORDS_PER_RADIAN = 2 ** 32 / (4 * Math.PI);

/** Opcodes, equal to the kernel's. */
const OPCODES = {
  turnX: 1,
  turnY: 2,
  phaseRow: 3,
  constant: 4,
  mix: 5,
  flip: 6,
  addAngle: 7,
  phase: 8,
} as const;

type Matrix = readonly [Complex, Complex, Complex, Complex];

/**
 * Encodes the program of a shape.
 *
 * @param numQubits - Qubits of a circuit's memory, at least four.
 * @param withPhase - Whether to apply the global phase.
 */
export function batchWords(
  { list, wires }: LoweredShape,
  numQubits: number,
  withPhase: boolean,
): Uint32Array<ArrayBuffer> {
  const { globalPhase } = list;
  const isSeen = withPhase && !(isOne(globalPhase.factor) && globalPhase.angles.length === 0);
  const operations = isSeen ? [...list.operations, globalPhase] : list.operations;
  const stages = batchStages(operations, numQubits);
  const words = [stages.length];
  for (const stage of stages) addStage(words, stage, numQubits);
  const logical = new Map([...wires.entries()].map(([qubit, wire]) => [wire, qubit]));
  const { registers, threads } = roles(stages.at(-1), numQubits);
  for (const wire of [...registers, ...threads]) words.push(1 << (logical.get(wire) ?? wire));
  return Uint32Array.from(words);
}

/** Splits a stage's qubits into those in registers and those in thread numbers. */
function roles(stage: BatchStage | undefined, numQubits: number) {
  const registers = stage?.registers ?? [];
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  return { registers, threads: all.filter((qubit) => !registers.includes(qubit)) };
}

/**
 * Appends a stage: [instructions, strides of registers, strides of thread bits], then its
 * instructions.
 */
function addStage(words: number[], stage: BatchStage, numQubits: number): void {
  const { registers, threads } = roles(stage, numQubits);
  const code = new StageCode(registers, threads);
  for (const operation of stage.operations) code.add(operation);
  words.push(code.numInstructions, ...[...registers, ...threads].map(strideOf), ...code.words);
}

/**
 * Stride of a qubit in workgroup memory. Bits from the fourth on also change the lowest four, so
 * that threads which differ only in high qubits use different banks.
 */
function strideOf(qubit: number): number {
  return qubit < REGISTER_QUBITS ? 1 << qubit : (1 << qubit) ^ (1 << (qubit % REGISTER_QUBITS));
}

/** Encodes the instructions of a stage. */
class StageCode {
  readonly words: number[] = [];
  readonly #registers: readonly number[];
  readonly #threads: readonly number[];
  #numInstructions = 0;

  constructor(registers: readonly number[], threads: readonly number[]) {
    this.#registers = registers;
    this.#threads = threads;
  }

  get numInstructions(): number {
    return this.#numInstructions;
  }

  add(operation: BatchOperation): void {
    switch (operation.kind) {
      case 'phase':
        this.#addPhase(operation);
        return;
      case 'mix':
        this.#addFactors(operation.factors);
        this.#addPairs(OPCODES.mix, operation, operation.pivot);
        return;
      case 'flip':
        this.#addPairs(OPCODES.flip, operation, operation.pivot);
        return;
    }
  }

  #addPhase({ angles, factor, ...at }: Phase): void {
    for (const { slot, multiple } of angles) this.#push(OPCODES.addAngle, slot, multiple);
    const set = setOf(2 ** REGISTER_QUBITS, (register) => this.#holds(at, register));
    this.#push(OPCODES.phase, ...this.#outer(at), set, ...bitsOf(factor.re, factor.im));
  }

  /** Appends factors; multiplies consecutive constants together. */
  #addFactors(factors: readonly Factor[]): void {
    let constant: Matrix = IDENTITY;
    const flush = () => {
      if (!isIdentity(constant)) {
        const numbers = constant.flatMap(({ re, im }) => [re, im]);
        this.#push(OPCODES.constant, ...bitsOf(...numbers));
      }
      constant = IDENTITY;
    };
    for (const factor of factors) {
      if (factor.kind === 'constant') {
        constant = product(factor.matrix, constant);
        continue;
      }
      flush();
      const { slot, multiple } = factor.angle;
      if (factor.kind !== 'phaseRow') this.#push(OPCODES[factor.kind], slot, multiple);
      else this.#push(OPCODES.phaseRow, slot, multiple, factor.row);
    }
    flush();
  }

  #addPairs(opcode: number, at: Subcube, pivot: number): void {
    const bit = this.#registers.indexOf(pivot);
    const low = (1 << bit) - 1;
    const pairs = setOf(2 ** (REGISTER_QUBITS - 1), (pair) =>
      this.#holds(at, ((pair & ~low) << 1) | (pair & low)),
    );
    this.#push(opcode, bit, ...this.#outer(at), pairs);
  }

  /** Whether a register has the bits of a subcube, as far as they are register bits. */
  #holds({ mask, value }: Subcube, register: number): boolean {
    return this.#registers.every(
      (qubit, i) => ((mask >> qubit) & 1) === 0 || ((register >> i) & 1) === ((value >> qubit) & 1),
    );
  }

  /** Mask and value that a subcube requires of the thread number. */
  #outer({ mask, value }: Subcube): readonly [number, number] {
    const gather = (bits: number) =>
      this.#threads.reduce((all, qubit, i) => all | (((bits >> qubit) & 1) << i), 0);
    return [gather(mask), gather(value)];
  }

  #push(...words: readonly number[]): void {
    this.words.push(...words);
    this.#numInstructions++;
  }
}

const ZERO: Complex = { re: 0, im: 0 };
const IDENTITY: Matrix = [ONE, ZERO, ZERO, ONE];

function isIdentity([a, b, c, d]: Matrix): boolean {
  return isOne(a) && isOne(d) && b.re === 0 && b.im === 0 && c.re === 0 && c.im === 0;
}

function product([a, b, c, d]: Matrix, [e, f, g, h]: Matrix): Matrix {
  const sum = (p: Complex, q: Complex): Complex => ({ re: p.re + q.re, im: p.im + q.im });
  return [
    sum(times(a, e), times(b, g)),
    sum(times(a, f), times(b, h)),
    sum(times(c, e), times(d, g)),
    sum(times(c, f), times(d, h)),
  ];
}

/** Set of the numbers for which a predicate holds, as a bit mask. */
function setOf(count: number, holds: (i: number) => boolean): number {
  let set = 0;
  for (let i = 0; i < count; i++) if (holds(i)) set |= 1 << i;
  return set;
}

/** Bits of single-precision numbers. */
function bitsOf(...numbers: readonly number[]): readonly number[] {
  return [...new Uint32Array(Float32Array.from(numbers).buffer)];
}

/**
 * Writes the angles of some circuits in the order in which invocations read them: by workgroup, then
 * by angle, then by circuit of the workgroup.
 *
 * Fixed point resolves 3·10⁻⁹ everywhere, where single precision is a hundred times coarser at 2π,
 * and whole turns vanish by themselves.
 *
 * @param angles - Radians, circuit after circuit.
 * @param to - Room for whole workgroups; words that belong to no circuit are not written.
 */
export function writeAngleWords(
  angles: Float64Array,
  numAngles: number,
  circuitsPerGroup: number,
  to: Int32Array,
): void {
  const groupLength = numAngles * circuitsPerGroup;
  let from = 0;
  for (let group = 0; from < angles.length; group += groupLength) {
    for (let slot = 0; slot < circuitsPerGroup && from < angles.length; slot++) {
      const end = group + slot + groupLength;
      for (let at = group + slot; at < end; at += circuitsPerGroup) {
        // The conversion to a 32-bit integer reduces modulo 2^32.
        to[at] = plainAngle(angles[from++]!) * WORDS_PER_RADIAN;
      }
    }
  }
}

/** The measured qubits, and the register's value for each pattern of them. */
export interface MeasuredPatterns {
  /** Mask of measured qubits. */
  readonly measured: number;
  readonly numMeasured: number;
  /** Value of the register by pattern; bit i of a pattern is the i-th lowest measured qubit. */
  readonly outcomes: Uint32Array;
  /** Whether every pattern equals its value, and there are no other values. */
  readonly areAllValues: boolean;
}

/**
 * Tabulates the register's values.
 *
 * @param outcomeBits - For each qubit, the mask of classical bits that read it.
 */
export function measuredPatterns(
  outcomeBits: readonly number[],
  numBits: number,
): MeasuredPatterns {
  const images = outcomeBits.filter((bits) => bits !== 0);
  const measured = outcomeBits.reduce((mask, bits, q) => mask | (bits === 0 ? 0 : 1 << q), 0);
  const outcomes = new Uint32Array(2 ** images.length);
  for (const [i, image] of images.entries()) {
    for (let rest = 0; rest < 2 ** i; rest++) outcomes[2 ** i + rest] = outcomes[rest]! | image;
  }
  return {
    measured,
    numMeasured: images.length,
    outcomes,
    areAllValues: images.length === numBits && outcomes.every((value, i) => value === i),
  };
}

/** Encodes observables for shaders/lib/batch_observables.wgsl. */
export function observableWords(observables: readonly PauliSum[]): Uint32Array<ArrayBuffer> {
  const words: number[] = [];
  for (const observable of observables) {
    const grouped = groupPaulis([observable], bitOf);
    const { strings, weights } = grouped.observables[0]!;
    const weightOf = new Float32Array(grouped.numStrings);
    for (const [i, string] of strings.entries()) weightOf[string] = weights[i]!;
    words.push(grouped.groups.length);
    for (const { flips, isImaginary, signs, firstString } of grouped.groups) {
      words.push(flips, isImaginary ? 1 : 0, signs.length);
      // The kernel visits one of each pair of basis states that a string exchanges.
      const visits = flips === 0 ? 1 : 2;
      for (const [i, mask] of signs.entries()) {
        const factor = visits * weightOf[firstString + i]!;
        words.push(mask, new Uint32Array(Float32Array.of(factor).buffer)[0]!);
      }
    }
  }
  return Uint32Array.from(words);
}

/** Copies results by pattern to the values of each circuit. */
export function scatterPatterns(
  { outcomes, areAllValues }: MeasuredPatterns,
  from: Float32Array | Uint32Array,
  to: Float64Array | Uint32Array,
  firstCircuit: number,
  numValues: number,
): void {
  if (areAllValues) {
    to.set(from, firstCircuit * numValues);
    return;
  }
  const numPatterns = outcomes.length;
  let base = firstCircuit * numValues;
  for (let i = 0; i < from.length; i += numPatterns) {
    for (let pattern = 0; pattern < numPatterns; pattern++) {
      to[base + outcomes[pattern]!] = from[i + pattern]!;
    }
    base += numValues;
  }
}
