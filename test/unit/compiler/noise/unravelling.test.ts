import { describe, expect, test } from 'vitest';
import type { Channel } from '../../../../src/circuit/noise/channel.ts';
import { type Unravelling, unravel } from '../../../../src/compiler/noise/unravelling.ts';
import { identity, maxAbsDifference } from '../../../../src/math/complex-matrix.ts';
import { CHANNELS } from '../../../support/noisy-circuits.ts';
import {
  amplitudeDamping,
  channelOf,
  choiMatrix,
  krausChannel,
  phaseDamping,
  resetTo,
  thermalRelaxation,
} from '../../../support/textbook-channels.ts';

/** Operators of an unravelling with their weights, as rows of [re, im]. */
function krausOf({ main, survival, jumps }: Unravelling, numQubits: number) {
  const d = 2 ** numQubits;
  const matrices = jumps.map(({ weight, operator }) => {
    const matrix =
      operator.kind === 'matrix'
        ? operator.matrix
        : operator.kind === 'identity'
          ? identity(d)
          : pauliMatrix(operator.flips, operator.signs, d);
    return matrix.map((entry) => entry * Math.sqrt(weight));
  });
  if (survival !== 0) {
    const scale = Math.sqrt(survival ?? 1);
    matrices.push((main ?? identity(d)).map((entry) => entry * scale));
  }
  return matrices.map((matrix) =>
    Array.from({ length: d }, (_, row) =>
      Array.from({ length: d }, (_, column) => {
        const at = 2 * (row * d + column);
        return [matrix[at]!, matrix[at + 1]!] as const;
      }),
    ),
  );
}

/** A Pauli string up to a phase, which no channel has. */
function pauliMatrix(flips: number, signs: number, d: number): Float64Array {
  const matrix = new Float64Array(2 * d * d);
  for (let column = 0; column < d; column++) {
    const ones = (column & signs).toString(2).replaceAll('0', '').length;
    matrix[2 * ((column ^ flips) * d + column)] = ones % 2 === 0 ? 1 : -1;
  }
  return matrix;
}

describe('unravelling a channel', () => {
  test.each(CHANNELS)('keeps $written', (channel) => {
    const forms: Channel[] = [channelOf(channel), krausChannel(channel)];
    for (const form of forms) {
      const choi = choiMatrix(krausOf(unravel(form), channel.numQubits));
      expect(maxAbsDifference(choi, choiMatrix(channel.kraus))).toBeLessThan(1e-13);
    }
  });

  test('makes the identity the main operator of dephasing, of resets and of relaxation with T1 = T2', () => {
    for (const channel of [
      phaseDamping(0.1),
      resetTo(0.1, 0),
      thermalRelaxation(50, 50, 5000, 0),
    ]) {
      const { main, survival } = unravel(krausChannel(channel));
      expect(main).toBeUndefined();
      expect(survival).toBeGreaterThan(0.85);
    }
  });

  test('has one jump for amplitude damping, whose survival depends on the state', () => {
    const { survival, hazard, jumps } = unravel(channelOf(amplitudeDamping(0.1)));
    expect(survival).toBeUndefined();
    expect(hazard).toBeCloseTo(0.05, 12);
    expect(jumps).toHaveLength(1);
    expect(jumps[0]!.weight).toBeCloseTo(0.1, 12);
  });

  test('makes every operator a jump where the main one would nearly vanish on some state', () => {
    const { survival, jumps } = unravel(channelOf(amplitudeDamping(1)));
    expect(survival).toBe(0);
    expect(jumps).toHaveLength(2);
  });
});
