/**
 * Multiplies the noise of a model by a factor.
 *
 * Probabilities and damping parameters are multiplied, up to those that leave nothing of what they act on; times of
 * relaxation are multiplied, too. A factor of 0 is no noise, and 1 the model itself.
 */
import type { FaultList } from '../errors.ts';
import { readPattern } from './gate-pattern.ts';
import type { NoiseModelObject } from './noise-model-schema.ts';
import { ownWidth } from './read-channel.ts';

/**
 * Returns a valid model, not one given by name, with its noise multiplied by a factor of at least 0. Adds a fault for
 * each Kraus channel, which has no parameter to multiply, unless the factor is 0 or 1.
 *
 * @param path - Path of the model in messages.
 */
export function scaleNoiseModel(
  model: NoiseModelObject,
  factor: number,
  faults: FaultList,
  path = 'noise',
): NoiseModelObject {
  if (factor === 0) return {};
  if (factor === 1) return model;
  const { gates, readout, idle, loss } = model;
  return {
    ...(gates && {
      gates: gates.map((entry, i) => {
        const { channel } = entry;
        if (channel.type === 'kraus') {
          const problem = `A kraus channel cannot be multiplied by ${factor}, only by 0 or 1.`;
          faults.add(`${path}.gates[${i}].channel`, problem);
        }
        return { ...entry, channel: scaleChannel(channel, factor, narrowest(entry.gates)) };
      }),
    }),
    ...(readout && {
      readout: readout.map((entry) => ({
        ...entry,
        p1_given_0: scaled(entry.p1_given_0, factor, 1 / 2),
        p0_given_1: scaled(entry.p0_given_1, factor, 1 / 2),
      })),
    }),
    ...(idle && {
      idle: idle.map(({ durations_ns: durations, ...entry }) => ({
        ...entry,
        ...(durations && {
          durations_ns: Object.fromEntries(
            Object.entries(durations).map(([name, duration]) => [name, factor * duration]),
          ),
        }),
      })),
    }),
    ...(loss && { loss }),
  };
}

type GateChannel = NonNullable<NoiseModelObject['gates']>[number]['channel'];

/** Fewest qubits of the gates with these names, which are valid. */
function narrowest(gates: readonly string[]): number {
  const widths = gates.map((name) => {
    const pattern = readPattern(name, 'noise');
    return typeof pattern === 'string' ? 1 : (pattern.numQubits ?? 1);
  });
  return Math.max(1, Math.min(...widths));
}

/** @param width - Qubits of the gates that the channel follows. */
function scaleChannel(channel: GateChannel, factor: number, width: number): GateChannel {
  const { type, probability = 0, gamma = 0 } = channel;
  switch (type) {
    case 'bit_flip':
    case 'phase_flip':
    case 'bit_phase_flip':
      return { ...channel, probability: scaled(probability, factor, 1 / 2) };
    case 'depolarizing': {
      const complete = 1 - 4 ** -(ownWidth(channel) ?? width);
      return { ...channel, probability: scaled(probability, factor, complete) };
    }
    case 'pauli': {
      const entries = Object.entries(channel.probabilities ?? {});
      const sum = entries.reduce((all, [, each]) => all + each, 0);
      const share = sum === 0 ? 0 : scaled(sum, factor, 1 / 2) / sum;
      const probabilities = entries.map(([string, each]) => [string, share * each] as const);
      return { ...channel, probabilities: Object.fromEntries(probabilities) };
    }
    case 'amplitude_damping':
    case 'generalized_amplitude_damping':
    case 'phase_damping':
      return { ...channel, gamma: scaled(gamma, factor, 1) };
    case 'reset':
    case 'loss':
      return { ...channel, probability: scaled(probability, factor, 1) };
    case 'thermal_relaxation':
      return { ...channel, duration_ns: factor * (channel.duration_ns ?? 0) };
    case 'kraus':
      return channel;
  }
}

/** The product, at most `complete`, unless the value itself is larger. */
function scaled(value: number, factor: number, complete: number): number {
  return factor <= 1 ? factor * value : Math.min(factor * value, Math.max(value, complete));
}
