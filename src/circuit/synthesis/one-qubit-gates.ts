/** Any one-qubit unitary in the gates of a set, as few as the set's way of writing needs. */
import {
  adjoint,
  type ComplexMatrix,
  identity,
  maxAbsDifference,
  multiply,
} from '../../math/complex-matrix.ts';
import { ofDeterminantOne } from '../../math/tensor-product.ts';
import { H } from '../gate-matrices.ts';
import { gateNamed } from '../gates.ts';
import { eulerAngles } from '../one-qubit-angles.ts';
import type { GateSet, OneQubitBasis } from './gate-set.ts';

/** A gate on the one qubit. */
export interface OneQubitGate {
  readonly gate: string;
  readonly angles: readonly number[];
}

/** e^{i·phase} times the product of the gates, the first one applied first. */
export interface OneQubitGates {
  readonly gates: readonly OneQubitGate[];
  readonly phase: number;
}

/** Angles this near are equal: what rounding leaves of a few products. */
const NEGLIGIBLE = 1e-12;
/** Matrices whose few angles are that near. */
const SAME = 5e-12;
const HALF = Math.PI / 2;
const HADAMARD = H();

/**
 * The gates: one of the set's fixed ones, or one rotation, where the unitary is one; else those of
 * the set's basis.
 *
 * @param unitary - Two rows.
 */
export function oneQubitGates(unitary: ComplexMatrix, set: GateSet): OneQubitGates {
  for (const gates of candidates(unitary, set)) {
    const left = multiply(adjoint(productOf(gates)), unitary);
    const [re, im] = [left[0]! + left[6]!, left[1]! + left[7]!];
    const phase = Math.atan2(im, re);
    if (maxAbsDifference(left, phases(phase)) < SAME) return { gates, phase };
  }
  throw new Error('unreachable: a basis writes every one-qubit gate');
}

/** The product of gates, the first one applied first. */
export function productOf(gates: readonly OneQubitGate[]): ComplexMatrix {
  return gates.reduce(
    (product, { gate, angles }) => multiply(gateNamed(gate).matrix(angles), product),
    identity(2),
  );
}

/** Ways that may be the unitary up to a phase, shortest first; the last one always is. */
function* candidates(unitary: ComplexMatrix, set: GateSet): Generator<readonly OneQubitGate[]> {
  yield [];
  for (const { name } of set.fixed) yield [{ gate: name, angles: [] }];
  const angles = eulerAngles(unitary);
  const [theta, phi, lambda] = [angles.theta, angles.phi, angles.lambda];
  const whole = neat(phi + lambda);
  if (set.names.has('RZ')) yield [{ gate: 'RZ', angles: [whole] }];
  else if (set.names.has('P')) yield [{ gate: 'P', angles: [whole] }];
  for (const sign of [1, -1]) {
    if (set.names.has('RX')) yield [{ gate: 'RX', angles: [neat(sign * theta)] }];
    if (set.names.has('RY')) yield [{ gate: 'RY', angles: [neat(sign * theta)] }];
  }
  if (set.names.has('PRX')) {
    const turn = turnOf(unitary);
    yield [prx(turn.theta, turn.phi)];
  }
  yield BASIS_GATES[set.basis](theta, phi, lambda, unitary, set);
}

type BasisGates = (
  theta: number,
  phi: number,
  lambda: number,
  unitary: ComplexMatrix,
  set: GateSet,
) => readonly OneQubitGate[];

/** U(θ, φ, λ) up to a phase, which is RZ(φ)·RY(θ)·RZ(λ), by the gates of a basis. */
const BASIS_GATES: Readonly<Record<OneQubitBasis, BasisGates>> = {
  u: (theta, phi, lambda) => [{ gate: 'U', angles: [neat(theta), neat(phi), neat(lambda)] }],
  zyz: (theta, phi, lambda) => rotations(['RZ', lambda], ['RY', theta], ['RZ', phi]),
  // RY(θ) = RZ(π/2)·RX(θ)·RZ(−π/2).
  zxz: (theta, phi, lambda) => rotations(['RZ', lambda - HALF], ['RX', theta], ['RZ', phi + HALF]),
  // Between Hadamards RZ is RX, and RY turns the other way.
  xyx: (_theta, _phi, _lambda, unitary) => {
    const turned = eulerAngles(multiply(multiply(HADAMARD, unitary), HADAMARD));
    return rotations(['RX', turned.lambda], ['RY', -turned.theta], ['RX', turned.phi]);
  },
  // U(θ, φ, λ) = RZ(φ + π)·SX·RZ(θ + π)·SX·RZ(λ), and one SX, or an X, is enough for some θ.
  zsx: (theta, phi, lambda, _unitary, set) => {
    if (Math.abs(theta - HALF) < NEGLIGIBLE) {
      return rotations(['RZ', lambda - HALF], ['SX', 0], ['RZ', phi + HALF]);
    }
    if (Math.abs(theta - Math.PI) < NEGLIGIBLE) {
      const turn = ['RZ', lambda - phi + Math.PI] as const;
      return set.names.has('X') ? rotations(turn, ['X', 0]) : rotations(turn, ['SX', 0], ['SX', 0]);
    }
    return rotations(
      ['RZ', lambda],
      ['SX', 0],
      ['RZ', theta + Math.PI],
      ['SX', 0],
      ['RZ', phi + Math.PI],
    );
  },
  // A half turn about the right axis of the equator leaves no turn about Z.
  prx: (_theta, _phi, _lambda, unitary) => {
    const { phi: axis } = turnOf(unitary);
    const half = gateNamed('PRX').matrix([Math.PI, axis]);
    const { theta, phi } = turnOf(multiply(adjoint(half), unitary));
    return [prx(theta, phi), prx(Math.PI, axis)].filter(({ angles }) => angles[0] !== 0);
  },
};

/** θ and φ of a PRX, which a unitary is if it has no turn about Z; else φ is its axis's azimuth. */
function turnOf(unitary: ComplexMatrix): { readonly theta: number; readonly phi: number } {
  // cos(θ/2) − i·sin(θ/2)·(x·X + y·Y + z·Z) has y − i·x times that sine in its lower left.
  const [w = 0, , , , y = 0, minusX = 0] = ofDeterminantOne(unitary);
  return { theta: 2 * Math.atan2(Math.hypot(minusX, y), w), phi: Math.atan2(y, -minusX) };
}

/** Rotations, or gates without angles, without those that do nothing. */
function rotations(...steps: readonly (readonly [gate: string, angle: number])[]) {
  return steps.flatMap(([gate, angle]): readonly OneQubitGate[] => {
    if (gateNamed(gate).parameters.length === 0) return [{ gate, angles: [] }];
    const turned = neat(angle);
    return turned === 0 ? [] : [{ gate, angles: [turned] }];
  });
}

function prx(theta: number, phi: number): OneQubitGate {
  const turned = neat(theta);
  // A turn backwards is one forwards about the opposite axis.
  return turned < 0
    ? { gate: 'PRX', angles: [-turned, neat(phi + Math.PI)] }
    : { gate: 'PRX', angles: [turned, neat(phi)] };
}

/** The angle in (−π, π] up to whole turns; a multiple of π/4 where it is one but for rounding. */
export function neat(angle: number): number {
  const turned = angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
  const eighths = Math.round(turned / (Math.PI / 4));
  const near = eighths * (Math.PI / 4);
  if (Math.abs(turned - near) >= NEGLIGIBLE) return turned;
  return eighths === -4 ? Math.PI : near + 0;
}

/** e^{i·angle} times the identity. */
function phases(angle: number): ComplexMatrix {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return Float64Array.from([c, s, 0, 0, 0, 0, c, s]);
}
