/**
 * Texts in Stim's format that were written and then spoilt: an answer is a refusal with its line and column, or one of
 * the numbers and values that Stim has of the same text, where there is a Python. It comes soon, whatever REPEAT says.
 */
import type { Area } from '../area.ts';
import { askPython, hasPython } from '../python.ts';
import type { Random } from '../random.ts';

interface TextCase {
  readonly lines: readonly string[];
  readonly output: 'reference_sample' | 'detection_events' | 'detector_error_model' | 'counts';
}

/** Longest time of an answer, milliseconds, on a machine that does other things. */
const MOST_MS = 60_000;

const GATES = [
  'I X Y Z H S S_DAG SQRT_X C_XYZ H_XY H_NXZ',
  'CX CY CZ XCZ SWAP ISWAP II SQRT_ZZ CZSWAP',
];
const [ON_ONE, ON_TWO] = GATES.map((names) => names.split(' ')) as [string[], string[]];
const MEASURED = 'M MX MY MZ MR MRX MRY R RX RY RZ'.split(' ');
const NOISE =
  'X_ERROR Y_ERROR Z_ERROR DEPOLARIZE1 I_ERROR HERALDED_ERASE E ELSE_CORRELATED_ERROR'.split(' ');
const NUMBERS =
  '0 1 -1 2 7 00 16777215 16777216 65535 65536 4294967296 1e9 0.5 1.5 -0 1e-400 1e400 nan .5 5.'.split(
    ' ',
  );
const PIECES =
  '! * { } ( ) [ ] [-1] rec[-1] rec[-0] rec[0] sweep[0] X0 !Y1 # #{ [tag] [a\\Cb] , - \r \t \\ é \u0000 REPEAT'.split(
    ' ',
  );
const COUNTS =
  '0 1 1 2 2 3 5 30 1000 70000 1000000 1000000000 9223372036854775807 18446744073709551616'.split(
    ' ',
  );

/** A refusal of the text at its place, or of what is asked for. */
const PLACED = /^stim: (Stim line \d+, column \d+: |The )|^(return|method): /;

/** Instructions of all forms, mostly right ones. */
class Writer {
  readonly #random: Random;
  readonly #qubits: number;

  constructor(random: Random) {
    this.#random = random;
    this.#qubits = random.between(2, 5);
  }

  lines(count: number, depth: number): string[] {
    return Array.from({ length: count }, () => this.#line(depth)).flat();
  }

  #line(depth: number): string[] {
    const random = this.#random;
    if (depth > 0 && random.chance(0.2)) {
      return [
        `REPEAT ${random.pick(COUNTS)} {`,
        ...this.lines(random.between(1, 5), depth - 1),
        '}',
      ];
    }
    const p = random.pick(['0.1', '0.01', '0.25', '0', '1']);
    const flip = random.chance(0.2) ? `(${p})` : '';
    const kinds: readonly (() => string)[] = [
      () => `${random.pick(ON_ONE)} ${this.#targets(3)}`,
      () => `${random.pick(ON_TWO)} ${this.#pair()}`,
      () => `${random.pick(MEASURED)} ${this.#targets(4)}`,
      () => `M${random.pick(['', 'X', 'R'])}${flip} ${this.#sign()}${this.#qubit()}`,
      () => `${random.pick(['MXX', 'MYY', 'MZZ'])}${flip} ${this.#sign()}${this.#pair()}`,
      () => `${random.pick(['MPP', 'SPP', 'SPP_DAG'])} ${this.#product()} ${this.#product()}`,
      () => `MPAD${flip} 0 1`,
      () =>
        `${random.pick(NOISE)}(${p}) ${random.chance(0.3) ? this.#product().replaceAll('*', ' ') : this.#targets(3)}`,
      () => `DEPOLARIZE2(${p}) ${this.#pair()}`,
      () => `PAULI_CHANNEL_1(0.1,${p},0.05) ${this.#qubit()}`,
      () => `CX ${this.#record()} ${this.#qubit()}`,
      () =>
        `DETECTOR${random.chance(0.5) ? `(${random.pick(NUMBERS)}, 2)` : ''} ${this.#record()} ${this.#record()}`,
      () => `DETECTOR ${this.#record()}`,
      () =>
        `OBSERVABLE_INCLUDE(${random.pick(['0', '1', '2', '40'])}) ${random.chance(0.8) ? this.#record() : this.#product().replaceAll('*', ' ')}`,
      () => `QUBIT_COORDS(${random.pick(NUMBERS)}) ${this.#qubit()}`,
      () => `SHIFT_COORDS(${random.pick(NUMBERS)}, 1)`,
      () => random.pick(['TICK', '', '# words', 'TICK # words']),
    ];
    return [`${random.pick(['', '', '  ', '\t'])}${random.pick(kinds)()}`];
  }

  readonly #qubit = () => this.#random.below(this.#qubits);
  readonly #sign = () => (this.#random.chance(0.2) ? '!' : '');
  readonly #record = () => `rec[-${this.#random.between(1, 4)}]`;
  readonly #pair = () => this.#random.distinct(2, this.#qubits).join(' ');
  readonly #targets = (most: number) =>
    Array.from({ length: this.#random.between(0, most) }, this.#qubit).join(' ');
  readonly #product = () =>
    this.#random
      .distinct(this.#random.between(1, this.#qubits), this.#qubits)
      .map((qubit) => `${this.#sign()}${this.#random.pick([...'XYZ'])}${qubit}`)
      .join('*');
}

/** Changes a line, or the lines. */
function spoil(lines: string[], random: Random): void {
  const at = random.below(lines.length);
  const line = lines[at]!;
  const place = random.below(line.length + 1);
  const words = line.split(' ');
  const word = random.below(words.length);
  const changes: readonly (() => string | undefined)[] = [
    () => line.slice(0, place) + line.slice(place + 1),
    () => line.slice(0, place) + random.pick(PIECES) + line.slice(place),
    () => words.with(word, random.pick([...NUMBERS, ...PIECES])).join(' '),
    () => words.with(word, random.pick(lines).split(' ')[0]!).join(' '),
    () => line.replace(/-?\d+(\.\d+)?/, random.pick(NUMBERS)),
    () =>
      line.replace(
        /^(\s*\w+)/,
        random.pick(['$1[tag]', '$1[', '$1 ', '$1(', '$1()', '$1(0.1)', '$1_']),
      ),
    () =>
      random.chance(0.5)
        ? line.toLowerCase()
        : line.replace(' ', random.pick(['', '\t', '\r', ','])),
    () => `${line} ${random.pick(lines).trim()}`,
    () => void lines.splice(at, 1),
    () => void lines.splice(random.below(lines.length), 0, line),
  ];
  const changed = random.pick(changes)();
  if (changed !== undefined) lines[at] = changed;
}

/** The area. */
export const stimTextsArea: Area<TextCase> = {
  name: 'stim-texts',
  generate(random) {
    const lines = new Writer(random).lines(random.between(2, 14), 2);
    for (let i = random.below(4); i > 0 && lines.length > 1; i--) spoil(lines, random);
    const output = random.pick([
      'reference_sample',
      'detection_events',
      'detector_error_model',
      'counts',
    ] as const);
    return { lines, output };
  },
  async check({ lines, output }, service) {
    const stim = lines.join('\n');
    const body = {
      stim,
      target_processor: 'qvm',
      shots: 3,
      return: [output],
      ...(output === 'reference_sample' && { shot_format: '01' }),
      ...(output === 'detector_error_model' && {
        detector_error_model: { decompose_errors: false, approximate_disjoint_errors: true },
      }),
    };
    const start = performance.now();
    const { status, data, code, message: why } = await service.post('circuits', body);
    const ms = performance.now() - start;
    const { measured_qubits: bits, [output]: value } = data;
    const found =
      status < 300 ? { bits: (bits as readonly unknown[]).length, output, value } : null;
    const wrong = (kind: string, message: string) => ({
      kind: `${kind} ${message.replaceAll(/[-\d.]+|"[^"]*"/g, '').slice(0, 60)}`,
      message,
      request: { path: 'circuits', body },
      answer: found ?? why,
      expected: null,
    });
    if (ms > MOST_MS) return wrong('slow', `${status} ${why} after ${Math.round(ms)} ms`);
    // A queue may be full of long runs that earlier cases did not wait for.
    if (status === 503 && why.includes('queue')) return undefined;
    if (found === null && status !== 400) return wrong('failed', `${status} ${why}`);
    if (found === null && !PLACED.test(why)) return wrong('refused without a place', why);
    // Stim 1.16 does not end on a tag that is open at the end of a text.
    if (stim.lastIndexOf('[') > stim.lastIndexOf(']')) return undefined;
    if (!hasPython("Stim's answers to spoilt texts")) return undefined;
    const message = await askPython('stim_text', { text: stim, why, code, found });
    return typeof message === 'string' ? wrong('wrong', message) : undefined;
  },
};
