/**
 * The oracle's gates and channels, written from docs/gates.md and docs/noise-models.md. It shares no code with
 * src/. The first operand is the least significant bit of an index.
 */

/** Real and imaginary part. */
export type Complex = readonly [number, number];
/** Rows of a square matrix. */
export type Matrix = readonly (readonly Complex[])[];

/** A gate of the table: `controls` of its own, then `targets`. */
export interface Gate {
  /** Name of the gate without its controls: two gates with one base differ in their controls alone. */
  readonly base: string;
  readonly controls: number;
  readonly targets: number;
  /** Names of its angles in JSON. */
  readonly angles: readonly string[];
  /** In OpenQASM, with the libraries included. */
  readonly qasm: string;
  readonly clifford: boolean;
  readonly matrix: (...angles: number[]) => Matrix;
}

const { cos, sin, sqrt, PI } = Math;
const real = (x: number): Complex => [x, 0];
const polar = (angle: number, radius = 1): Complex => [radius * cos(angle), radius * sin(angle)];
const ONE = real(1);
const NONE = real(0);

/** The product of two numbers. */
export function times([a, b]: Complex, [c, d]: Complex): Complex {
  return [a * c - b * d, a * d + b * c];
}

const plus = ([a, b]: Complex, [c, d]: Complex): Complex => [a + c, b + d];

/** The matrix product a·b. */
export function product(a: Matrix, b: Matrix): Matrix {
  return a.map((row) =>
    row.map((_, j) => row.reduce<Complex>((sum, x, k) => plus(sum, times(x, b[k]![j]!)), NONE)),
  );
}

/** The conjugate transpose. */
export function dagger(a: Matrix): Matrix {
  return a.map((row, i) => row.map((_, j) => [a[j]![i]![0], -a[j]![i]![1]]));
}

/** Kronecker product; `low` acts on the first operands. */
function kron(high: Matrix, low: Matrix): Matrix {
  return high.flatMap((top) => low.map((row) => top.flatMap((x) => row.map((y) => times(x, y)))));
}

/** A matrix times a number. */
export function scaled(a: Matrix, factor: Complex): Matrix {
  return a.map((row) => row.map((x) => times(x, factor)));
}

const sum = (a: Matrix, b: Matrix): Matrix => a.map((r, i) => r.map((x, j) => plus(x, b[i]![j]!)));

/** The identity of a size. */
export function identity(size: number): Matrix {
  return Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) => (i === j ? ONE : NONE)),
  );
}

/** The Pauli matrices by their letters. */
const PAULI: Readonly<Record<string, Matrix>> = {
  I: identity(2),
  X: [
    [NONE, ONE],
    [ONE, NONE],
  ],
  Y: [
    [NONE, [0, -1]],
    [[0, 1], NONE],
  ],
  Z: [
    [ONE, NONE],
    [NONE, real(-1)],
  ],
};
const { X, Y, Z } = PAULI as { X: Matrix; Y: Matrix; Z: Matrix };

const diagonal = (...entries: Complex[]): Matrix =>
  entries.map((x, i) => entries.map((_, j) => (i === j ? x : NONE)));
/** exp(−iθ/2 · P) where P² = 1. */
const rotation = (p: Matrix, theta: number): Matrix =>
  sum(scaled(identity(p.length), real(cos(theta / 2))), scaled(p, [0, -sin(theta / 2)]));
const u = (theta: number, phi: number, lambda: number): Matrix => [
  [real(cos(theta / 2)), polar(lambda, -sin(theta / 2))],
  [polar(phi, sin(theta / 2)), polar(phi + lambda, cos(theta / 2))],
];
/** Acts as `block` on the two given basis states of two qubits. */
const onPair = (block: Matrix, first: number, second: number, rest: Complex = ONE): Matrix => {
  const places = [first, second];
  return identity(4).map((row, i) =>
    row.map((x, j) => {
      const [a, b] = [places.indexOf(i), places.indexOf(j)];
      if (a >= 0 && b >= 0) return block[a]![b]!;
      return i === 3 && j === 3 ? rest : x;
    }),
  );
};
const H = scaled(sum(X, Z), real(sqrt(0.5)));
const phase = (theta: number) => diagonal(ONE, polar(theta));
const SX = scaled(rotation(X, PI / 2), polar(PI / 4));
const swapped = (theta: number, beta: number): Matrix => [
  [real(cos(theta / 2)), times([0, -1], polar(-beta, sin(theta / 2)))],
  [times([0, -1], polar(beta, sin(theta / 2))), real(cos(theta / 2))],
];
const ECR = scaled(sum(kron(PAULI['I']!, X), scaled(kron(X, Y), real(-1))), real(sqrt(0.5)));
const DCX: Matrix = [
  [ONE, NONE, NONE, NONE],
  [NONE, NONE, NONE, ONE],
  [NONE, ONE, NONE, NONE],
  [NONE, NONE, ONE, NONE],
];

const gates = new Map<string, Gate>();
const THETA = ['theta'];
function add(
  name: string,
  targets: number,
  angles: readonly string[],
  matrix: (...angles: number[]) => Matrix,
  under: readonly string[] = [],
  options: { clifford?: boolean; qasm?: string } = {},
): void {
  const { clifford = false, qasm = name.toLowerCase() } = options;
  const gate = { base: name, targets, angles, matrix };
  gates.set(name, { ...gate, controls: 0, qasm, clifford });
  under.forEach((controlled, i) => {
    const isClifford = clifford && i === 0 && targets === 1 && 'XYZ'.includes(name);
    const more = { controls: i + 1, qasm: controlled.toLowerCase(), clifford: isClifford };
    gates.set(controlled, { ...gate, ...more });
  });
}
const clifford = { clifford: true };
add('ID', 1, [], () => identity(2), [], clifford);
add('H', 1, [], () => H, ['CH'], clifford);
add('X', 1, [], () => X, ['CX', 'CCX'], clifford);
add('Y', 1, [], () => Y, ['CY'], clifford);
add('Z', 1, [], () => Z, ['CZ', 'CCZ'], clifford);
add('S', 1, [], () => phase(PI / 2), ['CS'], clifford);
add('SDG', 1, [], () => phase(-PI / 2), [], clifford);
add('T', 1, [], () => phase(PI / 4));
add('TDG', 1, [], () => phase(-PI / 4));
add('SX', 1, [], () => SX, ['CSX'], clifford);
add('SXDG', 1, [], () => dagger(SX), [], clifford);
add('RX', 1, THETA, (t) => rotation(X, t!), ['CRX']);
add('RY', 1, THETA, (t) => rotation(Y, t!), ['CRY']);
add('RZ', 1, THETA, (t) => rotation(Z, t!), ['CRZ']);
add('P', 1, THETA, (t) => phase(t!), ['CP']);
add('U', 1, ['theta', 'phi', 'lambda'], (t, p, l) => u(t!, p!, l!), ['CU3'], { qasm: 'U' });
add('U2', 1, ['phi', 'lambda'], (p, l) => u(PI / 2, p!, l!));
add('PRX', 1, ['theta', 'phi'], (t, p) =>
  rotation(sum(scaled(X, real(cos(p!))), scaled(Y, real(sin(p!)))), t!),
);
add(
  'U+',
  1,
  ['theta', 'phi', 'lambda', 'gamma'],
  (t, p, l, g) => scaled(u(t!, p!, l!), polar(g!)),
  ['CU'],
);
gates.delete('U+');
add('SWAP', 2, [], () => onPair(X, 1, 2), ['CSWAP'], clifford);
add('ISWAP', 2, [], () => onPair(scaled(X, [0, 1]), 1, 2), [], clifford);
add('SQRTISWAP', 2, [], () => onPair(swapped(-PI / 2, 0), 1, 2));
add('ECR', 2, [], () => ECR, [], clifford);
add('DCX', 2, [], () => DCX, [], clifford);
add('RXX', 2, THETA, (t) => rotation(kron(X, X), t!));
add('RYY', 2, THETA, (t) => rotation(kron(Y, Y), t!));
add('RZZ', 2, THETA, (t) => rotation(kron(Z, Z), t!));
add('RZX', 2, THETA, (t) => rotation(kron(X, Z), t!));
add('XX+YY', 2, ['theta', 'beta'], (t, b) => onPair(swapped(t!, b!), 1, 2), [], {
  qasm: 'xx_plus_yy',
});
add('XX-YY', 2, ['theta', 'beta'], (t, b) => onPair(swapped(t!, b!), 0, 3), [], {
  qasm: 'xx_minus_yy',
});
add('FSIM', 2, ['theta', 'phi'], (t, p) => onPair(swapped(2 * t!, 0), 1, 2, polar(-p!)));
add('GPHASE', 0, ['gamma'], (g) => [[polar(g!)]]);

/** The gates of the table by name. */
export const GATES: ReadonlyMap<string, Gate> = gates;

/** A channel as docs/noise-models.md writes it. */
export interface Channel {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The matrix of a Pauli string; its rightmost letter acts on the first operand. */
function pauliMatrix(letters: string): Matrix {
  return [...letters].reduce<Matrix>((matrix, letter) => kron(matrix, PAULI[letter]!), [[ONE]]);
}

/** All Pauli strings of a length, the identity first. */
export function pauliStrings(length: number): string[] {
  if (length === 0) return [''];
  return pauliStrings(length - 1).flatMap((rest) => [...'IXYZ'].map((letter) => rest + letter));
}

/** Pauli strings and probabilities of a Pauli channel on `size` operands; undefined for other channels. */
export function pauliMixture(channel: Channel, size: number): Map<string, number> | undefined {
  const p = Number(channel['probability']);
  const flips: Readonly<Record<string, string>> = {
    bit_flip: 'X',
    phase_flip: 'Z',
    bit_phase_flip: 'Y',
  };
  const mixture = new Map<string, number>();
  const flip = flips[channel.type];
  if (flip !== undefined) mixture.set(flip, p);
  else if (channel.type === 'depolarizing') {
    const strings = pauliStrings(size).slice(1);
    for (const letters of strings) mixture.set(letters, p / strings.length);
  } else if (channel.type === 'pauli') {
    const given = channel['probabilities'] as Record<string, number>;
    for (const [letters, q] of Object.entries(given)) mixture.set(letters, q);
  } else if (channel.type === 'phase_damping') {
    mixture.set('Z', (1 - sqrt(1 - Number(channel['gamma']))) / 2);
  } else return undefined;
  const identityString = 'I'.repeat([...mixture.keys()][0]?.length ?? size);
  const errors = [...mixture.values()].reduce((total, q) => total + q, 0);
  mixture.set(identityString, (mixture.get(identityString) ?? 0) + 1 - errors);
  return mixture;
}

/** Kraus matrices of a channel on `size` operands. */
export function krausMatrices(channel: Channel, size: number): Matrix[] {
  const mixture = pauliMixture(channel, size);
  if (mixture !== undefined) {
    return [...mixture].map(([letters, q]) =>
      scaled(pauliMatrix(letters), real(sqrt(Math.max(q, 0)))),
    );
  }
  const decay = (gamma: number, excited: number): Matrix[] => {
    const [a, b, g] = [real(sqrt(1 - excited)), real(sqrt(excited)), real(sqrt(gamma))];
    const keeps = real(sqrt(1 - gamma));
    return [
      scaled(diagonal(ONE, keeps), a),
      scaled(
        [
          [NONE, g],
          [NONE, NONE],
        ],
        a,
      ),
      scaled(diagonal(keeps, ONE), b),
      scaled(
        [
          [NONE, NONE],
          [g, NONE],
        ],
        b,
      ),
    ];
  };
  const number = (field: string, fallback = 0) => Number(channel[field] ?? fallback);
  switch (channel.type) {
    case 'amplitude_damping':
      return decay(number('gamma'), 0);
    case 'generalized_amplitude_damping':
      return decay(number('gamma'), number('excited'));
    case 'thermal_relaxation': {
      const t = number('duration_ns') / 1000;
      const [decays, coheres] = [t / number('t1_us'), t / number('t2_us')];
      // Damping alone leaves e^(−t/2T1) of the coherence; a phase flip takes the rest.
      const flip = (1 - Math.exp(decays / 2 - coheres)) / 2;
      const flips = krausMatrices({ type: 'phase_flip', probability: flip }, 1);
      const damping = decay(-Math.expm1(-decays), number('excited'));
      return damping.flatMap((a) => flips.map((b) => product(b, a)));
    }
    case 'reset': {
      const [p, one] = [number('probability'), number('value') === 1];
      const to = (from: number): Matrix =>
        scaled(
          [0, 1].map((i) => [0, 1].map((j) => real(i === Number(one) && j === from ? 1 : 0))),
          real(sqrt(p)),
        );
      return [scaled(identity(2), real(sqrt(1 - p))), to(0), to(1)];
    }
    case 'kraus':
      return channel['matrices'] as Matrix[];
    default:
      throw new Error(`the oracle has no channel ${channel.type}`);
  }
}
