/**
 * Builds a circuit that prepares a given state from |0…0⟩.
 *
 * It sets the magnitudes qubit by qubit, from the highest down, each by a rotation controlled by the qubits
 * above it, and then the phases likewise.
 *
 * @see Möttönen, Vartiainen, Bergholm, Salomaa, "Transformation of quantum states using uniformly controlled
 *   rotations", Quantum Inf. Comput. 5, 467 (2005).
 */
import { hasOddParity } from '../../math/basis-index.ts';
import type { GateOperation, Qubit } from '../circuit.ts';

/** Amplitudes below this, in a state of norm 1, count as zero. */
const NEGLIGIBLE = 1e-14;
/** Rotation angles below this, in radians, are left out. */
const NEGLIGIBLE_ANGLE = 1e-13;

/**
 * Returns gates that prepare the state, up to a global phase.
 *
 * @param amplitudes - Interleaved re, im; of norm 1.
 */
export function prepareState(
  amplitudes: Float64Array,
  numQubits: number,
): readonly GateOperation[] {
  const size = 2 ** numQubits;
  const phases = phasesOf(amplitudes, size);
  const signed = signedReal(phases);
  const magnitudes = Float64Array.from({ length: size }, (_, i) => {
    const magnitude = Math.hypot(amplitudes[2 * i]!, amplitudes[2 * i + 1]!);
    return signed?.[i] === -1 ? -magnitude : magnitude;
  });
  const operations: GateOperation[] = [];
  for (let target = numQubits - 1; target >= 0; target--) {
    const angles = levelAngles(magnitudes, target);
    operations.push(...multiplexedRotation('RY', angles, above(target, numQubits), target));
  }
  // Signs are part of the last rotations; only other phases need rotations of their own.
  if (signed === undefined) operations.push(...diagonalPhases(phases, numQubits));
  return operations;
}

/** Qubits above one, lowest first. */
function above(target: Qubit, numQubits: number): readonly Qubit[] {
  return Array.from({ length: numQubits - 1 - target }, (_, i) => target + 1 + i);
}

/** RY angles of a qubit, one for each value of the qubits above it. */
function levelAngles(magnitudes: Float64Array, target: Qubit): readonly number[] {
  const half = 2 ** target;
  const count = magnitudes.length / (2 * half);
  const lengthFrom = (start: number) => {
    // The last level includes the signs.
    if (half === 1) return magnitudes[start]!;
    let squares = 0;
    for (let i = start; i < start + half; i++) squares += magnitudes[i]! ** 2;
    return Math.sqrt(squares);
  };
  const angles: (number | undefined)[] = Array.from({ length: count }, (_, j) => {
    const [zero, one] = [lengthFrom(2 * j * half), lengthFrom((2 * j + 1) * half)];
    if (Math.hypot(zero, one) < NEGLIGIBLE) return undefined;
    return 2 * Math.atan2(one, zero);
  });
  return withFreeAnglesLike(angles);
}

/**
 * Fills in angles that do not matter, because the state has no amplitude there. Each takes the angle of a
 * value that agrees in as many of the nearest qubits as possible, so that the rotation depends on few qubits.
 */
function withFreeAnglesLike(angles: readonly (number | undefined)[]): readonly number[] {
  const filled = [...angles];
  for (let block = angles.length / 2; block >= 1; block /= 2) {
    for (let j = 0; j < filled.length; j++) {
      if (filled[j] !== undefined) continue;
      for (let other = j % block; other < angles.length; other += block) {
        if (angles[other] === undefined) continue;
        filled[j] = angles[other];
        break;
      }
    }
  }
  return filled.map((angle) => angle ?? 0);
}

/** Phase of each amplitude, in radians; undefined where it is zero. */
function phasesOf(amplitudes: Float64Array, size: number): readonly (number | undefined)[] {
  return Array.from({ length: size }, (_, i) => {
    const [re, im] = [amplitudes[2 * i]!, amplitudes[2 * i + 1]!];
    return Math.hypot(re, im) < NEGLIGIBLE ? undefined : Math.atan2(im, re);
  });
}

/** Signs of the amplitudes where all phases differ from the first by 0 or π; undefined otherwise. */
function signedReal(phases: readonly (number | undefined)[]): readonly (1 | -1)[] | undefined {
  const first = phases.find((phase) => phase !== undefined) ?? 0;
  const signs: (1 | -1)[] = [];
  for (const phase of phases) {
    const turn = (phase ?? first) - first;
    if (Math.abs(Math.sin(turn)) > NEGLIGIBLE) return undefined;
    signs.push(Math.cos(turn) < 0 ? -1 : 1);
  }
  return signs;
}

/**
 * Gates of the diagonal e^{iφ}, up to a global phase: RZ for differences, then the means on the qubits above.
 */
function diagonalPhases(
  phases: readonly (number | undefined)[],
  numQubits: number,
): readonly GateOperation[] {
  const operations: GateOperation[] = [];
  let left = phases;
  for (let target = 0; target < numQubits; target++) {
    const pairs = Array.from({ length: left.length / 2 }, (_, j) => [left[2 * j], left[2 * j + 1]]);
    const differences = pairs.map(([zero, one]) =>
      zero === undefined || one === undefined ? undefined : one - zero,
    );
    const angles = withFreeAnglesLike(differences);
    operations.push(...multiplexedRotation('RZ', angles, above(target, numQubits), target));
    // RZ subtracts half of its angle from the phase of |0⟩ and adds it to that of |1⟩.
    left = pairs.map(([zero, one], j) => {
      if (zero !== undefined) return zero + angles[j]! / 2;
      return one === undefined ? undefined : one - angles[j]! / 2;
    });
  }
  return operations;
}

/**
 * Rotates `target` by `angles[j]` where the controls read j, `controls[0]` least significant.
 *
 * A CX before and after reverses a rotation about Y or Z, so each of 2^k rotations between CX contributes its
 * angle with a sign for each value. Walking through the controls in Gray code needs one CX between two
 * rotations.
 *
 * @param gate - RY or RZ.
 * @param angles - 2^controls.length of them, radians.
 * @see Möttönen, Vartiainen, Bergholm, Salomaa, "Quantum circuits for general multiqubit gates", Phys. Rev.
 *   Lett. 93, 130502 (2004).
 */
function multiplexedRotation(
  gate: 'RY' | 'RZ',
  angles: readonly number[],
  controls: readonly Qubit[],
  target: Qubit,
): readonly GateOperation[] {
  const steps = angles.length;
  const operations: GateOperation[] = [];
  for (let i = 0; i < steps; i++) {
    const code = i ^ (i >> 1);
    const sum = angles.reduce(
      (total, angle, j) => total + (hasOddParity(j & code) ? -angle : angle),
      0,
    );
    const turn = sum / steps;
    if (Math.abs(turn) > NEGLIGIBLE_ANGLE) {
      operations.push({ kind: 'gate', gate, controls: [], targets: [target], angles: [turn] });
    }
    if (steps === 1) break;
    // The bit in which this code word differs from the next one; the first follows the last.
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

// Circuits that prepare GHZ states and Dicke states, among them W states.
//
// @see Bärtschi, Eidenbenz, "Deterministic preparation of Dicke states", FCT 2019, for Dicke states.

/** Prepares (|0…0⟩ + |1…1⟩)/√2. Each step doubles the entangled qubits, so the depth is logarithmic. */
export function ghzCircuit(numQubits: number): readonly GateOperation[] {
  const operations = [gate('H', [], [0])];
  for (let have = 1; have < numQubits; have *= 2) {
    for (let q = 0; q < have && q + have < numQubits; q++) {
      operations.push(gate('CX', [q], [q + have]));
    }
  }
  return operations;
}

/**
 * Prepares the equal sum of all basis states with `numOnes` ones.
 *
 * Starts at |0…01…1⟩ and goes from the last qubit down. Each step distributes a one of the last qubit over
 * the qubits before it, with amplitudes in proportion to the numbers of basis states.
 *
 * @param numOnes - From 0 to numQubits.
 */
export function dickeCircuit(numQubits: number, numOnes: number): readonly GateOperation[] {
  const ones = Array.from({ length: numOnes }, (_, i) => numQubits - 1 - i);
  const operations = ones.map((q) => gate('X', [], [q]));
  for (let length = numQubits; length >= 2; length--) {
    const last = length - 1;
    for (let i = 1; i <= Math.min(numOnes, length - 1); i++) {
      const q = last - i;
      const angle = 2 * Math.acos(Math.sqrt(i / length));
      const controls: readonly Qubit[] = i === 1 ? [last] : [last, q + 1];
      operations.push(gate('CX', [q], [last]));
      operations.push(gate(i === 1 ? 'CRY' : 'RY', controls, [q], [angle]));
      operations.push(gate('CX', [q], [last]));
    }
  }
  return operations;
}

function gate(
  name: string,
  controls: readonly Qubit[],
  targets: readonly Qubit[],
  angles: readonly number[] = [],
): GateOperation {
  return { kind: 'gate', gate: name, controls, targets, angles };
}
