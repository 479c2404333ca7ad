/** Initial states over HTTP, in circuits and batches. The engines' own runs from them are in the conformance suite. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RUN_METHODS } from '../../src/fleet/method-names.ts';
import { RandomStream } from '../support/random-stream.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import type { TestService } from './support/test-service.ts';

let opened: FleetService;
let service: TestService;

beforeAll(async () => {
  opened = await openFleetService({}, ['ibm-fez']);
  ({ service } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

type Body = Readonly<Record<string, unknown>>;
type Amplitude = readonly [re: number, im: number];

const ASK = { target_processor: 'qvm', shots: 200, seed: 1, circuit: [] };

async function run(body: Body) {
  const answer = await service.submit({ ...ASK, ...body });
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([201, expect.anything()]);
  return answer.json().data;
}

function postBatch(payload: Body) {
  return service.request({ method: 'POST', url: '/quantum/batches', payload });
}

function randomState(numQubits: number, seed: number): readonly Amplitude[] {
  const stream = new RandomStream(seed);
  const all = Array.from(
    { length: 2 ** numQubits },
    (): Amplitude => [stream.normal(), stream.normal()],
  );
  const norm = Math.hypot(...all.flat());
  return all.map(([re, im]) => [re / norm, im / norm]);
}

/** The amplitudes after H on qubit 0. */
function afterH(state: readonly Amplitude[]): readonly Amplitude[] {
  return state.map((_, i) => {
    const [zero, one] = [state[i & ~1]!, state[i | 1]!];
    const sign = i & 1 ? -1 : 1;
    return [0, 1].map((part) => (zero[part]! + sign * one[part]!) * Math.SQRT1_2) as [
      number,
      number,
    ];
  });
}

const close = (state: readonly Amplitude[], digits = 12) =>
  state.map((parts) => parts.map((part) => expect.closeTo(part, digits)));

function base64(state: readonly Amplitude[], dtype: '<c16' | '<c8'): string {
  const Type = dtype === '<c16' ? Float64Array : Float32Array;
  return Buffer.from(Type.from(state.flat()).buffer).toString('base64');
}

const H0 = { gate: 'H', qubit: 0 };

describe('a circuit begins in', () => {
  test('a basis state, of any width', async () => {
    const { counts } = await run({ initial_state: { basis: '0101' } });
    expect(counts).toEqual({ '0101': 200 });
    const label = '10'.repeat(100);
    const wide = await run({ initial_state: { basis: label }, label_format: 'hex' });
    expect(wide.counts).toEqual({ [`0x${'a'.repeat(50)}`]: 200 });
  });

  test('a product state, as its eigenvalues say', async () => {
    const product = '01+-rl';
    const paulis = ['Y0', 'Y1', 'X2', 'X3', 'Z4', 'Z5'].map((pauli) => ({ pauli }));
    for (const method of RUN_METHODS) {
      const { expectation } = await run({
        initial_state: { product },
        observables: paulis,
        return: ['expectation'],
        method,
      });
      expect(expectation.values).toEqual(
        [-1, 1, -1, 1, -1, 1].map((value) => expect.closeTo(value, 10)),
      );
    }
  });

  test('amplitudes, in JSON and in base64', async () => {
    const state = randomState(3, 1);
    const forms = [
      [{ amplitudes: state }, 12],
      [{ dtype: '<c16', data: base64(state, '<c16') }, 12],
      [{ dtype: '<c8', data: base64(state, '<c8') }, 6],
    ] as const;
    for (const [initial_state, digits] of forms) {
      for (const method of ['statevector', 'sparse']) {
        const asked = { initial_state, circuit: [H0], return: ['statevector'], method };
        const { statevector } = await run(asked);
        expect(statevector).toEqual(close(afterH(state), digits));
      }
    }
  });

  test('amplitudes of more qubits than a list in another field may have entries', async () => {
    const state = randomState(13, 2);
    const { statevector } = await run({
      initial_state: { amplitudes: state },
      circuit: [H0],
      return: ['statevector'],
    });
    expect(statevector).toEqual(close(afterH(state)));
  });

  test('a mixture, which chooses the density matrix', async () => {
    const rho = [
      [
        [0.7, 0],
        [0.1, -0.2],
      ],
      [
        [0.1, 0.2],
        [0.3, 0],
      ],
    ];
    const data = await run({ initial_state: { density_matrix: rho }, return: ['density_matrix'] });
    expect(data.method).toBe('density_matrix');
    expect(data.density_matrix).toEqual(rho.map((row) => close(row as unknown as Amplitude[])));
  });

  test('a state under a noise model, which does not see it prepared', async () => {
    const noise = { gates: [{ gates: ['*'], channel: { type: 'bit_flip', probability: 1 } }] };
    const { counts } = await run({
      initial_state: { product: '1+0' },
      noise,
      circuit: [{ gate: 'H', qubit: 1 }],
    });
    // H brings qubit 1 back to |0⟩, and is the only gate.
    expect(counts).toEqual({ '110': 200 });
  });

  test('a state of an OpenQASM text, and with detectors of its own values', async () => {
    const qasm = 'OPENQASM 3; qubit[2] q; bit[2] c; c = measure q;';
    const text = await run({ circuit: undefined, qasm, initial_state: { basis: '10' } });
    expect(text.counts).toEqual({ '10': 200 });
    const circuit = [{ gate: 'M', qubits: [0, 1], bits: [0, 1] }];
    const { detection_events } = await run({
      circuit,
      initial_state: { basis: '10' },
      detectors: [[0, 1]],
      return: ['detection_events'],
    });
    expect(Buffer.from(detection_events.data, 'base64').every((byte) => byte === 0)).toBe(true);
  });
});

test('a batch takes states, at all points and by estimates from shots', async () => {
  const state = randomState(2, 3);
  const zOf = (theta: number) => {
    const [c, s] = [Math.cos(theta / 2), Math.sin(theta / 2)];
    const turned = state.map((_, i) => {
      const [zero, one] = [state[i & ~1]!, state[i | 1]!];
      return [0, 1].map((part) =>
        i & 1 ? s * zero[part]! + c * one[part]! : c * zero[part]! - s * one[part]!,
      );
    });
    return turned.reduce(
      (sum, [re = 0, im = 0], i) => sum + (i & 1 ? -1 : 1) * (re * re + im * im),
      0,
    );
  };
  const thetas = [0, 0.5, 2];
  const program = {
    circuit: [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }],
    inputs: { a: thetas },
    initial_state: { amplitudes: state },
    observables: [{ pauli: 'Z0' }],
  };
  const product = {
    ...program,
    initial_state: { product: '+1' },
    return: ['expectation', 'gradient'],
  };
  const real = (each: number): Amplitude => [each, 0];
  const mixture = {
    ...program,
    initial_state: { density_matrix: [[0.8, 0].map(real), [0, 0.2].map(real)] },
  };
  const answer = await postBatch({
    target_processor: 'qvm',
    programs: [
      { ...program, return: ['expectation', 'gradient'] },
      product,
      { ...program, shots: 40_000, seed: 5 },
      { ...mixture, return: ['expectation', 'gradient'] },
    ],
  });
  expect(answer.statusCode).toBe(201);
  const [exact, turned, estimated, mixed] = answer.json().data.programs;
  expect(exact.expectation).toEqual(thetas.map((theta) => [expect.closeTo(zOf(theta), 12)]));
  const slopeOf = (theta: number) => (zOf(theta + 1e-4) - zOf(theta - 1e-4)) / 2e-4;
  expect(exact.gradient).toEqual(thetas.map((theta) => [[expect.closeTo(slopeOf(theta), 7)]]));
  expect(mixed.gradient).toEqual(
    thetas.map((theta) => [[expect.closeTo(-0.6 * Math.sin(theta), 12)]]),
  );
  expect(turned.expectation).toEqual(thetas.map((theta) => [expect.closeTo(-Math.cos(theta), 12)]));
  expect(turned.gradient).toEqual(thetas.map((theta) => [[expect.closeTo(Math.sin(theta), 12)]]));
  for (const [i, theta] of thetas.entries()) {
    const [[value], [error]] = [estimated.expectation[i], estimated.standard_error[i]];
    expect(Math.abs(value - zOf(theta))).toBeLessThan(5 * error);
  }
});

const half = Math.SQRT1_2;
const plus = {
  amplitudes: [
    [half, 0],
    [half, 0],
  ],
};
test.each<[string, Body, string, string]>([
  [
    'an empty label',
    { initial_state: { basis: '' } },
    'initial_state.basis',
    'one of the letters 01',
  ],
  ['a wrong letter', { initial_state: { product: '0x' } }, 'initial_state.product', 'Letter 1'],
  ['no form', { initial_state: {} }, 'initial_state', 'Give one of'],
  ['null', { initial_state: null }, 'initial_state', 'Give one of'],
  [
    'two forms',
    { initial_state: { basis: '0', product: '0' } },
    'initial_state.product',
    'Give one of',
  ],
  [
    'a norm',
    {
      initial_state: {
        amplitudes: [
          [1, 0],
          [1, 0],
        ],
      },
    },
    'initial_state.amplitudes',
    'The norm is 1.414',
  ],
  [
    'three amplitudes',
    {
      initial_state: {
        amplitudes: [
          [1, 0],
          [0, 0],
          [0, 0],
        ],
      },
    },
    'initial_state.amplitudes',
    '2^n',
  ],
  [
    'no number',
    {
      initial_state: {
        amplitudes: [
          [1, 0],
          ['0', 0],
        ],
      },
    },
    'initial_state.amplitudes[1]',
    '[re, im]',
  ],
  ['bytes', { initial_state: { dtype: '<c16', data: 'AAAA' } }, 'initial_state.data', '3 bytes'],
  ['a dtype', { initial_state: { dtype: '<f8', data: '' } }, 'initial_state.dtype', '<c16'],
  [
    'a trace',
    {
      initial_state: {
        density_matrix: [
          [
            [1, 0],
            [0, 0],
          ],
          [
            [0, 0],
            [1, 0],
          ],
        ],
      },
    },
    'initial_state.density_matrix',
    'The trace is 2',
  ],
  [
    'a matrix that is not Hermitian',
    {
      initial_state: {
        density_matrix: [
          [
            [1, 0],
            [1, 0],
          ],
          [
            [0, 0],
            [0, 0],
          ],
        ],
      },
    },
    'initial_state.density_matrix',
    'not Hermitian',
  ],
  [
    'a negative matrix',
    {
      initial_state: {
        density_matrix: [
          [
            [1.5, 0],
            [0, 0],
          ],
          [
            [0, 0],
            [-0.5, 0],
          ],
        ],
      },
    },
    'initial_state.density_matrix',
    'negative eigenvalue',
  ],
  [
    'a row that is short',
    {
      initial_state: {
        density_matrix: [
          [[1, 0]],
          [
            [0, 0],
            [0, 0],
          ],
        ],
      },
    },
    'initial_state.density_matrix[0]',
    '1 entries',
  ],
  [
    'another number of qubits',
    { initial_state: { basis: '011' }, qubits: 2 },
    'initial_state',
    '3 qubits',
  ],
  [
    'stabilizers',
    { initial_state: plus, method: 'stabilizer' },
    'method',
    'initial state given by numbers',
  ],
  [
    'a mixture by matrix product states',
    {
      initial_state: {
        density_matrix: [
          [
            [1, 0],
            [0, 0],
          ],
          [
            [0, 0],
            [0, 0],
          ],
        ],
      },
      method: 'matrix_product_state',
    },
    'method',
    'no mixed initial_state',
  ],
  [
    'a mixture by sparse states',
    {
      initial_state: {
        density_matrix: [
          [
            [1, 0],
            [0, 0],
          ],
          [
            [0, 0],
            [0, 0],
          ],
        ],
      },
      method: 'sparse',
    },
    'method',
    'no mixed initial_state',
  ],
  [
    'a mixture by state vectors',
    {
      initial_state: {
        density_matrix: [
          [
            [1, 0],
            [0, 0],
          ],
          [
            [0, 0],
            [0, 0],
          ],
        ],
      },
      method: 'statevector',
    },
    'initial_state',
    'density_matrix',
  ],
  [
    'an emulated device',
    { initial_state: plus, target_processor: 'emulator-ibm-fez', circuit: [H0] },
    'initial_state',
    'is a device',
  ],
  [
    'Stim',
    { circuit: undefined, stim: 'M 0', initial_state: { basis: '1' } },
    'initial_state',
    'Not taken with stim',
  ],
])('refuses %s', async (_, body, path, text) => {
  const answer = await service.submit({ ...ASK, ...body });
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.details).toEqual([
    expect.objectContaining({ path, message: expect.stringContaining(text) }),
  ]);
});

test('gives a gradient from amplitudes of as many qubits as an adjoint one is faster for', async () => {
  const numQubits = 10;
  const amplitudes = Array.from({ length: 2 ** numQubits }, (_, i) => [
    Math.cos(1 + i) / 2 ** (numQubits / 2),
    Math.sin(1 + i) / 2 ** (numQubits / 2),
  ]);
  const circuit = Array.from({ length: 3 * numQubits }, (_, i) =>
    i % 3 === 2
      ? { gate: 'CX', control: i % numQubits, target: (i + 1) % numQubits }
      : { gate: 'RY', qubit: i % numQubits, theta: { input: i % 2 === 0 ? 'a' : 'b' } },
  );
  const step = 1e-4;
  const answer = await postBatch({
    target_processor: 'qvm',
    programs: [
      {
        circuit,
        inputs: { a: [0.3, 0.3 + step, 0.3 - step, 0.3, 0.3], b: [1, 1, 1, 1 + step, 1 - step] },
        initial_state: { amplitudes },
        observables: [{ pauli: 'Z0 X3' }, { pauli: 'Y7' }],
        return: ['expectation', 'gradient'],
      },
    ],
  });
  const [{ expectation, gradient }] = answer.json().data.programs;
  for (const o of [0, 1]) {
    const slope = (up: number) => (expectation[up][o] - expectation[up + 1][o]) / (2 * step);
    expect(gradient[0][o]).toEqual([expect.closeTo(slope(1), 6), expect.closeTo(slope(3), 6)]);
  }
});
