/**
 * Every output by every method and processor that the table gives it, as a circuit and as a batch of one point, of
 * circuits whose last operations show in some outputs and not in others. Values are held to an oracle that shares nothing
 * with the service: density matrices by the value of the register, on a few lines. What is refused is refused with a
 * reason.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FleetService, openFleetService } from './support/fleet-service.ts';

let opened: FleetService;
beforeAll(async () => {
  opened = await openFleetService({}, ['iqm-garnet']);
});
afterAll(() => opened[Symbol.asyncDispose]());

type Body = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: answers are read as JSON.
type Json = any;
type Complex = readonly [re: number, im: number];
type Matrix = readonly (readonly Complex[])[];

const add = ([a, b]: Complex, [c, d]: Complex): Complex => [a + c, b + d];
const times = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c];
const product = (a: Matrix, b: Matrix): Matrix =>
  a.map((row) =>
    b[0]!.map((_, j) => row.map((x, k) => times(x, b[k]![j]!)).reduce(add, [0, 0] as const)),
  );
const dagger = (a: Matrix): Matrix =>
  a[0]!.map((_, j) => a.map((row) => [row[j]![0], -row[j]![1]]));
const sum = (a: Matrix, b: Matrix): Matrix =>
  a.map((row, i) => row.map((x, j) => add(x, b[i]![j]!)));
const trace = (a: Matrix): number => a.reduce((all, row, i) => all + row[i]![0], 0);

const NUM_QUBITS = 2;
const SIZE = 2 ** NUM_QUBITS;
const INDICES = Array.from({ length: SIZE }, (_, i) => i);
const bit = (index: number, qubit: number) => (index >> qubit) & 1;

/** A 2×2 matrix on one qubit, where another one is 1. */
function on(qubit: number, small: Matrix, control?: number): Matrix {
  return INDICES.map((row) =>
    INDICES.map((column): Complex => {
      const others = (row ^ column) & ~(1 << qubit);
      if (others !== 0) return [0, 0];
      if (control !== undefined && bit(row, control) === 0) return [row === column ? 1 : 0, 0];
      return small[bit(row, qubit)]![bit(column, qubit)]!;
    }),
  );
}

const real = (rows: readonly (readonly number[])[]): Matrix =>
  rows.map((row) => row.map((x) => [x, 0]));
const R = Math.SQRT1_2;
const PAULIS: Readonly<Record<string, Matrix>> = {
  X: real([
    [0, 1],
    [1, 0],
  ]),
  Y: [
    [
      [0, 0],
      [0, -1],
    ],
    [
      [0, 1],
      [0, 0],
    ],
  ],
  Z: real([
    [1, 0],
    [0, -1],
  ]),
};
const diagonal = (angle: number): Matrix => [
  [
    [1, 0],
    [0, 0],
  ],
  [
    [0, 0],
    [Math.cos(angle), Math.sin(angle)],
  ],
];
const turned = (angle: number, [re, im]: Complex): Matrix => {
  const [c, s] = [Math.cos(angle / 2), Math.sin(angle / 2)];
  return [
    [
      [c, 0],
      [-s * re, -s * im],
    ],
    [
      [s * re, -s * im],
      [c, 0],
    ],
  ];
};
const project = (value: number): Matrix =>
  real([
    [1 - value, 0],
    [0, value],
  ]);

/** An operation as the service takes it, and what it does to the density matrix of each value of the register. */
interface Step {
  readonly object: Body;
  readonly kraus: readonly {
    readonly matrix: Matrix;
    readonly writes?: readonly [number, number];
  }[];
  readonly when?: readonly [bit: number, value: number];
}

const gate = (name: string, qubit: number, matrix: Matrix, more: Body = {}): Step => ({
  object: { gate: name, qubit, ...more },
  kraus: [{ matrix: on(qubit, matrix) }],
});
const H = (q: number) =>
  gate(
    'H',
    q,
    real([
      [R, R],
      [R, -R],
    ]),
  );
const T = (q: number) => gate('T', q, diagonal(Math.PI / 4));
const X = (q: number) => gate('X', q, PAULIS.X!);
const S = (q: number) => gate('S', q, diagonal(Math.PI / 2));
const RX = (q: number, theta: number) => gate('RX', q, turned(theta, [0, 1]), { theta });
const RY = (q: number, theta: number) => gate('RY', q, turned(theta, [1, 0]), { theta });
const CX = (control: number, target: number): Step => ({
  object: { gate: 'CX', control, target },
  kraus: [{ matrix: on(target, PAULIS.X!, control) }],
});
const CZ = (control: number, target: number): Step => ({
  object: { gate: 'CZ', control, target },
  kraus: [{ matrix: on(target, PAULIS.Z!, control) }],
});
const M = (qubit: number, into: number): Step => ({
  object: { gate: 'M', qubits: [qubit], bits: [into] },
  kraus: [0, 1].map((value) => ({ matrix: on(qubit, project(value)), writes: [into, value] })),
});
const RESET = (qubit: number): Step => ({
  object: { gate: 'RESET', qubits: [qubit] },
  kraus: [0, 1].map((value) => ({
    matrix: product(
      on(
        qubit,
        value === 1
          ? PAULIS.X!
          : real([
              [1, 0],
              [0, 1],
            ]),
      ),
      on(qubit, project(value)),
    ),
  })),
});
const DEPHASED = (qubit: number, p: number): Step => ({
  object: { gate: 'NOISE', qubits: [qubit], channel: { type: 'phase_flip', probability: p } },
  kraus: [
    {
      matrix: on(
        qubit,
        real([
          [Math.sqrt(1 - p), 0],
          [0, Math.sqrt(1 - p)],
        ]),
      ),
    },
    {
      matrix: on(
        qubit,
        real([
          [Math.sqrt(p), 0],
          [0, -Math.sqrt(p)],
        ]),
      ),
    },
  ],
});
const given = (condition: readonly [number, number], step: Step): Step => ({
  ...step,
  object: { ...step.object, condition: { bits: [condition[0]], value: condition[1] } },
  when: condition,
});

/** By the value of the register, the density matrix with its probability as trace. */
type Mixture = ReadonlyMap<number, Matrix>;

function after(steps: readonly Step[]): Mixture {
  const start = INDICES.map((i) => INDICES.map((j): Complex => [i + j === 0 ? 1 : 0, 0]));
  let mixture: Mixture = new Map([[0, start]]);
  for (const { kraus, when } of steps) {
    const next = new Map<number, Matrix>();
    const put = (register: number, rho: Matrix) => {
      const old = next.get(register);
      next.set(register, old === undefined ? rho : sum(old, rho));
    };
    for (const [register, rho] of mixture) {
      if (when !== undefined && bit(register, when[0]) !== when[1]) {
        put(register, rho);
        continue;
      }
      for (const { matrix, writes } of kraus) {
        const [into = 0, value = 0] = writes ?? [];
        const written =
          writes === undefined ? register : (register & ~(1 << into)) | (value << into);
        put(written, product(product(matrix, rho), dagger(matrix)));
      }
    }
    mixture = next;
  }
  return mixture;
}

const wholeOf = (mixture: Mixture) => [...mixture.values()].reduce(sum);

interface Case {
  /** Up to the measurements that end the circuit. */
  readonly body: readonly Step[];
  readonly end: readonly Step[];
  readonly noise?: boolean;
}

const ALL = [M(0, 0), M(1, 1)];
const CASES: Readonly<Record<string, Case>> = {
  'ends in a diagonal gate': { body: [H(0), T(0), RY(1, 0.4), S(1)], end: ALL },
  'ends in a diagonal gate on two qubits': { body: [H(0), RX(1, 0.7), CZ(0, 1)], end: ALL },
  'ends in a permutation': { body: [RY(0, 0.5), T(0), CX(0, 1), X(0)], end: ALL },
  'measures one qubit of two': { body: [H(0), CX(0, 1), T(1), RX(1, 0.3)], end: [M(0, 0)] },
  'begins with a reset': { body: [RESET(0), RX(0, 0.3), T(0), H(1)], end: ALL },
  'ends in a reset': { body: [H(0), CX(0, 1), T(0), RESET(1)], end: ALL },
  'ends in a conditional gate': {
    body: [H(0), M(0, 0), RX(1, 0.4), given([0, 1], T(1)), given([0, 0], X(1))],
    end: [M(1, 1)],
  },
  'measures in mid-circuit, then turns the qubit': {
    body: [RY(0, 0.9), M(0, 0), H(0), T(0)],
    end: [M(0, 1)],
  },
  'has noise before a diagonal gate': {
    body: [H(0), DEPHASED(0, 0.1), T(0), RY(1, 0.3)],
    end: ALL,
    noise: true,
  },
  'has noise, and measures in mid-circuit': {
    body: [RY(0, 0.9), DEPHASED(0, 0.2), M(0, 0), H(0), T(0), given([0, 1], RX(1, 0.3))],
    end: [M(0, 1)],
    noise: true,
  },
  'has only Clifford gates, and measures in mid-circuit': {
    body: [H(0), CX(0, 1), M(0, 0), H(0), S(0)],
    end: [M(1, 1)],
  },
  'has only Clifford gates, and ends in a phase gate': { body: [H(0), S(0), CX(0, 1)], end: ALL },
};

const OBSERVABLES = ['X0', 'Y0', 'Z0 Z1', 'X1'];
const matrixOf = (pauli: string) =>
  pauli
    .split(' ')
    .map((factor) => on(Number(factor[1]), PAULIS[factor[0]!]!))
    .reduce(product);

/** On a device they run with its noise, which this oracle does not have: what is refused is seen, and that batches agree. */
const ON_A_DEVICE = [
  'ends in a reset',
  'ends in a conditional gate',
  'has noise, and measures in mid-circuit',
  'has only Clifford gates, and measures in mid-circuit',
];

const TARGETS = ['statevector-sim', 'gpu-fleet', 'qvm', 'emulator-iqm-garnet'];
const METHODS = [
  'automatic',
  'statevector',
  'density_matrix',
  'stabilizer',
  'matrix_product_state',
  'sparse',
];
/** Methods whose values are means over trajectories under noise. */
const SAMPLED = ['statevector', 'matrix_product_state'];
const SHOTS = 2000;
const OUTPUTS: readonly (readonly [name: string, more: Body])[] = [
  ['counts', {}],
  ['memory', {}],
  ['probabilities', {}],
  ['expectation', { observables: OBSERVABLES.map((pauli) => ({ pauli })) }],
  ['variance', { observables: OBSERVABLES.map((pauli) => ({ pauli })) }],
  ['statevector', {}],
  ['amplitudes', { basis_states: ['00', '01', '10', '11'] }],
  ['density_matrix', {}],
  ['purity', {}],
];
const OF_BATCHES = ['counts', 'probabilities', 'expectation', 'variance', 'statevector'];

const post = async (url: string, body: Body) => {
  const answer = await opened.service.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
  return { status: answer.statusCode, json: answer.json() as Json };
};

const expectNear = (found: number, wanted: number, tolerance: number) =>
  expect(Math.abs(found - wanted)).toBeLessThan(tolerance);

/** Holds an output of a record to the oracle. */
function check(name: string, value: Json, { body, end }: Case, isEstimate: boolean): void {
  const rho = wholeOf(after(body));
  const outcomes = after([...body, ...end]);
  const tolerance = isEstimate ? 0.15 : 1e-6;
  const probability = (label: string) => {
    const found = outcomes.get(Number.parseInt(label, 2));
    return found === undefined ? 0 : trace(found);
  };
  switch (name) {
    case 'counts':
    case 'memory': {
      const labels: readonly string[] =
        name === 'memory'
          ? value
          : Object.entries(value).flatMap(([label, n]) => Array(Number(n)).fill(label));
      expect(labels).toHaveLength(SHOTS);
      for (const label of new Set(labels)) {
        const part = labels.filter((other) => other === label).length / SHOTS;
        expectNear(part, probability(label), 0.06);
      }
      return;
    }
    case 'probabilities': {
      const all = Object.entries(value as Readonly<Record<string, number>>);
      for (const [label, p] of all) expectNear(p, probability(label), tolerance);
      expectNear(
        all.reduce((total, [, p]) => total + p, 0),
        1,
        1e-6,
      );
      return;
    }
    case 'expectation':
    case 'variance': {
      for (const [i, pauli] of OBSERVABLES.entries()) {
        const mean = trace(product(rho, matrixOf(pauli)));
        expectNear(value[i], name === 'variance' ? 1 - mean ** 2 : mean, tolerance);
      }
      return;
    }
    case 'purity':
      expectNear(value, trace(product(rho, rho)), tolerance);
      return;
    default: {
      // |ψ⟩⟨ψ| of amplitudes, which have a global phase.
      const found: Matrix =
        name === 'density_matrix'
          ? value
          : product(
              (value as Complex[]).map((x) => [x]),
              dagger((value as Complex[]).map((x) => [x])),
            );
      for (const i of INDICES) {
        for (const j of INDICES) {
          for (const part of [0, 1]) {
            expectNear(found[i]![j]![part]!, rho[i]![j]![part]!, tolerance);
          }
        }
      }
    }
  }
}

/** The reason of a refusal, which names what is lacking. */
const REASON =
  /needs a circuit whose measurements are all last|needs a pure state|needs the method density_matrix|(stabilizer|matrix_product_state|sparse|sums over stabilizer states) (takes?|has|have|needs)|does not (have|give)|are refused|only by a simulator|Invalid option|lacks|simulator|not taken|Noise|noise/;

describe.each(Object.entries(CASES))('a circuit that %s', (written, each) => {
  const circuit = [...each.body, ...each.end].map(({ object }) => object);

  const isOnDevice = ON_A_DEVICE.includes(written);
  test.each(TARGETS.filter((target) => isOnDevice || !target.startsWith('emulator')))(
    'has its outputs on %s, alone and as a batch, or is refused',
    async (target) => {
      let numRight = 0;
      for (const [name, more] of OUTPUTS) {
        for (const method of METHODS) {
          const asked = { ...more, method, return: [name] };
          const source = { circuit, qubits: NUM_QUBITS };
          const common = { target_processor: target, seed: 3 };
          const single =
            name === 'variance'
              ? undefined
              : await post('/quantum/circuits', { ...common, ...source, ...asked, shots: SHOTS });
          const isEstimate = (of: Json) =>
            SAMPLED.includes(of.method) && (each.noise === true || target.startsWith('emulator'));
          const about = `${name} by ${method} on ${target}`;
          let values: Json;
          if (single?.status === 201) {
            const { data } = single.json;
            values =
              name === 'amplitudes'
                ? ['00', '01', '10', '11'].map((label) => data.amplitudes[label])
                : name === 'expectation'
                  ? data.expectation.values
                  : data[name];
            // The noise of a device is its own.
            if (!target.startsWith('emulator')) {
              check(name, values, each, isEstimate(data));
              numRight += 1;
            }
          } else if (single !== undefined) {
            expect([about, single.status]).toEqual([about, 400]);
            for (const { message } of single.json.error.details) expect(message).toMatch(REASON);
          }
          if (!OF_BATCHES.includes(name)) continue;
          const needsShots = name === 'counts' || SAMPLED.includes(single?.json.data?.method);
          const isTrajectory = needsShots && (each.noise === true || target.startsWith('emulator'));
          const shots = name === 'counts' || isTrajectory ? { shots: SHOTS } : {};
          const batch = await post('/quantum/batches', {
            ...common,
            programs: [{ ...source, ...asked, ...shots }],
          });
          const whole = `${about} as a batch: ${JSON.stringify(batch.json.error?.details)}`;
          if (single !== undefined) expect([whole, batch.status]).toEqual([whole, single.status]);
          if (batch.status !== 201) continue;
          const [program] = batch.json.data.programs;
          const [point] = program[name];
          if (single !== undefined) expect(program.method).toBe(single.json.data.method);
          const found =
            name === 'probabilities'
              ? Object.fromEntries(
                  point.map((p: number, i: number) => [
                    i.toString(2).padStart(each.end.length, '0'),
                    p,
                  ]),
                )
              : point;
          if (target.startsWith('emulator')) continue;
          check(name, found, each, isEstimate(program));
          if (name === 'counts') expect(found).toEqual(values);
          numRight += 1;
        }
      }
      if (!target.startsWith('emulator')) expect(numRight).toBeGreaterThan(3);
    },
  );
});
