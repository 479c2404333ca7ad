/**
 * Noise channels, in one of two forms that all methods compute from. The named
 * channels of the API (depolarizing, amplitude damping, …) are brought to these when they are read. The loss of a qubit
 * is neither: it is replaced before a circuit is compiled.
 *
 * Operands are as for gates: the first qubit is the least significant bit of a matrix's index and of a mask.
 */
import { numOnes } from '../../math/basis-index.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';

/** One error of a Pauli channel: X on the qubits of `flips`, Z on those of `signs`, Y where both are set. */
export interface PauliError {
  readonly flips: number;
  readonly signs: number;
  /** In [0, 1]; of a channel's errors, not 0. */
  readonly probability: number;
}

/**
 * With the probability of each error that error happens, else nothing. No error is the identity. None is listed twice,
 * but in a chain of Stim's correlated errors.
 */
export interface PauliChannel {
  readonly kind: 'pauli';
  readonly numQubits: number;
  /** Their probabilities add up to at most 1. */
  readonly errors: readonly PauliError[];
  /**
   * Set for channels of Stim's for which it looks for no independent errors: how an approximate error model has their
   * errors. Those that flip the same are added, or each is an error by itself.
   */
  readonly approximation?: 'added' | 'each';
}

/** Sends ρ to Σ KρK†. */
export interface KrausChannel {
  readonly kind: 'kraus';
  readonly numQubits: number;
  /** 2^numQubits × 2^numQubits each, with Σ K†K = 1; none is zero. */
  readonly matrices: readonly ComplexMatrix[];
}

/**
 * Loses its qubit, if it is there. Nothing that compiles or runs a circuit knows it: `lowerLoss` replaces it by
 * operations on classical bits.
 */
export interface LossChannel {
  readonly kind: 'loss';
  readonly numQubits: 1;
  /** In (0, 1]. */
  readonly probability: number;
}

/** A channel that methods compute. */
export type SimulatedChannel = PauliChannel | KrausChannel;

/** A channel. One that does nothing is left out of a circuit. */
export type Channel = SimulatedChannel | LossChannel;

/** The channel of a circuit whose losses were lowered. */
export function simulated(channel: Channel): SimulatedChannel {
  if (channel.kind === 'loss') throw new Error('unreachable: a loss that was not lowered');
  return channel;
}

/** Kraus matrices of any channel but a loss. */
export function krausMatrices(given: Channel): readonly ComplexMatrix[] {
  const channel = simulated(given);
  if (channel.kind === 'kraus') return channel.matrices;
  return withIdentity(channel)
    .filter(({ probability }) => probability > 0)
    .map((error) => scaledPauli(error, channel.numQubits));
}

/** The errors of a channel after the identity, which has the probability that none of them happens. */
export function withIdentity({ errors }: PauliChannel): readonly [PauliError, ...PauliError[]] {
  const happens = errors.reduce((sum, { probability }) => sum + probability, 0);
  return [{ flips: 0, signs: 0, probability: Math.max(0, 1 - happens) }, ...errors];
}

/** √probability times the Pauli string. */
function scaledPauli({ flips, signs, probability }: PauliError, numQubits: number): ComplexMatrix {
  const size = 2 ** numQubits;
  const matrix = new Float64Array(2 * size * size);
  const scale = Math.sqrt(probability);
  // Y = i·X·Z, so each Y is a factor i.
  const turns = numOnes(flips & signs) % 4;
  for (let column = 0; column < size; column++) {
    const quarters = (turns + 2 * (numOnes(column & signs) % 2)) % 4;
    const at = 2 * ((column ^ flips) * size + column);
    matrix[at + (quarters % 2)] = quarters < 2 ? scale : -scale;
  }
  return matrix;
}
