/**
 * Writes a generated circuit in Stim's circuit format, with the noise of Stim's generator: a line of noise after or
 * before each line that it belongs to, where its probability is not 0.
 */
import type { Qubit } from '../../circuit.ts';

/** Probabilities of the kinds of errors; names and meanings of the first four are those of `stim gen`. */
export interface GeneratedNoise {
  /** Depolarizing of the qubits of each Clifford gate, after it. */
  readonly afterCliffordDepolarization: number;
  /** Depolarizing of each data qubit at the beginning of a round. */
  readonly beforeRoundDataDepolarization: number;
  /** Flip of each qubit in the basis of its measurement, before it. */
  readonly beforeMeasureFlipProbability: number;
  /** Flip of each qubit in the basis of its reset, after it. */
  readonly afterResetFlipProbability: number;
  /** Depolarizing of each qubit that nothing acts on between two TICKs. Only circuits without REPEAT take it. */
  readonly idleDepolarization: number;
  /** Z after each T or T_DAG, which has the noise of a Clifford gate, too. */
  readonly afterTPhaseFlipProbability: number;
}

export const NO_NOISE: GeneratedNoise = {
  afterCliffordDepolarization: 0,
  beforeRoundDataDepolarization: 0,
  beforeMeasureFlipProbability: 0,
  afterResetFlipProbability: 0,
  idleDepolarization: 0,
  afterTPhaseFlipProbability: 0,
};

/** Basis of resets and measurements. */
export type Basis = 'X' | 'Y' | 'Z';

const SUFFIX = { X: 'X', Y: 'Y', Z: '' } as const;
/** Error that flips a qubit in a basis. */
const FLIP = { X: 'Z_ERROR', Y: 'X_ERROR', Z: 'X_ERROR' } as const;

/** A growing text. */
export class MemoryText {
  readonly #noise: GeneratedNoise;
  readonly #lines: string[] = [];
  readonly #places: Qubit[] = [];
  /** Qubits that were acted on since the last TICK. */
  #busy = new Set<Qubit>();

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

  /** States the coordinates of a qubit. */
  place(qubit: Qubit, coordinates: readonly number[]): void {
    this.add(`QUBIT_COORDS(${coordinates.join(', ')})`, [qubit]);
    this.#places.push(qubit);
  }

  tick(): void {
    const idle = this.#places.filter((qubit) => !this.#busy.has(qubit));
    this.#error('DEPOLARIZE1', this.#noise.idleDepolarization, idle);
    this.#busy = new Set();
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
    this.#act(name, targets);
    this.#error(`DEPOLARIZE${arity}`, this.#noise.afterCliffordDepolarization, targets);
  }

  /** T or T_DAG. */
  tGate(name: 'T' | 'T_DAG', targets: readonly Qubit[]): void {
    this.gate(name, targets, 1);
    this.#error('Z_ERROR', this.#noise.afterTPhaseFlipProbability, targets);
  }

  reset(basis: Basis, qubits: readonly Qubit[]): void {
    this.#act(`R${SUFFIX[basis]}`, qubits);
    this.#error(FLIP[basis], this.#noise.afterResetFlipProbability, qubits);
  }

  measure(basis: Basis, qubits: readonly Qubit[]): void {
    this.#error(FLIP[basis], this.#noise.beforeMeasureFlipProbability, qubits);
    this.#act(`M${SUFFIX[basis]}`, qubits);
  }

  /** Products of a Pauli on pairs of qubits. Each measurement is followed by the noise of a gate. */
  measurePairs(basis: Basis, pairs: readonly Qubit[]): void {
    const { beforeMeasureFlipProbability: flipped, afterCliffordDepolarization } = this.#noise;
    this.#act(`M${basis}${basis}${flipped > 0 ? `(${flipped})` : ''}`, pairs);
    this.#error('DEPOLARIZE2', afterCliffordDepolarization, pairs);
  }

  measureAndReset(qubits: readonly Qubit[]): void {
    this.#error('X_ERROR', this.#noise.beforeMeasureFlipProbability, qubits);
    this.#act('MR', qubits);
    this.#error('X_ERROR', this.#noise.afterResetFlipProbability, qubits);
  }

  /** @param backs - How many measurements before each of them was, 1 for the last. */
  detector(place: readonly number[], backs: readonly number[]): void {
    this.add(`DETECTOR(${place.join(', ')})`, backs.map(record));
  }

  observable(backs: readonly number[]): void {
    this.add('OBSERVABLE_INCLUDE(0)', backs.map(record));
  }

  /** X of a qubit if a measurement was 1. */
  flipIf(back: number, qubit: Qubit): void {
    this.add('CX', [record(back), qubit]);
  }

  /** Measures a product of one kind of Pauli, without noise. */
  measureProduct(basis: Basis, qubits: readonly Qubit[]): void {
    this.add('MPP', [qubits.map((qubit) => `${basis}${qubit}`).join('*')]);
  }

  /** Adds what `write` writes, so many times. */
  repeat(count: number, write: (body: MemoryText) => void): void {
    if (count === 0) return;
    const body = new MemoryText(this.#noise);
    write(body);
    if (count === 1) this.#lines.push(...body.#lines);
    else this.#lines.push(`REPEAT ${count} {`, ...body.#lines.map((line) => `    ${line}`), '}');
  }

  #act(name: string, targets: readonly Qubit[]): void {
    this.add(name, targets);
    for (const qubit of targets) this.#busy.add(qubit);
  }

  #error(name: string, probability: number, targets: readonly Qubit[]): void {
    if (probability > 0) this.add(`${name}(${probability})`, targets);
  }
}

const record = (back: number): string => `rec[-${back}]`;
