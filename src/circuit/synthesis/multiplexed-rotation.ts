/** A rotation by an angle that depends on the values of other qubits, by CX and plain rotations. */
import type { GateOperation, Qubit } from '../circuit.ts';

/** Angles smaller than this turn nothing. */
const NEGLIGIBLE = 1e-13;

/**
 * Rotates `target` by `angles[j]` where the controls read j, `controls[0]` least significant.
 *
 * A CX before and after turns a rotation about Y or Z round, so each of 2^k rotations between CX adds
 * its angle with a sign for each value; going through the controls in Gray code, one CX between each
 * two of them is enough.
 *
 * @param gate - RY or RZ.
 * @param angles - 2^controls.length of them, radians.
 * @see Möttönen, Vartiainen, Bergholm, Salomaa, "Quantum circuits for general multiqubit gates",
 *   Phys. Rev. Lett. 93, 130502 (2004).
 */
export function multiplexedRotation(
  gate: 'RY' | 'RZ',
  angles: readonly number[],
  controls: readonly Qubit[],
  target: Qubit,
): readonly GateOperation[] {
  const steps = angles.length;
  const operations: GateOperation[] = [];
  for (let i = 0; i < steps; i++) {
    const code = i ^ (i >> 1);
    const sum = angles.reduce((total, angle, j) => total + (isOdd(j & code) ? -angle : angle), 0);
    const turn = sum / steps;
    if (Math.abs(turn) > NEGLIGIBLE) {
      operations.push({ kind: 'gate', gate, controls: [], targets: [target], angles: [turn] });
    }
    if (steps === 1) break;
    // The bit in which this code word differs from the next one, the first following the last.
    const next = (i + 1) % steps;
    const changed = code ^ next ^ (next >> 1);
    const control = controls[31 - Math.clz32(changed)]!;
    operations.push({
      kind: 'gate',
      gate: 'CX',
      controls: [control],
      targets: [target],
      angles: [],
    });
  }
  return operations;
}

function isOdd(bits: number): boolean {
  let ones = 0;
  for (let left = bits; left !== 0; left &= left - 1) ones++;
  return ones % 2 === 1;
}
