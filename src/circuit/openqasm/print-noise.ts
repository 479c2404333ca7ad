/** Prints noise channels as Amazon Braket's pragmas, which read back to the same channels. */
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import { dimension } from '../../math/complex-matrix.ts';
import { type Channel, krausMatrices, type PauliChannel } from '../noise/channel.ts';
import { MAX_KRAUS_QUBITS } from '../noise/channel-object.ts';
import { depolarizingProbability, pauliString } from '../noise/write-channel.ts';
import { number } from './print-format.ts';

/**
 * Prints `#pragma braket noise bit_flip(0.1) q[0]`; undefined for a channel on too many qubits.
 *
 * @param operands - Qubits of the channel as text; the first is the least significant.
 */
export function noisePragma(channel: Channel, operands: readonly string[]): string | undefined {
  if (channel.numQubits > MAX_KRAUS_QUBITS) return undefined;
  const named = channel.kind === 'pauli' ? namedPauli(channel) : undefined;
  const call = named ?? `kraus(${krausMatrices(channel).map(rows).join(', ')})`;
  // The first operand of a pragma is the most significant.
  return `#pragma braket noise ${call} ${operands.toReversed().join(', ')}`;
}

/** Prints a Pauli channel by its name in Braket; undefined where it has none. */
function namedPauli(channel: PauliChannel): string | undefined {
  const { numQubits, errors } = channel;
  const depolarized = depolarizingProbability(channel);
  if (depolarized !== undefined && numQubits <= 2) {
    return `${numQubits === 1 ? '' : 'two_qubit_'}depolarizing(${number(depolarized)})`;
  }
  const byLetters = new Map(
    errors.map((error) => [pauliString(error, numQubits), error.probability]),
  );
  const of = (letters: string) => byLetters.get(letters) ?? 0;
  if (numQubits === 1) {
    if (errors.length === 1 && of('X') > 0) return `bit_flip(${number(of('X'))})`;
    if (errors.length === 1 && of('Z') > 0) return `phase_flip(${number(of('Z'))})`;
    return `pauli_channel(${['X', 'Y', 'Z'].map((letter) => number(of(letter))).join(', ')})`;
  }
  const each = of('ZZ');
  const isDephasing =
    numQubits === 2 && each > 0 && errors.length === 3 && of('IZ') === each && of('ZI') === each;
  return isDephasing ? `two_qubit_dephasing(${number(3 * each)})` : undefined;
}

/** Prints `[[1, 0], [0, 0.5 - 0.5im]]`. */
function rows(matrix: ComplexMatrix): string {
  const d = dimension(matrix);
  const entry = (at: number) => complex(matrix[at]!, matrix[at + 1]!);
  const row = (i: number) => Array.from({ length: d }, (_, j) => entry(2 * (i * d + j))).join(', ');
  return `[${Array.from({ length: d }, (_, i) => `[${row(i)}]`).join(', ')}]`;
}

function complex(re: number, im: number): string {
  if (im === 0) return number(re + 0);
  const imaginary = `${number(Math.abs(im))}im`;
  return `${number(re + 0)} ${im < 0 ? '-' : '+'} ${imaginary}`;
}
