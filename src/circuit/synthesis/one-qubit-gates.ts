/** Writes any one-qubit unitary in the gates of a set, with as few gates as the set's basis allows. */
import {
  adjoint,
  type ComplexMatrix,
  identity,
  maxAbsDifference,
  multiply,
} from '../../math/complex-matrix.ts';
import { ofDeterminantOne } from '../../math/tensor-product.ts';
import { eulerAngles, H, RY, RZ } from '../gate-matrices.ts';
import { gateNamed } from '../gates.ts';
import type { GateSet, Mover, OneQubitBasis } from './gate-set.ts';

/** A gate on one qubit. */
interface OneQubitGate {
  readonly gate: string;
  readonly angles: readonly number[];
}

/** e^{i·phase} times the product of the gates, the first one applied first. */
interface OneQubitGates {
  readonly gates: readonly OneQubitGate[];
  readonly phase: number;
}

/** Angles closer than this, in radians, are equal up to the rounding of a few products. */
const NEGLIGIBLE = 1e-12;
/** Matrices closer than this are equal up to the rounding of a few angles. */
const SAME = 5e-12;
const HALF = Math.PI / 2;
const HADAMARD = H();

/**
 * Returns the gates of a unitary: one fixed gate or one rotation if that is enough, else the gates of the
 * set's basis.
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

/** Product of gates, the first one applied first. */
function productOf(gates: readonly OneQubitGate[]): ComplexMatrix {
  return gates.reduce(
    (product, { gate, angles }) => multiply(gateNamed(gate).matrix(angles), product),
    identity(2),
  );
}

/**
 * Yields gate sequences that may equal the unitary up to a phase, shortest first; the last one always does.
 */
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
  yield typeof set.basis === 'string'
    ? BASIS_GATES[set.basis](theta, phi, lambda, unitary, set)
    : betweenMovers(unitary, set.basis);
}

type BasisGates = (
  theta: number,
  phi: number,
  lambda: number,
  unitary: ComplexMatrix,
  set: GateSet,
) => readonly OneQubitGate[];

/** Gates of each basis for U(θ, φ, λ), which is RZ(φ)·RY(θ)·RZ(λ) up to a phase. */
const BASIS_GATES: Readonly<Record<Exclude<OneQubitBasis, Mover>, BasisGates>> = {
  u: (theta, phi, lambda) => [{ gate: 'U', angles: [neat(theta), neat(phi), neat(lambda)] }],
  zyz: (theta, phi, lambda, _unitary, set) => {
    const z = aboutZ(set);
    return rotations([z, lambda], ['RY', theta], [z, phi]);
  },
  // RY(θ) = RZ(π/2)·RX(θ)·RZ(−π/2).
  zxz: (theta, phi, lambda, _unitary, set) => {
    const z = aboutZ(set);
    return rotations([z, lambda - HALF], ['RX', theta], [z, phi + HALF]);
  },
  // Between Hadamards RZ becomes RX, and RY changes its sign.
  xyx: (_theta, _phi, _lambda, unitary) => {
    const turned = eulerAngles(multiply(multiply(HADAMARD, unitary), HADAMARD));
    return rotations(['RX', turned.lambda], ['RY', -turned.theta], ['RX', turned.phi]);
  },
  // U(θ, φ, λ) = RZ(φ + π)·SX·RZ(θ + π)·SX·RZ(λ), and one SX or an X is enough for some θ.
  zsx: (theta, phi, lambda, _unitary, set) => {
    const z = aboutZ(set);
    if (Math.abs(theta - HALF) < NEGLIGIBLE) {
      return rotations([z, lambda - HALF], ['SX', 0], [z, phi + HALF]);
    }
    if (Math.abs(theta - Math.PI) < NEGLIGIBLE) {
      const turn = [z, lambda - phi + Math.PI] as const;
      return set.names.has('X') ? rotations(turn, ['X', 0]) : rotations(turn, ['SX', 0], ['SX', 0]);
    }
    return rotations([z, lambda], ['SX', 0], [z, theta + Math.PI], ['SX', 0], [z, phi + Math.PI]);
  },
  // RY(θ) = RZ(−π/2)·RY(π/2)·RZ(π − θ)·RY(π/2)·RZ(−π/2).
  u2: (theta, phi, lambda) => {
    if (Math.abs(theta - HALF) < NEGLIGIBLE) return [u2(phi, lambda)];
    return [u2(Math.PI - theta, lambda - HALF), u2(phi - HALF, 0)];
  },
  // A half turn about the right axis in the equator leaves no rotation about Z.
  prx: (_theta, _phi, _lambda, unitary) => {
    const { phi: axis } = turnOf(unitary);
    const half = gateNamed('PRX').matrix([Math.PI, axis]);
    const { theta, phi } = turnOf(multiply(adjoint(half), unitary));
    return [prx(theta, phi), prx(Math.PI, axis)].filter(({ angles }) => angles[0] !== 0);
  },
};

/** Name of the set's rotation about Z. */
const aboutZ = ({ names }: GateSet): string => (names.has('RZ') ? 'RZ' : 'P');

/**
 * Writes a unitary as rotations about one axis with a fixed gate between them that moves it.
 *
 * With that axis taken as Z, the gate is RY(ω) between rotations. RY(ω)·RZ(μ)·RY(ω) is RY(θ) between
 * rotations, with cos(μ/2)·sin ω = sin(θ/2), for any θ up to 2ω; a larger RY is several of those.
 */
function betweenMovers(unitary: ComplexMatrix, mover: Mover): readonly OneQubitGate[] {
  const { rotation, gate, frame, tilt, before, after } = mover;
  const { theta, phi, lambda } = eulerAngles(multiply(multiply(adjoint(frame), unitary), frame));
  const move = [gate, 0] as const;
  if (theta < NEGLIGIBLE) return rotations([rotation, phi + lambda]);
  if (Math.abs(theta - tilt) < NEGLIGIBLE) {
    return rotations([rotation, lambda - before], move, [rotation, phi - after]);
  }
  const numPairs = Math.ceil(theta / (2 * Math.min(tilt, Math.PI - tilt)) - NEGLIGIBLE);
  const half = theta / numPairs / 2;
  const between =
    2 *
    Math.atan2(
      Math.sqrt(Math.max(0, Math.sin(tilt - half) * Math.sin(tilt + half))),
      Math.sin(half),
    );
  const pair = eulerAngles(multiply(multiply(RY(tilt), RZ(between)), RY(tilt)));
  const steps: (readonly [gate: string, angle: number])[] = [];
  let angle = lambda;
  for (let i = 0; i < numPairs; i++) {
    steps.push([rotation, angle - pair.lambda - before], move);
    steps.push([rotation, between - before - after], move);
    angle = -pair.phi - after;
  }
  return rotations(...steps, [rotation, angle + phi]);
}

/**
 * θ and φ of the PRX that equals a unitary without rotation about Z; for others φ is the azimuth of the axis.
 */
function turnOf(unitary: ComplexMatrix): { readonly theta: number; readonly phi: number } {
  // cos(θ/2) − i·sin(θ/2)·(x·X + y·Y + z·Z) has y − i·x times that sine in its lower left.
  const [w = 0, , , , y = 0, minusX = 0] = ofDeterminantOne(unitary);
  return { theta: 2 * Math.atan2(Math.hypot(minusX, y), w), phi: Math.atan2(y, -minusX) };
}

/** Makes gates of rotations and of gates without angles; drops rotations by nothing. */
function rotations(...steps: readonly (readonly [gate: string, angle: number])[]) {
  return steps.flatMap(([gate, angle]): readonly OneQubitGate[] => {
    if (gateNamed(gate).parameters.length === 0) return [{ gate, angles: [] }];
    const turned = neat(angle);
    return turned === 0 ? [] : [{ gate, angles: [turned] }];
  });
}

const u2 = (phi: number, lambda: number): OneQubitGate => ({
  gate: 'U2',
  angles: [neat(phi), neat(lambda)],
});

function prx(theta: number, phi: number): OneQubitGate {
  const turned = neat(theta);
  // A negative rotation is a positive one about the opposite axis.
  return turned < 0
    ? { gate: 'PRX', angles: [-turned, neat(phi + Math.PI)] }
    : { gate: 'PRX', angles: [turned, neat(phi)] };
}

/** Reduces an angle to (−π, π], and rounds it to a multiple of π/4 that is within rounding. */
function neat(angle: number): number {
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
