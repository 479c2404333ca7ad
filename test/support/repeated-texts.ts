/**
 * Random texts in Stim's format with REPEAT blocks within each other, whose detectors are certain: strings that commute
 * are measured again and again, between gates and noise.
 */
import type { RandomStream } from './random-stream.ts';

type String = readonly (readonly [letter: string, qubit: number])[];

/** A text on 2 to 5 qubits. Its blocks have up to `mostRounds` rounds. */
export function randomRepeatedText(stream: RandomStream, mostRounds: number): string {
  return new TextWriter(stream, mostRounds).write();
}

class TextWriter {
  readonly #stream: RandomStream;
  readonly #mostRounds: number;
  readonly #numQubits: number;
  readonly #strings: readonly String[];
  readonly #lines: string[] = [];

  constructor(stream: RandomStream, mostRounds: number) {
    this.#stream = stream;
    this.#mostRounds = mostRounds;
    this.#numQubits = 2 + stream.below(4);
    const strings: String[] = [];
    for (let i = 0; i < 12 && strings.length < 4; i++) {
      const string = this.#randomString();
      if (strings.every((other) => commute(other, string))) strings.push(string);
    }
    this.#strings = strings;
  }

  write(): string {
    for (let qubit = 0; qubit < this.#numQubits; qubit++) this.#lines.push(`H ${qubit}`);
    this.#measureAll(0, false);
    this.#block(2);
    this.#lines.push(`M(0.125) ${this.#qubits().join(' ')}`);
    return `${this.#lines.join('\n')}\n`;
  }

  /** Some rounds one after the other, each a piece of text or a block in which there are others. */
  #block(depth: number): void {
    for (let i = 1 + this.#stream.below(3); i > 0; i--) {
      if (depth === 0 || this.#stream.below(2) === 0) this.#round();
      else {
        this.#lines.push(`REPEAT ${1 + this.#stream.below(this.#mostRounds)} {`);
        this.#block(depth - 1);
        this.#lines.push('}');
      }
    }
  }

  /** Gates, noise and feedback, then all strings. */
  #round(): void {
    const turned = this.#stream.below(2) === 0 ? this.#qubits() : [];
    const [there, back] = this.#stream.pick([
      ['H', 'H'],
      ['S', 'S_DAG'],
      ['C_XYZ', 'C_ZYX'],
    ] as const);
    for (const qubit of turned) this.#lines.push(`${there} ${qubit}`);
    this.#noise();
    const pair = this.#stream.below(3) === 0 ? ['CZ 0 1'] : [];
    this.#lines.push(...pair);
    this.#noise();
    this.#lines.push(...pair);
    for (const qubit of turned) this.#lines.push(`${back} ${qubit}`);
    if (this.#stream.below(2) === 0) {
      const bit = 1 + this.#stream.below(this.#strings.length);
      for (const [letter, qubit] of this.#stream.pick(this.#strings)) {
        this.#lines.push(`C${letter} rec[-${bit}] ${qubit}`);
      }
    }
    let extra = 0;
    if (this.#stream.below(3) === 0) {
      // A qubit beside the others, whose outcomes are random.
      this.#lines.push(
        `MRX ${this.#stream.below(2) === 0 ? '!' : ''}${this.#numQubits}`,
        `R ${this.#numQubits}`,
      );
      extra = 1;
    }
    if (this.#stream.below(3) === 0) this.#lines.push(`X ${this.#stream.below(this.#numQubits)}`);
    this.#measureAll(extra, true);
  }

  #measureAll(extra: number, isChecked: boolean): void {
    const count = this.#strings.length;
    const written = this.#strings.map((string) => string.map((each) => each.join('')).join('*'));
    this.#lines.push(`MPP(0.0625) ${written.join(' ')}`);
    if (!isChecked) return;
    for (let i = 1; i <= count; i++) {
      const pair = `rec[-${i}] rec[-${i + count + extra}]`;
      if (this.#stream.below(4) > 0)
        this.#lines.push(`DETECTOR(${this.#stream.below(3)},${i}) ${pair}`);
      if (this.#stream.below(4) === 0)
        this.#lines.push(`OBSERVABLE_INCLUDE(${this.#stream.below(2)}) ${pair}`);
    }
    if (this.#stream.below(2) === 0)
      this.#lines.push(`SHIFT_COORDS(${this.#stream.below(3)}, 0, ${this.#stream.below(3)})`);
  }

  #noise(): void {
    const [a, b] = [this.#stream.below(this.#numQubits), this.#stream.below(this.#numQubits)];
    this.#lines.push(
      this.#stream.pick([
        `X_ERROR(0.0625) ${a}`,
        `DEPOLARIZE1(0.125) ${a}`,
        `PAULI_CHANNEL_1(0.03125,0.0625,0) ${a}`,
        a === b ? `Z_ERROR(0.25) ${a}` : `DEPOLARIZE2(0.125) ${a} ${b}`,
      ]),
    );
  }

  #qubits(): readonly number[] {
    return Array.from({ length: this.#numQubits }, (_, qubit) => qubit);
  }

  #randomString(): String {
    const first = this.#stream.below(this.#numQubits);
    const all = this.#qubits().filter((qubit) => qubit === first || this.#stream.below(2) === 0);
    return all.map((qubit) => [this.#stream.pick(['X', 'Y', 'Z']), qubit] as const);
  }
}

function commute(a: String, b: String): boolean {
  const differing = a.filter(([letter, qubit]) =>
    b.some((other) => other[1] === qubit && other[0] !== letter),
  );
  return differing.length % 2 === 0;
}
