/**
 * Writes a memory experiment in Stim's circuit format, with the noise of Stim's generator: a line of noise after or
 * before each line that it belongs to, where its probability is not 0.
 */
import type { Qubit } from '../../circuit.ts';

/** Probabilities of the four kinds of errors; names and meanings are those of `stim gen`. */
export interface GeneratedNoise {
  /** Depolarizing of the qubits of each Clifford gate, after it. */
  readonly afterCliffordDepolarization: number;
  /** Depolarizing of each data qubit at the beginning of a round. */
  readonly beforeRoundDataDepolarization: number;
  /** Flip of each qubit in the basis of its measurement, before it. */
  readonly beforeMeasureFlipProbability: number;
  /** Flip of each qubit in the basis of its reset, after it. */
  readonly afterResetFlipProbability: number;
}

/** Basis of resets and measurements. */
export type Basis = 'X' | 'Y' | 'Z';

const SUFFIX = { X: 'X', Y: 'Y', Z: '' } as const;
/** Error that flips a qubit in a basis. */
const FLIP = { X: 'Z_ERROR', Y: 'X_ERROR', Z: 'X_ERROR' } as const;

/** A growing text. */
export class MemoryText {
  readonly #noise: GeneratedNoise;
  readonly #lines: string[] = [];

  constructor(noise: GeneratedNoise) {
    this.#noise = noise;
  }

  /** The text so far. */
  get text(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }

  /** A line of an instruction; none without targets. */
  add(name: string, targets: readonly (Qubit | string)[]): void {
    if (targets.length > 0) this.#lines.push(`${name} ${targets.join(' ')}`);
  }

  tick(): void {
    this.#lines.push('TICK');
  }

  shiftTime(numSpaceCoordinates: number): void {
    this.#lines.push(`SHIFT_COORDS(${[...Array(numSpaceCoordinates).fill(0), 1].join(', ')})`);
  }

  beginRound(data: readonly Qubit[]): void {
    this.tick();
    this.#error('DEPOLARIZE1', this.#noise.beforeRoundDataDepolarization, data);
  }

  gate(name: string, targets: readonly Qubit[], arity: 1 | 2): void {
    this.add(name, targets);
    this.#error(`DEPOLARIZE${arity}`, this.#noise.afterCliffordDepolarization, targets);
  }

  reset(basis: Basis, qubits: readonly Qubit[]): void {
    this.add(`R${SUFFIX[basis]}`, qubits);
    this.#error(FLIP[basis], this.#noise.afterResetFlipProbability, qubits);
  }

  measure(basis: Basis, qubits: readonly Qubit[]): void {
    this.#error(FLIP[basis], this.#noise.beforeMeasureFlipProbability, qubits);
    this.add(`M${SUFFIX[basis]}`, qubits);
  }

  /** Products of a Pauli on pairs of qubits. Each measurement is followed by the noise of a gate. */
  measurePairs(basis: Basis, pairs: readonly Qubit[]): void {
    const { beforeMeasureFlipProbability: flipped, afterCliffordDepolarization } = this.#noise;
    this.add(`M${basis}${basis}${flipped > 0 ? `(${flipped})` : ''}`, pairs);
    this.#error('DEPOLARIZE2', afterCliffordDepolarization, pairs);
  }

  measureAndReset(qubits: readonly Qubit[]): void {
    this.#error('X_ERROR', this.#noise.beforeMeasureFlipProbability, qubits);
    this.add('MR', qubits);
    this.#error('X_ERROR', this.#noise.afterResetFlipProbability, qubits);
  }

  /** @param backs - How many measurements before each of them was, 1 for the last. */
  detector(place: readonly number[], backs: readonly number[]): void {
    this.add(`DETECTOR(${place.join(', ')})`, backs.map(record));
  }

  observable(backs: readonly number[]): void {
    this.add('OBSERVABLE_INCLUDE(0)', backs.map(record));
  }

  /** Adds what `write` writes, so many times. */
  repeat(count: number, write: (body: MemoryText) => void): void {
    if (count === 0) return;
    const body = new MemoryText(this.#noise);
    write(body);
    if (count === 1) this.#lines.push(...body.#lines);
    else this.#lines.push(`REPEAT ${count} {`, ...body.#lines.map((line) => `    ${line}`), '}');
  }

  #error(name: string, probability: number, targets: readonly Qubit[]): void {
    if (probability > 0) this.add(`${name}(${probability})`, targets);
  }
}

const record = (back: number): string => `rec[-${back}]`;
