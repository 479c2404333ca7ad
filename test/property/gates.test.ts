/** Every record of the gate table is checked against its own claims, and some against textbook matrices. */
import { describe, expect, test } from 'vitest';
import type { GateDefinition, GateTrait } from '../../src/circuit/gate-definition.ts';
import { GATES, gateNamed } from '../../src/circuit/gates.ts';
import {
  adjoint,
  type ComplexMatrix,
  dimension,
  identity,
  isDiagonal,
  maxAbsDifference,
  monomialRows,
  multiply,
  unitarityDefect,
} from '../../src/math/complex-matrix.ts';
import { circuitUnitary } from '../support/kronecker-oracle.ts';
import { gate } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';

const EXACT = 1e-14;
const ROUNDED = 1e-12;
const SAMPLES = 5;
const TRAITS: readonly GateTrait[] = ['diagonal', 'permutation', 'real', 'self-inverse'];

const ALL = GATES.map((definition, i) => ({ name: definition.name, definition, seed: i + 1 }));

const anglesOf = (definition: GateDefinition, stream: RandomStream) =>
  definition.parameters.map(() => stream.angle());

/** The unitary on two qubits, or three, of a few gates: what the circuit computes. */
function unitaryOf(numQubits: number, ...operations: readonly ReturnType<typeof gate>[]) {
  const rows = circuitUnitary({ numQubits, numBits: 0, operations });
  return Float64Array.from(rows.flat(2));
}

const matrixOf = (name: string, ...angles: readonly number[]) => gateNamed(name).matrix(angles);

function has(trait: GateTrait, matrix: ComplexMatrix): boolean {
  switch (trait) {
    case 'diagonal':
      return isDiagonal(matrix);
    case 'permutation':
      return monomialRows(matrix) !== undefined;
    case 'real':
      return matrix.every((part, i) => i % 2 === 0 || part === 0);
    case 'self-inverse':
      return maxAbsDifference(multiply(matrix, matrix), identity(dimension(matrix))) < EXACT;
  }
}

describe('every gate of the table', () => {
  test.each(ALL)('$name is unitary and as large as its targets', ({ definition, seed }) => {
    const stream = new RandomStream(seed);
    for (let i = 0; i < SAMPLES; i++) {
      const matrix = definition.matrix(anglesOf(definition, stream));
      expect(dimension(matrix)).toBe(2 ** definition.numTargets);
      expect(unitarityDefect(matrix)).toBeLessThan(EXACT);
    }
  });

  test.each(ALL)('$name is undone by its inverse, phase included', ({ definition, seed }) => {
    const { name, numControls, numTargets } = definition;
    const stream = new RandomStream(seed);
    const numQubits = Math.max(1, numControls + numTargets);
    const targets = Array.from({ length: numTargets }, (_, q) => q);
    const controls = Array.from({ length: numControls }, (_, q) => numTargets + q);
    for (let i = 0; i < SAMPLES; i++) {
      const angles = anglesOf(definition, stream);
      const { gate: inverse, angles: inverseAngles, targetOrder } = definition.inverse(angles);
      const reordered = targetOrder?.map((position) => targets[position]!) ?? targets;
      // A controlled gate may name the inverse of its base gate (CS: SDG): controls are the
      // operation's, not the name's.
      const product = unitaryOf(
        numQubits,
        gate(name, targets, controls, angles),
        gate(inverse, reordered, controls, inverseAngles),
      );
      expect(maxAbsDifference(product, identity(2 ** numQubits))).toBeLessThan(EXACT);
    }
  });

  test.each(ALL)('$name has the traits it declares, at all angles', ({ definition, seed }) => {
    const stream = new RandomStream(seed);
    for (let i = 0; i < SAMPLES; i++) {
      const matrix = definition.matrix(anglesOf(definition, stream));
      for (const trait of definition.traits) {
        expect({ trait, holds: has(trait, matrix) }).toEqual({ trait, holds: true });
      }
    }
  });

  test.each(ALL)('$name has no trait that it does not declare', ({ definition, seed }) => {
    const matrix = definition.matrix(anglesOf(definition, new RandomStream(seed)));
    const undeclared = TRAITS.filter((trait) => !definition.traits.includes(trait));
    expect(undeclared.filter((trait) => has(trait, matrix))).toEqual([]);
  });
});

const r = Math.SQRT1_2;

describe('golden matrices, row by row, index bit 0 being the first target', () => {
  /** Real and imaginary parts of all entries. */
  const golden: readonly [string, readonly number[], readonly number[], readonly number[]][] = [
    ['H', [], [r, r, r, -r], [0, 0, 0, 0]],
    ['Y', [], [0, 0, 0, 0], [0, -1, 1, 0]],
    ['T', [], [1, 0, 0, r], [0, 0, 0, r]],
    ['SX', [], [0.5, 0.5, 0.5, 0.5], [0.5, -0.5, -0.5, 0.5]],
    ['RY', [Math.PI / 2], [r, -r, r, r], [0, 0, 0, 0]],
    ['RX', [Math.PI / 2], [r, 0, 0, r], [0, -r, -r, 0]],
    ['RZ', [Math.PI / 2], [r, 0, 0, r], [-r, 0, 0, r]],
    ['U', [Math.PI / 2, 0, Math.PI], [r, r, r, -r], [0, 0, 0, 0]],
    ['PRX', [Math.PI / 2, Math.PI / 2], [r, -r, r, r], [0, 0, 0, 0]],
    [
      'ISWAP',
      [],
      [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      [0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    ],
    [
      'ECR',
      [],
      [0, r, 0, 0, r, 0, 0, 0, 0, 0, 0, r, 0, 0, r, 0],
      [0, 0, 0, r, 0, 0, -r, 0, 0, r, 0, 0, -r, 0, 0, 0],
    ],
    [
      'RZX',
      [Math.PI / 2],
      [r, 0, 0, 0, 0, r, 0, 0, 0, 0, r, 0, 0, 0, 0, r],
      [0, 0, -r, 0, 0, 0, 0, r, -r, 0, 0, 0, 0, r, 0, 0],
    ],
    [
      'XX+YY',
      [Math.PI / 2, Math.PI / 2],
      [1, 0, 0, 0, 0, r, -r, 0, 0, r, r, 0, 0, 0, 0, 1],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ],
    [
      'XX-YY',
      [Math.PI / 2, Math.PI / 2],
      [r, 0, 0, -r, 0, 1, 0, 0, 0, 0, 1, 0, r, 0, 0, r],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ],
    [
      'FSIM',
      [Math.PI / 2, Math.PI / 6],
      [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Math.sqrt(3) / 2],
      [0, 0, 0, 0, 0, 0, -1, 0, 0, -1, 0, 0, 0, 0, 0, -0.5],
    ],
  ];
  test.each(golden)('%s(%j)', (name, angles, re, im) => {
    const expected = Float64Array.from(re.flatMap((part, i) => [part, im[i]!]));
    expect(maxAbsDifference(matrixOf(name, ...angles), expected)).toBeLessThan(EXACT);
  });

  test('CX flips its target where its control is 1', () => {
    // Control qubit 0, target qubit 1: 01 ↔ 11.
    const columns = [0, 3, 2, 1];
    const expected = new Float64Array(32);
    for (const [column, row] of columns.entries()) expected[2 * (row * 4 + column)] = 1;
    expect([...unitaryOf(2, gate('CX', [1], [0]))]).toEqual([...expected]);
  });

  test('CU puts its own phase γ on the control, as OpenQASM 3 defines', () => {
    const [theta, phi, lambda, gamma] = [0.3, 1.1, -0.4, 0.9];
    const cu = unitaryOf(2, gate('CU', [1], [0], [theta, phi, lambda, gamma]));
    const byParts = unitaryOf(
      2,
      gate('P', [0], [], [gamma]),
      gate('U', [1], [0], [theta, phi, lambda]),
    );
    expect(maxAbsDifference(cu, byParts)).toBeLessThan(EXACT);
  });
});

const kron = (high: ComplexMatrix, low: ComplexMatrix): ComplexMatrix => {
  const [m, n] = [dimension(high), dimension(low)];
  const out = new Float64Array(2 * (m * n) ** 2);
  for (let row = 0; row < m * n; row++) {
    for (let col = 0; col < m * n; col++) {
      const a = 2 * (Math.floor(row / n) * m + Math.floor(col / n));
      const b = 2 * ((row % n) * n + (col % n));
      const i = 2 * (row * m * n + col);
      out[i] = high[a]! * low[b]! - high[a + 1]! * low[b + 1]!;
      out[i + 1] = high[a]! * low[b + 1]! + high[a + 1]! * low[b]!;
    }
  }
  return out;
};

const scaled = (matrix: ComplexMatrix, re: number, im: number): ComplexMatrix =>
  matrix.map((part, i) =>
    i % 2 ? re * part + im * matrix[i - 1]! : re * part - im * matrix[i + 1]!,
  );
const plus = (a: ComplexMatrix, b: ComplexMatrix): ComplexMatrix =>
  a.map((part, i) => part + b[i]!);

/** exp(i·factor·generator), term by term. */
function exponential(generator: ComplexMatrix, factor: number): ComplexMatrix {
  let term = identity(dimension(generator));
  let sum = term;
  for (let k = 1; k < 60; k++) {
    term = scaled(multiply(term, generator), 0, factor / k);
    sum = plus(sum, term);
  }
  return sum;
}

describe('rotations are exponentials of their generators', () => {
  const [X, Y, Z] = [matrixOf('X'), matrixOf('Y'), matrixOf('Z')];
  const number = Float64Array.of(0, 0, 0, 0, 0, 0, 1, 0);
  const both = kron(number, number);
  const hopping = scaled(plus(kron(X, X), kron(Y, Y)), 0.5, 0);
  // exp(i·factor·θ·generator); the first target is the right-hand factor.
  const rotations: readonly [string, ComplexMatrix, number][] = [
    ['RX', X, -0.5],
    ['RY', Y, -0.5],
    ['RZ', Z, -0.5],
    ['P', number, 1],
    ['GPHASE', identity(1), 1],
    ['RXX', kron(X, X), -0.5],
    ['RYY', kron(Y, Y), -0.5],
    ['RZZ', kron(Z, Z), -0.5],
    ['RZX', kron(X, Z), -0.5],
  ];
  test.each(rotations)('%s', (name, generator, factor) => {
    for (const theta of [-3.3, 0.4, 2.9]) {
      const expected = exponential(generator, factor * theta);
      expect(maxAbsDifference(matrixOf(name, theta), expected)).toBeLessThan(ROUNDED);
    }
  });

  test('PRX turns about cos φ X + sin φ Y', () => {
    const axis = plus(scaled(X, Math.cos(0.7), 0), scaled(Y, Math.sin(0.7), 0));
    const expected = exponential(axis, -0.5 * 1.9);
    expect(maxAbsDifference(matrixOf('PRX', 1.9, 0.7), expected)).toBeLessThan(ROUNDED);
  });

  test('XX+YY with β = 0 is exp(−iθ/4 · (XX + YY))', () => {
    const expected = exponential(hopping, -0.5 * 1.3);
    expect(maxAbsDifference(matrixOf('XX+YY', 1.3, 0), expected)).toBeLessThan(ROUNDED);
  });

  test('XX+YY with β is RZ(−β) · that · RZ(β) on the first qubit, as Qiskit defines it', () => {
    const [theta, beta] = [1.3, 0.8];
    const expected = unitaryOf(
      2,
      gate('RZ', [0], [], [beta]),
      gate('XX+YY', [0, 1], [], [theta, 0]),
      gate('RZ', [0], [], [-beta]),
    );
    expect(maxAbsDifference(matrixOf('XX+YY', theta, beta), expected)).toBeLessThan(ROUNDED);
  });

  test('XX-YY with β is RZ(−β) · exp(−iθ/4 · (XX − YY)) · RZ(β) on the second qubit, as Qiskit defines it', () => {
    const [theta, beta] = [1.3, 0.8];
    const turn = exponential(plus(kron(X, X), scaled(kron(Y, Y), -1, 0)), -theta / 4);
    const before = unitaryOf(2, gate('RZ', [1], [], [-beta]));
    const after = unitaryOf(2, gate('RZ', [1], [], [beta]));
    const expected = multiply(after, multiply(turn, before));
    expect(maxAbsDifference(matrixOf('XX-YY', theta, beta), expected)).toBeLessThan(ROUNDED);
  });

  test('FSIM is exp(−iθ/2 · (XX + YY)) and exp(−iφ · |11⟩⟨11|)', () => {
    const [theta, phi] = [0.9, 1.7];
    const expected = multiply(exponential(hopping, -theta), exponential(both, -phi));
    expect(maxAbsDifference(matrixOf('FSIM', theta, phi), expected)).toBeLessThan(ROUNDED);
  });
});

describe('gates equal their textbook decompositions', () => {
  const half = Math.PI / 2;
  const identities: readonly [string, ComplexMatrix, ComplexMatrix][] = [
    ['SX² = X', multiply(matrixOf('SX'), matrixOf('SX')), matrixOf('X')],
    ['T² = S', multiply(matrixOf('T'), matrixOf('T')), matrixOf('S')],
    ['S² = Z', multiply(matrixOf('S'), matrixOf('S')), matrixOf('Z')],
    [
      'SQRTISWAP² = ISWAP',
      multiply(matrixOf('SQRTISWAP'), matrixOf('SQRTISWAP')),
      matrixOf('ISWAP'),
    ],
    ['SX = e^{iπ/4} RX(π/2)', matrixOf('SX'), scaled(matrixOf('RX', half), r, r)],
    ['U2(φ, λ) = U(π/2, φ, λ)', matrixOf('U2', 0.3, 0.9), matrixOf('U', half, 0.3, 0.9)],
    ['CU3 = CU with γ = 0', matrixOf('CU3', 0.3, 0.9, 2), matrixOf('CU', 0.3, 0.9, 2, 0)],
    ['DCX = CX·CX', matrixOf('DCX'), unitaryOf(2, gate('CX', [1], [0]), gate('CX', [0], [1]))],
    [
      'SWAP = CX·CX·CX',
      matrixOf('SWAP'),
      unitaryOf(2, gate('CX', [1], [0]), gate('CX', [0], [1]), gate('CX', [1], [0])),
    ],
    [
      'ISWAP = SWAP·CZ·(S ⊗ S)',
      matrixOf('ISWAP'),
      unitaryOf(2, gate('S', [0]), gate('S', [1]), gate('CZ', [0], [1]), gate('SWAP', [0, 1])),
    ],
    [
      'ECR = RZX(−π/4) · (X on the first) · RZX(π/4)',
      matrixOf('ECR'),
      unitaryOf(
        2,
        gate('RZX', [0, 1], [], [Math.PI / 4]),
        gate('X', [0]),
        gate('RZX', [0, 1], [], [-Math.PI / 4]),
      ),
    ],
    [
      'U(θ, φ, λ) = e^{i(φ+λ)/2} RZ(φ) RY(θ) RZ(λ)',
      matrixOf('U', 0.4, 1.1, -0.6),
      scaled(
        multiply(matrixOf('RZ', 1.1), multiply(matrixOf('RY', 0.4), matrixOf('RZ', -0.6))),
        Math.cos(0.25),
        Math.sin(0.25),
      ),
    ],
    ['HXH = Z', multiply(matrixOf('H'), multiply(matrixOf('X'), matrixOf('H'))), matrixOf('Z')],
    ['SXDG is the adjoint of SX', matrixOf('SXDG'), adjoint(matrixOf('SX'))],
    ['SDG is the adjoint of S', matrixOf('SDG'), adjoint(matrixOf('S'))],
    ['TDG is the adjoint of T', matrixOf('TDG'), adjoint(matrixOf('T'))],
  ];
  test.each(identities)('%s', (_, left, right) => {
    expect(maxAbsDifference(left, right)).toBeLessThan(ROUNDED);
  });
});

describe('controlled gates have the target matrix of their base', () => {
  const pairs: readonly [string, string, number][] = [
    ['CX', 'X', 1],
    ['CY', 'Y', 1],
    ['CZ', 'Z', 1],
    ['CH', 'H', 1],
    ['CS', 'S', 1],
    ['CSX', 'SX', 1],
    ['CP', 'P', 1],
    ['CRX', 'RX', 1],
    ['CRY', 'RY', 1],
    ['CRZ', 'RZ', 1],
    ['CSWAP', 'SWAP', 1],
    ['CCX', 'X', 2],
    ['CCZ', 'Z', 2],
  ];
  test.each(pairs)('%s of %s, with %i controls', (name, base, numControls) => {
    expect(gateNamed(name).numControls).toBe(numControls);
    expect([...matrixOf(name, 0.7)]).toEqual([...matrixOf(base, 0.7)]);
  });
});
