/**
 * THE gate table: one record a gate. The parser, the compiler, validation, the catalog endpoint,
 * docs/gates.md and the conformance suite read it; adding a gate means adding a record here.
 *
 * A controlled gate is its base matrix plus a count of controls, so that controls stay controls
 * all the way to the engines, where they cost nothing, instead of growing the matrix.
 *
 * Matrix conventions are those of OpenQASM 3's stdgates.inc and of Qiskit's circuit library; a
 * difference of global phase matters under further controls, so phases are exact, not "up to".
 */
import type { ComplexMatrix } from '../math/complex-matrix.ts';
import type { GateDefinition, InverseGate } from './gate-definition.ts';

type Complex = readonly [re: number, im: number];

const SQRT_HALF = Math.SQRT1_2;
const ZERO: Complex = [0, 0];
const ONE: Complex = [1, 0];

const phase = (angle: number): Complex => [Math.cos(angle), Math.sin(angle)];
const real = (value: number): Complex => [value, 0];
const imaginary = (value: number): Complex => [0, value];

/** A matrix from its rows. */
function rows(...entries: readonly (readonly Complex[])[]): ComplexMatrix {
  return Float64Array.from(entries.flat(2));
}

/** A diagonal matrix. */
function diagonal(...entries: readonly Complex[]): ComplexMatrix {
  return rows(...entries.map((entry, i) => entries.map((_, j) => (i === j ? entry : ZERO))));
}

/** The middle block [[a, b], [c, d]] on |01⟩, |10⟩ of a two-qubit gate, with `corner` at |11⟩. */
function exchange(a: Complex, b: Complex, c: Complex, d: Complex, corner: Complex): ComplexMatrix {
  return rows(
    [ONE, ZERO, ZERO, ZERO],
    [ZERO, a, b, ZERO],
    [ZERO, c, d, ZERO],
    [ZERO, ZERO, ZERO, corner],
  );
}

const X = (): ComplexMatrix => rows([ZERO, ONE], [ONE, ZERO]);
const Y = (): ComplexMatrix => rows([ZERO, imaginary(-1)], [imaginary(1), ZERO]);
const Z = (): ComplexMatrix => diagonal(ONE, real(-1));
const H = (): ComplexMatrix =>
  rows([real(SQRT_HALF), real(SQRT_HALF)], [real(SQRT_HALF), real(-SQRT_HALF)]);
const SX = (sign: 1 | -1): ComplexMatrix =>
  rows(
    [
      [0.5, 0.5 * sign],
      [0.5, -0.5 * sign],
    ],
    [
      [0.5, -0.5 * sign],
      [0.5, 0.5 * sign],
    ],
  );
const SWAP = (): ComplexMatrix => exchange(ZERO, ONE, ONE, ZERO, ONE);
const phaseGate = (angle: number): ComplexMatrix => diagonal(ONE, phase(angle));

/** cos(θ/2)·1 − i·sin(θ/2)·(cos φ X + sin φ Y): a rotation about an axis of the equator. */
function equatorRotation(theta: number, phi: number): ComplexMatrix {
  const c = real(Math.cos(theta / 2));
  const s = Math.sin(theta / 2);
  return rows(
    [c, [-s * Math.sin(phi), -s * Math.cos(phi)]],
    [[s * Math.sin(phi), -s * Math.cos(phi)], c],
  );
}

function RY(theta: number): ComplexMatrix {
  const c = real(Math.cos(theta / 2));
  const s = Math.sin(theta / 2);
  return rows([c, real(-s)], [real(s), c]);
}

const RX = (theta: number): ComplexMatrix => equatorRotation(theta, 0);
const RZ = (theta: number): ComplexMatrix => diagonal(phase(-theta / 2), phase(theta / 2));

/** e^{iγ}·U(θ, φ, λ) in OpenQASM 3's convention: U(θ, φ, λ) has a real upper left entry. */
function euler(theta: number, phi: number, lambda: number, gamma: number): ComplexMatrix {
  const c = Math.cos(theta / 2);
  const s = Math.sin(theta / 2);
  const scaled = (factor: number, angle: number): Complex => [
    factor * Math.cos(angle),
    factor * Math.sin(angle),
  ];
  return rows(
    [scaled(c, gamma), scaled(-s, gamma + lambda)],
    [scaled(s, gamma + phi), scaled(c, gamma + phi + lambda)],
  );
}

/** exp(−iθ/2 · P) for a two-qubit Pauli P given by its action |j⟩ → factor(j)·|j ^ flip⟩. */
function pauliRotation(theta: number, flip: number, factor: (j: number) => Complex): ComplexMatrix {
  const c = Math.cos(theta / 2);
  const s = Math.sin(theta / 2);
  const out = new Float64Array(32);
  for (let column = 0; column < 4; column++) {
    const [re, im] = factor(column);
    out[2 * (column * 4 + column)]! += c;
    const i = 2 * ((column ^ flip) * 4 + column);
    out[i]! += s * im;
    out[i + 1]! -= s * re;
  }
  return out;
}

const parity = (j: number): number => (j === 1 || j === 2 ? -1 : 1);
const RXX = (theta: number): ComplexMatrix => pauliRotation(theta, 3, () => ONE);
const RYY = (theta: number): ComplexMatrix => pauliRotation(theta, 3, (j) => real(-parity(j)));
const RZX = (theta: number): ComplexMatrix => pauliRotation(theta, 2, (j) => real(j & 1 ? -1 : 1));

const a = (angles: readonly number[], i: number): number => angles[i] ?? Number.NaN;
const negated =
  (gate: string) =>
  (angles: readonly number[]): InverseGate => ({
    gate,
    angles: angles.map((angle) => -angle),
  });
const fixed =
  (gate: string, ...angles: readonly number[]) =>
  (): InverseGate => ({ gate, angles });

const DUAL = 'qelib1+stdgates';

/** Every gate with a name, in the order documents list them. */
export const GATES: readonly GateDefinition[] = [
  {
    name: 'ID',
    aliases: ['i', 'identity', 'u0'],
    summary: 'Identity',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => diagonal(ONE, ONE),
    formula: '[[1, 0], [0, 1]]',
    traits: ['diagonal', 'permutation', 'real', 'self-inverse'],
    inverse: fixed('ID'),
    openqasm: { name: 'id', library: DUAL },
  },
  {
    name: 'H',
    aliases: ['hadamard'],
    summary: 'Hadamard',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: H,
    formula: '1/√2 · [[1, 1], [1, −1]]',
    traits: ['real', 'self-inverse'],
    inverse: fixed('H'),
    openqasm: { name: 'h', library: DUAL },
  },
  {
    name: 'X',
    aliases: ['not', 'paulix'],
    summary: 'Pauli X, the bit flip',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: X,
    formula: '[[0, 1], [1, 0]]',
    traits: ['permutation', 'real', 'self-inverse'],
    inverse: fixed('X'),
    openqasm: { name: 'x', library: DUAL },
  },
  {
    name: 'Y',
    aliases: ['pauliy'],
    summary: 'Pauli Y',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: Y,
    formula: '[[0, −i], [i, 0]]',
    traits: ['permutation', 'self-inverse'],
    inverse: fixed('Y'),
    openqasm: { name: 'y', library: DUAL },
  },
  {
    name: 'Z',
    aliases: ['pauliz'],
    summary: 'Pauli Z, the phase flip',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: Z,
    formula: '[[1, 0], [0, −1]]',
    traits: ['diagonal', 'permutation', 'real', 'self-inverse'],
    inverse: fixed('Z'),
    openqasm: { name: 'z', library: DUAL },
  },
  {
    name: 'S',
    aliases: ['phase90'],
    summary: 'Square root of Z',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => diagonal(ONE, imaginary(1)),
    formula: '[[1, 0], [0, i]]',
    traits: ['diagonal', 'permutation'],
    inverse: fixed('SDG'),
    openqasm: { name: 's', library: DUAL },
  },
  {
    name: 'SDG',
    aliases: ['si', 'sdag', 's_dag'],
    summary: 'Inverse of S',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => diagonal(ONE, imaginary(-1)),
    formula: '[[1, 0], [0, −i]]',
    traits: ['diagonal', 'permutation'],
    inverse: fixed('S'),
    openqasm: { name: 'sdg', library: DUAL },
  },
  {
    name: 'T',
    aliases: [],
    summary: 'Fourth root of Z',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => diagonal(ONE, [SQRT_HALF, SQRT_HALF]),
    formula: '[[1, 0], [0, e^{iπ/4}]]',
    traits: ['diagonal', 'permutation'],
    inverse: fixed('TDG'),
    openqasm: { name: 't', library: DUAL },
  },
  {
    name: 'TDG',
    aliases: ['ti', 'tdag', 't_dag'],
    summary: 'Inverse of T',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => diagonal(ONE, [SQRT_HALF, -SQRT_HALF]),
    formula: '[[1, 0], [0, e^{−iπ/4}]]',
    traits: ['diagonal', 'permutation'],
    inverse: fixed('T'),
    openqasm: { name: 'tdg', library: DUAL },
  },
  {
    name: 'SX',
    aliases: ['v', 'sqrtx', 'sqrt_x'],
    summary: 'Square root of X',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => SX(1),
    formula: '½ · [[1 + i, 1 − i], [1 − i, 1 + i]]',
    traits: [],
    inverse: fixed('SXDG'),
    openqasm: { name: 'sx', library: DUAL },
  },
  {
    name: 'SXDG',
    aliases: ['vi', 'vdg', 'sqrtxdg', 'sqrt_x_dag'],
    summary: 'Inverse of SX',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => SX(-1),
    formula: '½ · [[1 − i, 1 + i], [1 + i, 1 − i]]',
    traits: [],
    inverse: fixed('SX'),
    openqasm: { name: 'sxdg', library: 'qelib1' },
  },
  {
    name: 'RX',
    aliases: [],
    summary: 'Rotation about X',
    numControls: 0,
    numTargets: 1,
    parameters: ['theta'],
    matrix: (angles) => RX(a(angles, 0)),
    formula: 'exp(−iθ/2 · X)',
    traits: [],
    inverse: negated('RX'),
    openqasm: { name: 'rx', library: DUAL },
  },
  {
    name: 'RY',
    aliases: [],
    summary: 'Rotation about Y',
    numControls: 0,
    numTargets: 1,
    parameters: ['theta'],
    matrix: (angles) => RY(a(angles, 0)),
    formula: 'exp(−iθ/2 · Y)',
    traits: ['real'],
    inverse: negated('RY'),
    openqasm: { name: 'ry', library: DUAL },
  },
  {
    name: 'RZ',
    aliases: [],
    summary: 'Rotation about Z',
    numControls: 0,
    numTargets: 1,
    parameters: ['theta'],
    matrix: (angles) => RZ(a(angles, 0)),
    formula: 'exp(−iθ/2 · Z)',
    traits: ['diagonal', 'permutation'],
    inverse: negated('RZ'),
    openqasm: { name: 'rz', library: DUAL },
  },
  {
    name: 'P',
    aliases: ['phase', 'phaseshift', 'u1'],
    summary: 'Phase on |1⟩',
    numControls: 0,
    numTargets: 1,
    parameters: ['theta'],
    matrix: (angles) => phaseGate(a(angles, 0)),
    formula: '[[1, 0], [0, e^{iθ}]]',
    traits: ['diagonal', 'permutation'],
    inverse: negated('P'),
    openqasm: { name: 'p', library: DUAL },
  },
  {
    name: 'U',
    aliases: ['u3'],
    summary: 'Any one-qubit gate by Euler angles',
    numControls: 0,
    numTargets: 1,
    parameters: ['theta', 'phi', 'lambda'],
    matrix: (angles) => euler(a(angles, 0), a(angles, 1), a(angles, 2), 0),
    formula: '[[cos θ/2, −e^{iλ} sin θ/2], [e^{iφ} sin θ/2, e^{i(φ+λ)} cos θ/2]]',
    traits: [],
    inverse: ([theta = 0, phi = 0, lambda = 0]) => ({ gate: 'U', angles: [-theta, -lambda, -phi] }),
    openqasm: { name: 'U', library: 'builtin' },
  },
  {
    name: 'U2',
    aliases: [],
    summary: 'U with θ = π/2',
    numControls: 0,
    numTargets: 1,
    parameters: ['phi', 'lambda'],
    matrix: (angles) => euler(Math.PI / 2, a(angles, 0), a(angles, 1), 0),
    formula: '1/√2 · [[1, −e^{iλ}], [e^{iφ}, e^{i(φ+λ)}]]',
    traits: [],
    inverse: ([phi = 0, lambda = 0]) => ({ gate: 'U', angles: [-Math.PI / 2, -lambda, -phi] }),
    openqasm: { name: 'u2', library: DUAL },
  },
  {
    name: 'PRX',
    aliases: ['r', 'phasedx', 'phased_x'],
    summary: 'Rotation by θ about the axis cos φ X + sin φ Y',
    numControls: 0,
    numTargets: 1,
    parameters: ['theta', 'phi'],
    matrix: (angles) => equatorRotation(a(angles, 0), a(angles, 1)),
    formula: 'exp(−iθ/2 · (cos φ X + sin φ Y))',
    traits: [],
    inverse: ([theta = 0, phi = 0]) => ({ gate: 'PRX', angles: [-theta, phi] }),
    openqasm: { name: 'prx', library: 'none' },
  },
  {
    name: 'CX',
    aliases: ['cnot'],
    summary: 'Controlled X',
    numControls: 1,
    numTargets: 1,
    parameters: [],
    matrix: X,
    formula: '[[0, 1], [1, 0]]',
    traits: ['permutation', 'real', 'self-inverse'],
    inverse: fixed('CX'),
    openqasm: { name: 'cx', library: DUAL },
  },
  {
    name: 'CY',
    aliases: [],
    summary: 'Controlled Y',
    numControls: 1,
    numTargets: 1,
    parameters: [],
    matrix: Y,
    formula: '[[0, −i], [i, 0]]',
    traits: ['permutation', 'self-inverse'],
    inverse: fixed('CY'),
    openqasm: { name: 'cy', library: DUAL },
  },
  {
    name: 'CZ',
    aliases: [],
    summary: 'Controlled Z',
    numControls: 1,
    numTargets: 1,
    parameters: [],
    matrix: Z,
    formula: '[[1, 0], [0, −1]]',
    traits: ['diagonal', 'permutation', 'real', 'self-inverse'],
    inverse: fixed('CZ'),
    openqasm: { name: 'cz', library: DUAL },
  },
  {
    name: 'CH',
    aliases: [],
    summary: 'Controlled Hadamard',
    numControls: 1,
    numTargets: 1,
    parameters: [],
    matrix: H,
    formula: '1/√2 · [[1, 1], [1, −1]]',
    traits: ['real', 'self-inverse'],
    inverse: fixed('CH'),
    openqasm: { name: 'ch', library: DUAL },
  },
  {
    name: 'CS',
    aliases: [],
    summary: 'Controlled S',
    numControls: 1,
    numTargets: 1,
    parameters: [],
    matrix: () => diagonal(ONE, imaginary(1)),
    formula: '[[1, 0], [0, i]]',
    traits: ['diagonal', 'permutation'],
    inverse: fixed('SDG'),
    openqasm: { name: 'cs', library: 'none' },
  },
  {
    name: 'CSX',
    aliases: ['cv'],
    summary: 'Controlled square root of X',
    numControls: 1,
    numTargets: 1,
    parameters: [],
    matrix: () => SX(1),
    formula: '½ · [[1 + i, 1 − i], [1 − i, 1 + i]]',
    traits: [],
    inverse: fixed('SXDG'),
    openqasm: { name: 'csx', library: 'qelib1' },
  },
  {
    name: 'CP',
    aliases: ['cphase', 'cphaseshift', 'cu1'],
    summary: 'Controlled phase',
    numControls: 1,
    numTargets: 1,
    parameters: ['theta'],
    matrix: (angles) => phaseGate(a(angles, 0)),
    formula: '[[1, 0], [0, e^{iθ}]]',
    traits: ['diagonal', 'permutation'],
    inverse: negated('CP'),
    openqasm: { name: 'cp', library: DUAL },
  },
  {
    name: 'CRX',
    aliases: [],
    summary: 'Controlled rotation about X',
    numControls: 1,
    numTargets: 1,
    parameters: ['theta'],
    matrix: (angles) => RX(a(angles, 0)),
    formula: 'exp(−iθ/2 · X)',
    traits: [],
    inverse: negated('CRX'),
    openqasm: { name: 'crx', library: DUAL },
  },
  {
    name: 'CRY',
    aliases: [],
    summary: 'Controlled rotation about Y',
    numControls: 1,
    numTargets: 1,
    parameters: ['theta'],
    matrix: (angles) => RY(a(angles, 0)),
    formula: 'exp(−iθ/2 · Y)',
    traits: ['real'],
    inverse: negated('CRY'),
    openqasm: { name: 'cry', library: DUAL },
  },
  {
    name: 'CRZ',
    aliases: [],
    summary: 'Controlled rotation about Z',
    numControls: 1,
    numTargets: 1,
    parameters: ['theta'],
    matrix: (angles) => RZ(a(angles, 0)),
    formula: 'exp(−iθ/2 · Z)',
    traits: ['diagonal', 'permutation'],
    inverse: negated('CRZ'),
    openqasm: { name: 'crz', library: DUAL },
  },
  {
    name: 'CU',
    aliases: [],
    summary: 'Controlled e^{iγ}·U(θ, φ, λ)',
    numControls: 1,
    numTargets: 1,
    parameters: ['theta', 'phi', 'lambda', 'gamma'],
    matrix: (angles) => euler(a(angles, 0), a(angles, 1), a(angles, 2), a(angles, 3)),
    formula: 'e^{iγ} · U(θ, φ, λ)',
    traits: [],
    inverse: ([theta = 0, phi = 0, lambda = 0, gamma = 0]) => ({
      gate: 'CU',
      angles: [-theta, -lambda, -phi, -gamma],
    }),
    openqasm: { name: 'cu', library: DUAL },
  },
  {
    name: 'CU3',
    aliases: [],
    summary: 'Controlled U(θ, φ, λ)',
    numControls: 1,
    numTargets: 1,
    parameters: ['theta', 'phi', 'lambda'],
    matrix: (angles) => euler(a(angles, 0), a(angles, 1), a(angles, 2), 0),
    formula: 'U(θ, φ, λ)',
    traits: [],
    inverse: ([theta = 0, phi = 0, lambda = 0]) => ({
      gate: 'CU3',
      angles: [-theta, -lambda, -phi],
    }),
    openqasm: { name: 'cu3', library: 'qelib1' },
  },
  {
    name: 'SWAP',
    aliases: [],
    summary: 'Exchanges two qubits',
    numControls: 0,
    numTargets: 2,
    parameters: [],
    matrix: SWAP,
    formula: '|01⟩ ↔ |10⟩',
    traits: ['permutation', 'real', 'self-inverse'],
    inverse: fixed('SWAP'),
    openqasm: { name: 'swap', library: DUAL },
  },
  {
    name: 'ISWAP',
    aliases: [],
    summary: 'Exchanges two qubits with a phase of i',
    numControls: 0,
    numTargets: 2,
    parameters: [],
    matrix: () => exchange(ZERO, imaginary(1), imaginary(1), ZERO, ONE),
    formula: '|01⟩ → i|10⟩, |10⟩ → i|01⟩',
    traits: ['permutation'],
    inverse: fixed('XX+YY', Math.PI, 0),
    openqasm: { name: 'iswap', library: 'none' },
  },
  {
    name: 'SQRTISWAP',
    aliases: ['sqrt_iswap', 'siswap'],
    summary: 'Square root of ISWAP',
    numControls: 0,
    numTargets: 2,
    parameters: [],
    matrix: () =>
      exchange(real(SQRT_HALF), imaginary(SQRT_HALF), imaginary(SQRT_HALF), real(SQRT_HALF), ONE),
    formula: '|01⟩ → (|01⟩ + i|10⟩)/√2, |10⟩ → (i|01⟩ + |10⟩)/√2',
    traits: [],
    inverse: fixed('XX+YY', Math.PI / 2, 0),
    openqasm: { name: 'sqrtiswap', library: 'none' },
  },
  {
    name: 'ECR',
    aliases: [],
    summary: 'Echoed cross-resonance',
    numControls: 0,
    numTargets: 2,
    parameters: [],
    matrix: () =>
      rows(
        [ZERO, real(SQRT_HALF), ZERO, imaginary(SQRT_HALF)],
        [real(SQRT_HALF), ZERO, imaginary(-SQRT_HALF), ZERO],
        [ZERO, imaginary(SQRT_HALF), ZERO, real(SQRT_HALF)],
        [imaginary(-SQRT_HALF), ZERO, real(SQRT_HALF), ZERO],
      ),
    formula: '1/√2 · (I⊗X − X⊗Y), first qubit rightmost',
    traits: ['self-inverse'],
    inverse: fixed('ECR'),
    openqasm: { name: 'ecr', library: 'none' },
  },
  {
    name: 'DCX',
    aliases: [],
    summary: 'CX from first to second, then from second to first',
    numControls: 0,
    numTargets: 2,
    parameters: [],
    matrix: () =>
      rows(
        [ONE, ZERO, ZERO, ZERO],
        [ZERO, ZERO, ZERO, ONE],
        [ZERO, ONE, ZERO, ZERO],
        [ZERO, ZERO, ONE, ZERO],
      ),
    formula: '|01⟩ → |10⟩ → |11⟩ → |01⟩',
    traits: ['permutation', 'real'],
    inverse: () => ({ gate: 'DCX', angles: [], targetOrder: [1, 0] }),
    openqasm: { name: 'dcx', library: 'none' },
  },
  {
    name: 'RXX',
    aliases: ['xx'],
    summary: 'Two-qubit rotation about XX',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta'],
    matrix: (angles) => RXX(a(angles, 0)),
    formula: 'exp(−iθ/2 · X⊗X)',
    traits: [],
    inverse: negated('RXX'),
    openqasm: { name: 'rxx', library: 'qelib1' },
  },
  {
    name: 'RYY',
    aliases: ['yy'],
    summary: 'Two-qubit rotation about YY',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta'],
    matrix: (angles) => RYY(a(angles, 0)),
    formula: 'exp(−iθ/2 · Y⊗Y)',
    traits: [],
    inverse: negated('RYY'),
    openqasm: { name: 'ryy', library: 'none' },
  },
  {
    name: 'RZZ',
    aliases: ['zz'],
    summary: 'Two-qubit rotation about ZZ',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta'],
    matrix: (angles) => {
      const minus = phase(-a(angles, 0) / 2);
      const plus = phase(a(angles, 0) / 2);
      return diagonal(minus, plus, plus, minus);
    },
    formula: 'exp(−iθ/2 · Z⊗Z)',
    traits: ['diagonal', 'permutation'],
    inverse: negated('RZZ'),
    openqasm: { name: 'rzz', library: 'qelib1' },
  },
  {
    name: 'RZX',
    aliases: [],
    summary: 'Two-qubit rotation about Z on the first, X on the second',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta'],
    matrix: (angles) => RZX(a(angles, 0)),
    formula: 'exp(−iθ/2 · X⊗Z), first qubit rightmost',
    traits: [],
    inverse: negated('RZX'),
    openqasm: { name: 'rzx', library: 'none' },
  },
  {
    name: 'XX+YY',
    aliases: ['xx_plus_yy', 'xxplusyy'],
    summary: 'Rotation between |01⟩ and |10⟩ by θ with phase β',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta', 'beta'],
    matrix: (angles) => {
      const c = real(Math.cos(a(angles, 0) / 2));
      const s = Math.sin(a(angles, 0) / 2);
      const sinBeta = s * Math.sin(a(angles, 1));
      const cosBeta = s * Math.cos(a(angles, 1));
      return exchange(c, [-sinBeta, -cosBeta], [sinBeta, -cosBeta], c, ONE);
    },
    formula: '[[cos θ/2, −i e^{−iβ} sin θ/2], [−i e^{iβ} sin θ/2, cos θ/2]] on |01⟩, |10⟩',
    traits: [],
    inverse: ([theta = 0, beta = 0]) => ({ gate: 'XX+YY', angles: [-theta, beta] }),
    openqasm: { name: 'xx_plus_yy', library: 'none' },
  },
  {
    name: 'FSIM',
    aliases: [],
    summary: 'Fermionic simulation gate',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta', 'phi'],
    matrix: (angles) => {
      const c = real(Math.cos(a(angles, 0)));
      const s = imaginary(-Math.sin(a(angles, 0)));
      return exchange(c, s, s, c, phase(-a(angles, 1)));
    },
    formula: '[[cos θ, −i sin θ], [−i sin θ, cos θ]] on |01⟩, |10⟩; e^{−iφ} on |11⟩',
    traits: [],
    inverse: negated('FSIM'),
    openqasm: { name: 'fsim', library: 'none' },
  },
  {
    name: 'CCX',
    aliases: ['toffoli', 'ccnot'],
    summary: 'X under two controls',
    numControls: 2,
    numTargets: 1,
    parameters: [],
    matrix: X,
    formula: '[[0, 1], [1, 0]]',
    traits: ['permutation', 'real', 'self-inverse'],
    inverse: fixed('CCX'),
    openqasm: { name: 'ccx', library: DUAL },
  },
  {
    name: 'CCZ',
    aliases: [],
    summary: 'Z under two controls',
    numControls: 2,
    numTargets: 1,
    parameters: [],
    matrix: Z,
    formula: '[[1, 0], [0, −1]]',
    traits: ['diagonal', 'permutation', 'real', 'self-inverse'],
    inverse: fixed('CCZ'),
    openqasm: { name: 'ccz', library: 'none' },
  },
  {
    name: 'CSWAP',
    aliases: ['fredkin'],
    summary: 'Controlled SWAP',
    numControls: 1,
    numTargets: 2,
    parameters: [],
    matrix: SWAP,
    formula: '|01⟩ ↔ |10⟩',
    traits: ['permutation', 'real', 'self-inverse'],
    inverse: fixed('CSWAP'),
    openqasm: { name: 'cswap', library: DUAL },
  },
  {
    name: 'GPHASE',
    aliases: ['globalphase', 'global_phase'],
    summary: 'Phase of the whole state; under controls, a phase on |1…1⟩',
    numControls: 0,
    numTargets: 0,
    parameters: ['gamma'],
    matrix: (angles) => rows([phase(a(angles, 0))]),
    formula: 'e^{iγ}',
    traits: ['diagonal', 'permutation'],
    inverse: negated('GPHASE'),
    openqasm: { name: 'gphase', library: 'builtin' },
  },
];

const byName = new Map<string, GateDefinition>();
for (const definition of GATES) {
  for (const name of [definition.name, ...definition.aliases]) {
    const key = name.toLowerCase();
    if (byName.has(key)) throw new Error(`unreachable: two gates are called ${key}`);
    byName.set(key, definition);
  }
}

/** The gate of that name or alias, in any case; undefined when there is none. */
export function findGate(name: string): GateDefinition | undefined {
  return byName.get(name.toLowerCase());
}

/** The gate of that canonical name, which the caller knows to exist. */
export function gateNamed(name: string): GateDefinition {
  const definition = byName.get(name.toLowerCase());
  if (definition === undefined) throw new Error(`unreachable: no gate is called ${name}`);
  return definition;
}
