/** Snapshots and unitaries over HTTP, in circuits and batches. The engines' own are in the conformance suite. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

const ASK = { target_processor: 'qvm', shots: 400, seed: 1 };
const H0 = { gate: 'H', qubit: 0 };
const CX = { gate: 'CX', control: 0, target: 1 };
const FLIP = { gate: 'NOISE', qubits: [0], channel: { type: 'phase_flip', probability: 0.1 } };
const LOSS = { gate: 'NOISE', qubits: [0], channel: { type: 'loss', probability: 0.1 } };
const XX = [{ pauli: 'X0' }, { pauli: 'X0 X1' }];

const save = (what: string, more: Body = {}) => ({ gate: 'SAVE', label: what, what, ...more });
const MEANS = [
  save('expectation', { observables: XX }),
  save('probabilities', { qubits: [1] }),
] as const;

async function run(body: Body) {
  const answer = await service.submit({ ...ASK, ...body });
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([201, expect.anything()]);
  return answer.json().data;
}

async function faultOf(body: Body): Promise<readonly [string, string]> {
  const answer = await service.submit({ ...ASK, ...body });
  const { details, message } = answer.json().error ?? { message: answer.body };
  expect(answer.statusCode, message).toBe(400);
  return [details[0].path, details[0].message];
}

const close = (value: number) => expect.closeTo(value, 10);
const values = (...all: number[]) => expect.objectContaining({ values: all.map(close) });

describe('a circuit saves', () => {
  test('outputs in the form of those of its end, several of one label in order', async () => {
    const amplitudes = save('amplitudes', { basis_states: ['00', '0x3'] });
    const all = [...MEANS, save('statevector'), amplitudes];
    const { saved, counts } = await run({ circuit: [H0, ...all, CX, ...all] });
    const half = close(Math.SQRT1_2);
    expect(saved).toEqual({
      expectation: [values(1, 0), values(0, 1)],
      probabilities: [{ 0: close(1) }, { 0: close(0.5), 1: close(0.5) }],
      statevector: [
        [
          [half, 0],
          [half, 0],
          [0, 0],
          [0, 0],
        ],
        [
          [half, 0],
          [0, 0],
          [0, 0],
          [half, 0],
        ],
      ],
      amplitudes: [
        { '00': [half, 0], '0x3': [0, 0] },
        { '00': [half, 0], '0x3': [half, 0] },
      ],
    });
    expect(Object.keys(counts).sort()).toEqual(['00', '11']);
  });

  test.each(['statevector', 'density_matrix', 'stabilizer', 'matrix_product_state', 'sparse'])(
    'the same by %s',
    async (method) => {
      const { saved } = await run({ method, circuit: [H0, CX, ...MEANS] });
      expect(saved.expectation).toEqual(values(0, 1));
      expect(saved.probabilities).toEqual({ 0: close(0.5), 1: close(0.5) });
    },
  );

  test('by Pauli propagation', async () => {
    const circuit = [H0, MEANS[0], CX, MEANS[0]];
    const ask = { return: ['expectation'], observables: XX };
    const { saved } = await run({ method: 'pauli_propagation', circuit, ...ask });
    expect(saved.expectation).toEqual([values(1, 0), values(0, 1)]);
  });

  test('a mixture under noise and after a measurement, also of some qubits', async () => {
    const noisy = [H0, FLIP, MEANS[0], save('density_matrix', { qubits: [0] })];
    const measured = [CX, { gate: 'M', qubits: [1] }, MEANS[0]];
    const { saved, method } = await run({ circuit: [...noisy, ...measured] });
    expect(method).toBe('density_matrix');
    expect(saved.expectation).toEqual([values(0.8, 0), values(0, 0)]);
    const row = [
      [close(0.5), 0],
      [close(0.4), 0],
    ];
    expect(saved.density_matrix).toEqual([row, row.toReversed()]);
  });

  test('means over trajectories, with their errors', async () => {
    const { saved } = await run({ circuit: [H0, FLIP, ...MEANS], method: 'statevector' });
    const [value] = saved.expectation.values;
    const [error] = saved.expectation.standard_error;
    expect(Math.abs(value - 0.8)).toBeLessThan(5 * error);
    expect(error).toBeGreaterThan(0);
  });

  test('of its own qubits, whatever was measured before', async () => {
    const circuit = [H0, { gate: 'M', qubits: [0], bits: [1] }, FLIP, H0, ...MEANS];
    const { saved } = await run({ circuit, method: 'statevector' });
    expect(saved.probabilities).toEqual({ 0: close(1) });
  });
});

describe('a snapshot is refused', () => {
  test.each([
    ['without a label', { gate: 'SAVE', what: 'statevector' }, 'circuit[1].label'],
    ['of an output that there is not', save('counts'), 'circuit[1].what'],
    ['without its observables', save('expectation'), 'circuit[1].observables'],
    ['with fields of another', save('statevector', { qubits: [0] }), 'circuit[1].qubits'],
    [
      'under a condition',
      save('statevector', { condition: { bits: [0], value: 1 } }),
      'circuit[1].condition',
    ],
    [
      'of a basis state that is too long',
      save('amplitudes', { basis_states: ['00'] }),
      'circuit[1].basis_states[0]',
    ],
  ])('%s', async (_, snapshot, path) => {
    expect((await faultOf({ circuit: [H0, snapshot] }))[0]).toBe(path);
  });

  test.each([
    ['where shots have several states', [H0, { gate: 'M', qubits: [0] }, save('statevector')], {}],
    ['under noise', [H0, FLIP, save('statevector')], {}],
    [
      'by a method that lacks it',
      [H0, save('amplitudes', { basis_states: ['0'] })],
      { method: 'stabilizer' },
    ],
    ['of a state that is too wide', [{ gate: 'H', qubit: 16 }, save('statevector')], {}],
    ['of outcomes, where a qubit may be lost', [H0, LOSS, save('probabilities')], {}],
    ['on a device', [H0, save('statevector')], { target_processor: 'emulator-ibm-fez' }],
  ])('%s, by its name', async (_, circuit, more) => {
    const [path, message] = await faultOf({ circuit, ...more });
    expect(path).toMatch(/^circuit\[\d\]|^method$/);
    expect(message).toMatch(/SAVE|stabilizer has no amplitudes/);
  });

  test('if all of them are too much for an answer', async () => {
    const snapshots = Array.from({ length: 17 }, () => save('statevector'));
    const wide = { gate: 'H', qubit: 15 };
    expect((await faultOf({ circuit: [wide, ...snapshots] }))[1]).toContain('2097152');
  });

  test('where nothing runs', async () => {
    const payload = { circuit: [H0, save('statevector')], target_processor: 'qvm' };
    const url = '/quantum/compile';
    const { error } = (await service.request({ method: 'POST', url, payload })).json();
    expect(error.details[0].path).toBe('circuit[1].gate');
  });
});

describe('a batch', () => {
  const RX = { gate: 'RX', qubit: 0, theta: { input: 't' } };
  const inputs = { t: [0.1, 0.2, 0.3] };
  const Z0 = save('expectation', { observables: [{ pauli: 'Z0' }] });
  const post = async (program: Body) => {
    const payload = { target_processor: 'qvm', programs: [program] };
    const answer = await service.request({
      method: 'POST',
      url: '/quantum/batches',
      headers: { prefer: 'wait=30' },
      payload,
    });
    return answer.json();
  };

  test.each([
    { shots: 10 },
    { observables: [{ pauli: 'Z0' }] },
    { shots: 10, method: 'statevector', circuit: [RX, FLIP, Z0] },
  ])('has the snapshots of each point', async (more) => {
    const { data } = await post({ circuit: [RX, Z0], inputs, ...more });
    const [{ saved }] = data.programs;
    const found = saved.map((each: Body) => (each.expectation as { values: number[] }).values[0]);
    expect(found).toEqual(inputs.t.map((t) => close(Math.cos(t))));
  });

  test.each([
    [{ return: ['gradient'], observables: [{ pauli: 'Z0' }] }, 'programs[0].return'],
    [{ return: ['expectation'], observables: [{ pauli: 'Z0' }], shots: 10 }, 'programs[0].shots'],
  ])('refuses them with what runs other circuits: %j', async (more, path) => {
    const { error } = await post({ circuit: [RX, Z0], inputs, ...more });
    expect(error.details[0].path).toBe(path);
  });
});

describe('unitary', () => {
  test('is the matrix of the circuit with its phase', async () => {
    const circuit = [{ gate: 'RX', qubit: 0, theta: 0.3 }, CX, { gate: 'GPHASE', gamma: 0.4 }];
    const { unitary } = await run({ circuit, return: ['unitary'] });
    const times = (re: number, im: number) => [
      close(re * Math.cos(0.4) - im * Math.sin(0.4)),
      close(re * Math.sin(0.4) + im * Math.cos(0.4)),
    ];
    const [c, s, zero] = [times(Math.cos(0.15), 0), times(0, -Math.sin(0.15)), times(0, 0)];
    // CX sends 1 to 3.
    expect(unitary).toEqual([
      [c, s, zero, zero],
      [zero, zero, s, c],
      [zero, zero, c, s],
      [s, c, zero, zero],
    ]);
  });

  test.each([
    ['more than 10 qubits', { circuit: [{ gate: 'H', qubit: 10 }] }, 'return'],
    ['measurements in the middle', { circuit: [H0, { gate: 'M', qubits: [0] }, H0] }, 'return'],
    ['noise', { circuit: [H0, FLIP] }, 'return'],
    ['another method', { circuit: [H0], method: 'density_matrix' }, 'return'],
    ['an initial state', { circuit: [H0], initial_state: { basis: '1' } }, 'initial_state'],
  ])('is refused with %s', async (_, body, path) => {
    expect((await faultOf({ ...body, return: ['unitary'] }))[0]).toBe(path);
  });
});
