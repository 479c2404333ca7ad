/**
 * Noise of Amazon Braket, `#pragma braket noise bit_flip(0.1) q[0]`, and operands, numbers and matrices of all pragmas.
 *
 * @see https://docs.aws.amazon.com/braket/latest/developerguide/braket-openqasm-noise-simulation.html
 */
import { didYouMean } from '../../errors/nearest-names.ts';
import type { MatrixRows } from '../matrix-rows.ts';
import type { ChannelObject } from '../noise/channel-object.ts';
import { ExpressionParser } from './expression-parser.ts';
import type { OperandSyntax } from './expressions.ts';
import { quoted, type TokenStream } from './token-stream.ts';

/** Reads operands, `q[0], $1`. */
export function readOperands(line: TokenStream): readonly OperandSyntax[] {
  const expressions = new ExpressionParser(line, 3);
  const operands = [expressions.operand('a quantum register')];
  while (line.accept(',')) operands.push(expressions.operand('a quantum register'));
  return operands;
}

/** Reads `[[1, 0], [0, 0.5 - 0.5im]]`. */
export function readMatrix(line: TokenStream): MatrixRows {
  const list = <T>(read: () => T): T[] => {
    line.expect('[');
    const entries = [read()];
    while (line.accept(',')) entries.push(read());
    line.expect(']');
    return entries;
  };
  return list(() => list(() => readComplex(line)));
}

/** Reads a sum of real and imaginary numbers: `1`, `-2.5im`, `0.5 + 0.5im`. */
function readComplex(line: TokenStream): readonly [number, number] {
  const value: [number, number] = [0, 0];
  for (;;) {
    const sign = readSign(line);
    const { kind } = line.current;
    if (kind !== 'integer' && kind !== 'real') {
      throw line.unexpected('a complex number, such as 0.5 - 0.5im');
    }
    const size = sign * Number(line.next().text.replaceAll('_', ''));
    const isImaginary = line.isWord('im');
    if (isImaginary) line.next();
    value[isImaginary ? 1 : 0] += size;
    if (!line.isSymbol('-') && !line.isSymbol('+')) return value;
  }
}

/** Takes signs; 1 or −1. */
export function readSign(line: TokenStream): number {
  let sign = 1;
  while (line.isSymbol('-') || line.isSymbol('+')) {
    if (line.next().text === '-') sign = -sign;
  }
  return sign;
}

/** Refuses text after the end of a pragma. */
export function atEnd(line: TokenStream): void {
  if (line.current.kind !== 'end') throw line.unexpected('the end of the line');
}

/** A noise channel on qubits. */
export interface NoisePragma {
  readonly kind: 'noise';
  readonly channel: ChannelObject;
  /** The first operand is the most significant bit of an index of Kraus matrices. */
  readonly operands: readonly OperandSyntax[];
  readonly offset: number;
  /** Entries of matrices, which take memory while they are read. */
  readonly size: number;
}

/** A channel of Braket whose arguments are numbers from 0 to 1. */
interface NumericChannel {
  /** Names of the arguments. */
  readonly takes: readonly string[];
  readonly of: (values: readonly number[]) => ChannelObject;
}

const NUMERIC: ReadonlyMap<string, NumericChannel> = new Map<string, NumericChannel>([
  ['bit_flip', one('bit_flip', 'probability')],
  ['phase_flip', one('phase_flip', 'probability')],
  ['amplitude_damping', one('amplitude_damping', 'gamma')],
  ['phase_damping', one('phase_damping', 'gamma')],
  // Not one of Braket's.
  ['loss', one('loss', 'probability')],
  [
    'depolarizing',
    {
      takes: ['probability'],
      of: ([probability]) => ({ type: 'depolarizing', probability, num_qubits: 1 }),
    },
  ],
  [
    'two_qubit_depolarizing',
    {
      takes: ['probability'],
      of: ([probability]) => ({ type: 'depolarizing', probability, num_qubits: 2 }),
    },
  ],
  [
    'two_qubit_dephasing',
    {
      takes: ['probability'],
      of: ([probability = 0]) => {
        const each = probability / 3;
        return { type: 'pauli', probabilities: { IZ: each, ZI: each, ZZ: each } };
      },
    },
  ],
  [
    'pauli_channel',
    {
      takes: ['probability of X', 'probability of Y', 'probability of Z'],
      of: ([X = 0, Y = 0, Z = 0]) => ({ type: 'pauli', probabilities: { X, Y, Z } }),
    },
  ],
  [
    'generalized_amplitude_damping',
    {
      takes: ['gamma', 'probability'],
      // Braket gives the population of |0⟩ that damping tends to.
      of: ([gamma, probability = 0]) => ({
        type: 'generalized_amplitude_damping',
        gamma,
        excited: 1 - probability,
      }),
    },
  ],
]);

function one(type: ChannelObject['type'], field: 'probability' | 'gamma'): NumericChannel {
  return { takes: [field], of: ([value]) => ({ type, [field]: value }) };
}

/**
 * Reads the rest of a noise pragma, from the name of its channel on.
 *
 * @throws {OpenQasmUnsupportedError} at channels that Braket does not have.
 */
export function readNoise(line: TokenStream, offset: number): NoisePragma {
  const { text: name, offset: place } = line.expectWord('a noise channel, such as bit_flip');
  if (name === 'kraus') return { ...readKraus(line), offset };
  const found = NUMERIC.get(name);
  if (found === undefined) {
    const near = didYouMean(name, [...NUMERIC.keys(), 'kraus']);
    throw line.invalid(place, `There is no noise channel called ${quoted(name)}.${near}`);
  }
  const { takes, of } = found;
  const values = readNumbers(line);
  if (values.length !== takes.length) {
    const list = takes.join(', ');
    throw line.invalid(place, `${name} takes ${list}: ${takes.length}, not ${values.length}.`);
  }
  const wrong = values.findIndex((value) => !(value >= 0 && value <= 1));
  if (wrong >= 0) {
    const problem = `The ${takes[wrong]} of ${name} must be from 0 to 1, not ${values[wrong]}.`;
    throw line.invalid(place, problem);
  }
  const operands = readOperands(line);
  atEnd(line);
  return { kind: 'noise', channel: of(values), operands, offset, size: 0 };
}

/** Reads `(0.1, 0.2)`. */
function readNumbers(line: TokenStream): readonly number[] {
  line.expect('(');
  const values: number[] = [];
  do {
    const sign = readSign(line);
    const { kind } = line.current;
    if (kind !== 'integer' && kind !== 'real') throw line.unexpected('a number');
    values.push(sign * Number(line.next().text.replaceAll('_', '')));
  } while (line.accept(','));
  line.expect(')');
  return values;
}

/** Reads `([[…]], [[…]]) q[0], q[1]`. */
function readKraus(line: TokenStream): Omit<NoisePragma, 'offset'> {
  line.expect('(');
  const matrices: MatrixRows[] = [];
  do matrices.push(readMatrix(line));
  while (line.accept(','));
  line.expect(')');
  const operands = readOperands(line);
  atEnd(line);
  const size = matrices.reduce((sum, rows) => sum + rows.length ** 2, 0);
  return { kind: 'noise', channel: { type: 'kraus', matrices }, operands, size };
}
