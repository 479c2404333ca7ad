/** Writes channels as objects that read back to the same channel. */
import { rowsFromMatrix } from '../matrix-rows.ts';
import type { Channel, PauliChannel } from './channel.ts';
import type { ChannelObject } from './channel-object.ts';
import { depolarizing } from './named-channels.ts';

/** The channel as an object, by its plainest name. */
export function channelObject(channel: Channel): ChannelObject {
  if (channel.kind === 'kraus') {
    return { type: 'kraus', matrices: channel.matrices.map(rowsFromMatrix) };
  }
  if (channel.kind === 'loss') return { type: 'loss', probability: channel.probability };
  const { numQubits, errors } = channel;
  const [only, ...others] = errors;
  if (numQubits === 1 && only !== undefined && others.length === 0) {
    const { flips, signs, probability } = only;
    if (signs === 0) return { type: 'bit_flip', probability };
    return { type: flips === 0 ? 'phase_flip' : 'bit_phase_flip', probability };
  }
  const probability = depolarizingProbability(channel);
  if (probability !== undefined) {
    return { type: 'depolarizing', probability, num_qubits: numQubits };
  }
  return {
    type: 'pauli',
    probabilities: Object.fromEntries(
      errors.map((error) => [pauliString(error, numQubits), error.probability]),
    ),
  };
}

/** Probability of an error, if the channel is exactly that depolarizing channel; else undefined. */
export function depolarizingProbability({ numQubits, errors }: PauliChannel): number | undefined {
  const each = errors[0]?.probability ?? 0;
  if (errors.length !== 4 ** numQubits - 1) return undefined;
  // Dividing the product by the count may round to a neighbour.
  const probability = each * errors.length;
  const same = depolarizing(numQubits, probability);
  if (same?.kind !== 'pauli') return undefined;
  const isSame = errors.every(({ flips, signs, probability: found }, i) => {
    const other = same.errors[i]!;
    return other.flips === flips && other.signs === signs && other.probability === found;
  });
  return isSame ? probability : undefined;
}

/** Letters of an error; the leftmost acts on the last operand. */
export function pauliString(
  { flips, signs }: { readonly flips: number; readonly signs: number },
  numQubits: number,
): string {
  const letters = Array.from({ length: numQubits }, (_, qubit) => {
    const isFlip = Math.floor(flips / 2 ** qubit) % 2;
    const isSign = Math.floor(signs / 2 ** qubit) % 2;
    return 'IXZY'[isFlip + 2 * isSign]!;
  });
  return letters.reverse().join('');
}
