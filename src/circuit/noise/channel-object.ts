/**
 * Noise channels as callers write them in JSON, not yet checked.
 *
 * One type with optional fields rather than a union by name, as for gate objects: the table below decides which fields
 * a channel takes, and a fault names a field, not the branches of a union.
 */
import type { MatrixRows } from '../matrix-rows.ts';

/** Names of the channels. */
export const CHANNEL_TYPES = [
  'bit_flip',
  'phase_flip',
  'bit_phase_flip',
  'pauli',
  'depolarizing',
  'amplitude_damping',
  'generalized_amplitude_damping',
  'phase_damping',
  'thermal_relaxation',
  'reset',
  'loss',
  'kraus',
] as const;
/** Name of a channel. */
export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** A channel as a caller writes it. A type, because an interface is no JSON to the compiler. */
export type ChannelObject = {
  readonly type: ChannelType;
  readonly probability?: number | undefined;
  /** Probability of each Pauli string; the leftmost letter acts on the last operand. */
  readonly probabilities?: Readonly<Record<string, number>> | undefined;
  readonly num_qubits?: number | undefined;
  readonly gamma?: number | undefined;
  /** Population of |1⟩ that relaxation tends to. */
  readonly excited?: number | undefined;
  readonly t1_us?: number | undefined;
  readonly t2_us?: number | undefined;
  readonly duration_ns?: number | undefined;
  /** The state that a reset leaves, 0 or 1. */
  readonly value?: number | undefined;
  readonly matrices?: readonly MatrixRows[] | undefined;
};

/** Name of a field of a channel. */
export type ChannelField = Exclude<keyof ChannelObject, 'type'>;

/** Fields of a channel, and a description. */
interface ChannelFields {
  readonly needed: readonly ChannelField[];
  readonly others: readonly ChannelField[];
  readonly summary: string;
}

/** Fields of each channel. */
export const CHANNEL_FIELDS: Readonly<Record<ChannelType, ChannelFields>> = {
  bit_flip: { needed: ['probability'], others: [], summary: 'X with a probability' },
  phase_flip: { needed: ['probability'], others: [], summary: 'Z with a probability' },
  bit_phase_flip: { needed: ['probability'], others: [], summary: 'Y with a probability' },
  pauli: {
    needed: ['probabilities'],
    others: [],
    summary: 'One of several Pauli strings, each with its probability',
  },
  depolarizing: {
    needed: ['probability'],
    others: ['num_qubits'],
    summary: 'With a probability one of the 4^k − 1 Pauli strings on k qubits, all alike',
  },
  amplitude_damping: {
    needed: ['gamma'],
    others: [],
    summary: '|1⟩ decays to |0⟩ with probability γ',
  },
  generalized_amplitude_damping: {
    needed: ['gamma', 'excited'],
    others: [],
    summary: 'Decay towards a population of |1⟩ that is not zero',
  },
  phase_damping: {
    needed: ['gamma'],
    others: [],
    summary: 'diag(1, √(1 − γ)) and diag(0, √γ): coherence shrinks by √(1 − γ)',
  },
  thermal_relaxation: {
    needed: ['t1_us', 't2_us', 'duration_ns'],
    others: ['excited'],
    summary: 'Relaxation with T1 and T2 for a time',
  },
  reset: {
    needed: ['probability'],
    others: ['value'],
    summary: 'Sets the qubit to |0⟩ or |1⟩ with a probability',
  },
  loss: {
    needed: ['probability'],
    others: [],
    summary: 'Loses the qubit with a probability: gates leave it out, and it measures as 2',
  },
  kraus: {
    needed: ['matrices'],
    others: [],
    summary: 'Kraus matrices, which send ρ to Σ KρK†',
  },
};

/**
 * Qubits of a Pauli channel: those of the widest explicit unitary. Depolarizing noise on six qubits lists 4,095 Pauli
 * strings.
 */
export const MAX_PAULI_QUBITS = 6;

/** Qubits of a Kraus channel: on three, it is a matrix of 64 × 64 on density matrices, as large as a unitary may be. */
export const MAX_KRAUS_QUBITS = 3;

/** Largest entry that |Σ K†K − 1| may have. */
export const COMPLETENESS_TOLERANCE = 1e-8;
