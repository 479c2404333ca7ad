/**
 * Sums of Pauli strings in WebAssembly (assembly/paulis.ts). Where the weight of strings is not limited, Clifford gates
 * are taken out of the circuit (clifford-frame.ts).
 */
import type { PauliSum } from '../../circuit/observable.ts';
import type { PauliMap, PauliProgram } from '../../compiler/program.ts';
import { StateMemoryError, TooManyTermsError } from '../errors.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { CliffordFrame } from './clifford-frame.ts';
import { type StringMap, stringMapOf } from './string-map.ts';

const PAGE_BYTES = 65_536;
/** Most bytes that 32-bit addresses reach, but for a page. */
const MOST_BYTES = 2 ** 32 - PAGE_BYTES;
/** A larger memory is not kept from run to run. */
const KEPT_BYTES = 2 ** 26;
/** Qubits up to which Clifford gates are taken out: their tableau has 4·n² bits. */
const FRAME_QUBITS = 2048;
/** Strings of a block. */
const LEAST_STRINGS = 512;
/** Part by which strings may exceed their limit before the smallest are left out. */
export const EXCESS = 1.25;
/** Strings that a map is applied to at a time. */
const STRINGS_AT_A_TIME = 2 ** 13;
/** Where the fields of a map are written. */
const MAP_AT = 64;

/**
 * Bytes that an observable takes at most.
 *
 * @param numTerms - Most strings after a gate, a quarter more included; a rotation makes twice as many before it is done.
 */
export function paulisBytes(numQubits: number, numTerms: number): number {
  const numWords = Math.ceil(numQubits / 64);
  // A record and its columns, and four slots of the table.
  const perString = 16 + 32 * numWords + 32;
  const ofFrame = numQubits <= FRAME_QUBITS ? 2 * 128 * numWords * 16 * numWords : 0;
  return Math.max(LEAST_STRINGS, 2 * numTerms) * perString + ofFrame;
}

/** Functions of the module, which says what they do; addresses are in bytes. */
interface Functions {
  headBytes(words: number, mapQubits: number): number;
  open(at: number, words: number, mapQubits: number, least: number, heaviest: number): number;
  add(at: number, coefficient: number): number;
  begin(): void;
  setMap(
    qubits: number,
    selected: number,
    at: number,
    numImages: number,
    numGroups: number,
    largest: number,
    generators: number,
    turns: number,
    isFramed: number,
  ): void;
  apply(from: number, to: number): number;
  finish(): number;
  keepLargest(most: number): void;
  valueOnZeros(): number;
  sumLeftOut(): number;
  numStrings(): number;
  spent(): number;
}

/** Gives sums their module, and frees memories that nothing refers to any more. */
export interface StringHost {
  module(name: 'paulis'): WebAssembly.Module;
  collectGarbage(): void;
}

interface Instance {
  readonly memory: WebAssembly.Memory;
  readonly functions: Functions;
}

/** Opens sums in a memory that they share, one at a time. */
export class StringMemory {
  readonly #host: StringHost;
  readonly #mostBytes: number;
  #instance: Instance | undefined;

  /** @param mostBytes - Most bytes of the memory. */
  constructor(host: StringHost, mostBytes = MOST_BYTES) {
    this.#host = host;
    this.#mostBytes = Math.min(mostBytes, MOST_BYTES);
  }

  /** Bytes of the memory now. */
  get bytes(): number {
    return this.#instance?.memory.buffer.byteLength ?? 0;
  }

  /** @throws {StateMemoryError} if there is no memory. */
  instance(): Instance {
    if (this.#instance === undefined) {
      const maximum = Math.max(1, Math.floor(this.#mostBytes / PAGE_BYTES));
      let memory: WebAssembly.Memory;
      try {
        memory = new WebAssembly.Memory({ initial: 1, maximum });
      } catch (error) {
        throw new StateMemoryError(PAGE_BYTES, { cause: error });
      }
      const { exports } = new WebAssembly.Instance(this.#host.module('paulis'), {
        env: { memory },
      });
      this.#instance = { memory, functions: exports as unknown as Functions };
    }
    return this.#instance;
  }

  /** Ends the use of a sum. */
  release(): void {
    if (this.bytes <= KEPT_BYTES) return;
    this.#instance = undefined;
    this.#host.collectGarbage();
  }
}

/** A program whose observables are taken back through it. */
export class PreparedPaulis {
  readonly program: PauliProgram;
  /** 64-bit words of the X part of a string, and of its Z part. */
  readonly numWords: number;
  readonly #frame: CliffordFrame | undefined;
  readonly mapQubits: number;
  readonly mapBytes: number;

  constructor(program: PauliProgram) {
    this.program = program;
    this.numWords = Math.max(1, Math.ceil(program.numQubits / 64));
    const { maps, maxWeight } = program;
    const distinct = [...new Set(maps.map(({ strings }) => strings))].map(stringMapOf);
    this.mapQubits = distinct.reduce((most, { numQubits }) => Math.max(most, numQubits), 1);
    this.mapBytes = distinct.reduce((most, { bytes }) => Math.max(most, bytes.length), 0);
    if (
      maxWeight === Number.POSITIVE_INFINITY &&
      program.numQubits <= FRAME_QUBITS &&
      distinct.some(({ clifford }) => clifford !== undefined)
    ) {
      this.#frame = CliffordFrame.atEnd(maps, 64 * this.numWords);
    }
  }

  frame(): CliffordFrame | undefined {
    return this.#frame?.copy();
  }
}

/** An observable on its way back through a circuit. */
export class StringSum {
  readonly #memory: StringMemory;
  readonly #prepared: PreparedPaulis;
  readonly #instance: Instance;
  readonly #frame: CliffordFrame | undefined;
  readonly #generatorsAt: number;
  readonly #turnsAt: number;
  #written: StringMap | undefined;

  /** @throws {StateMemoryError} if there is no memory for it. */
  constructor(memory: StringMemory, prepared: PreparedPaulis, observable: PauliSum) {
    this.#memory = memory;
    this.#prepared = prepared;
    this.#instance = memory.instance();
    this.#frame = prepared.frame();
    const { program, numWords, mapQubits, mapBytes } = prepared;
    const { isApproximate, minCoefficient, maxWeight } = program;
    this.#generatorsAt = 16 * Math.ceil((MAP_AT + mapBytes) / 16);
    this.#turnsAt = this.#generatorsAt + 2 * mapQubits * 16 * numWords;
    const at = 16 * Math.ceil((this.#turnsAt + 4 * 2 * mapQubits) / 16);
    // Coefficients up to this are what rounding left of a 0.
    const zero = 1e-16 * observable.reduce((sum, term) => sum + Math.abs(term.coefficient), 0);
    const least = isApproximate ? Math.max(zero, minCoefficient) : zero;
    const heaviest = Number.isFinite(maxWeight) ? maxWeight : -1;
    const { functions } = this.#instance;
    this.#require(functions.open(at, numWords, mapQubits, least, heaviest));
    for (const term of observable) this.#add(term);
    functions.begin();
  }

  /**
   * Takes the observable back through a gate or channel.
   *
   * @throws {TooManyTermsError} if there are too many strings, and none may be left out.
   * @throws {StateMemoryError} if there is no memory for them.
   */
  async apply({ qubits, strings }: PauliMap, slicer: TimeSlicer): Promise<void> {
    const map = stringMapOf(strings);
    if (!map.changes) return;
    if (map.clifford !== undefined && this.#frame !== undefined) {
      this.#frame.undo(qubits, map.clifford);
      return;
    }
    const { functions } = this.#instance;
    this.#setMap(qubits, map);
    const before = functions.numStrings();
    for (let from = 0; from < before; from += STRINGS_AT_A_TIME) {
      this.#require(functions.apply(from, from + STRINGS_AT_A_TIME));
      if (slicer.spend(functions.spent())) await slicer.pause();
    }
    const count = functions.finish();
    const { isApproximate, maxTerms } = this.#prepared.program;
    if (count <= maxTerms) return;
    if (!isApproximate) throw new TooManyTermsError(maxTerms);
    if (count > EXCESS * maxTerms) functions.keepLargest(maxTerms);
  }

  /** Expectation value in |0…0⟩ of what the observable has become. */
  valueOnZeros(): number {
    return this.#instance.functions.valueOnZeros();
  }

  /** Sum of the absolute coefficients that were left out. */
  get leftOut(): number {
    return this.#instance.functions.sumLeftOut();
  }

  #require(hasMemory: number): void {
    if (hasMemory === 0) throw new StateMemoryError(this.#memory.bytes);
  }

  #setMap(qubits: readonly number[], map: StringMap): void {
    const { functions, memory } = this.#instance;
    if (this.#written !== map) new Uint8Array(memory.buffer).set(map.bytes, MAP_AT);
    this.#written = map;
    const words = new Int32Array(memory.buffer);
    const stride = 4 * this.#prepared.numWords;
    let at = this.#generatorsAt / 4;
    for (const [i, qubit] of qubits.entries()) {
      for (const letter of [0, 1] as const) {
        if (this.#frame === undefined) {
          words.fill(0, at, at + stride);
          words[at + (letter * stride) / 2 + (qubit >>> 5)] = 1 << (qubit & 31);
          words[this.#turnsAt / 4 + 2 * i + letter] = 0;
        } else {
          const generator = this.#frame.generator(qubit, letter);
          words.set(generator.words, at);
          words[this.#turnsAt / 4 + 2 * i + letter] = generator.turns;
        }
        at += stride;
      }
    }
    functions.setMap(
      map.numQubits,
      map.selected,
      MAP_AT,
      map.numImages,
      map.numGroups,
      map.largest,
      this.#generatorsAt,
      this.#turnsAt,
      Number(this.#frame !== undefined),
    );
  }

  #add({ coefficient, factors }: PauliSum[number]): void {
    const { functions, memory } = this.#instance;
    const words = new Int32Array(memory.buffer);
    const stride = 4 * this.#prepared.numWords;
    const at = this.#generatorsAt / 4;
    let isTurned = false;
    if (this.#frame === undefined) {
      words.fill(0, at, at + stride);
      for (const { pauli, qubit } of factors) {
        const bit = 1 << (qubit & 31);
        if (pauli !== 'Z') words[at + (qubit >>> 5)]! |= bit;
        if (pauli !== 'X') words[at + stride / 2 + (qubit >>> 5)]! |= bit;
      }
    } else {
      const { words: image, turns } = this.#frame.before(factors);
      words.set(image, at);
      isTurned = ((turns[0]! - numY(image)) & 2) !== 0;
    }
    this.#require(functions.add(this.#generatorsAt, isTurned ? -coefficient : coefficient));
  }
}

/** Qubits of a string with X and Z. */
function numY(words: Int32Array): number {
  const half = words.length / 2;
  let count = 0;
  for (let i = 0; i < half; i++) {
    for (let both = words[i]! & words[half + i]!; both !== 0; both &= both - 1) count++;
  }
  return count;
}
