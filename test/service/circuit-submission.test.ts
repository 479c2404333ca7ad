/** POST /quantum/circuits: what is taken, what is refused, and what is answered. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseKeyText } from '../../src/service/http/api-key.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { BELL, openTestService, type TestService } from './support/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService({
    processors: [
      new FakeProcessor(),
      new FakeProcessor({ id: 'small', maxQubits: 4, maxShots: 50, maxGates: 3 }),
    ],
  });
});
afterAll(() => service[Symbol.asyncDispose]());

const { circuit: BELL_CIRCUIT, ...WITHOUT_CIRCUIT } = BELL;
const H = { gate: 'H', qubit: 0 };

describe('a submission', () => {
  test('answers 201 with the record, its counts and where it is', async () => {
    const answer = await service.submit(BELL);
    expect(answer.statusCode).toBe(201);
    const { data } = answer.json();
    expect(data).toEqual({
      circuit_id: expect.stringMatching(/^circ_[0-9a-f]{32}$/),
      status: 'completed',
      processor: 'statevector-sim',
      shots: 100,
      seed: 7,
      qubits: 2,
      priority: 'normal',
      created_at: '2026-01-02T03:04:05.678Z',
      started_at: '2026-01-02T03:04:05.678Z',
      finished_at: '2026-01-02T03:04:05.678Z',
      counts: { '00': 100 },
      label_format: 'binary',
      method: 'statevector',
      method_reason: 'A state vector of 64 bytes. statevector-sim runs state vectors.',
      backend: { engine: 'reference', execution: 'cpu', precision: 'f64', hardware: 'a test' },
      compilation: {
        gates: { before: 3, after: 1 },
        depth: { before: 2, after: 1 },
        two_qubit_gates: { before: 1, after: 1 },
        passes: [],
        kernels: 1,
        fused_blocks: 1,
        sweeps: 1,
        bytes_moved: 128,
        state_passes: 1,
        reused: 'nothing',
      },
      timing: { queue_ms: 0.1, compile_ms: 0.2, execution_ms: 0.3, sampling_ms: 0 },
      bit_order: 'little-endian',
      measured_qubits: [0, 1],
    });
    expect(answer.headers['location']).toBe(`/api/v1/quantum/circuits/${data.circuit_id}`);
  });

  test('takes OpenQASM text instead of gate objects', async () => {
    const qasm =
      'OPENQASM 2.0; include "qelib1.inc"; qreg q[3]; creg c[1]; h q[2]; measure q[2] -> c[0];';
    const { data } = (await service.submit({ ...WITHOUT_CIRCUIT, qasm })).json();
    expect(data).toMatchObject({ qubits: 3, counts: { '0': 100 }, measured_qubits: [2] });
  });

  test('returns what a program asks for beside what the body does', async () => {
    const qasm = [
      'OPENQASM 3.0;\nqubit[2] q;',
      '#pragma braket result state_vector',
      '#pragma braket result expectation x(q[0])',
      '#pragma braket result probability',
    ].join('\n');
    const body = { ...WITHOUT_CIRCUIT, qasm };
    const { data } = (await service.submit(body)).json();
    expect(data.counts).toEqual({ '00': 100 });
    expect(data.statevector).toHaveLength(4);
    expect(data.probabilities).toEqual({ '00': 1 });
    expect(data.expectation.values).toHaveLength(1);
    const more = { ...body, return: ['expectation'], observables: [{ pauli: 'Z0' }] };
    const answer = (await service.submit(more)).json().data;
    expect(answer.expectation.values).toHaveLength(2);
    expect(answer).not.toHaveProperty('counts');
  });

  test('holds what a program asks for to the limits of what a body asks for', async () => {
    const qasm = 'OPENQASM 3.0;\nqubit[18] q;\n#pragma braket result state_vector';
    const answer = await service.submit({ ...WITHOUT_CIRCUIT, qasm });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toEqual([
      {
        path: 'qasm',
        message:
          'OpenQASM line 3: The result "state_vector" of 18 qubits; the limit for a JSON answer is 16.',
        code: 'CIRCUIT_LIMIT_EXCEEDED',
      },
    ]);
  });

  test.each([
    [{ circuit: BELL_CIRCUIT }, 5],
    [{ qasm: 'OPENQASM 3.0; qubit[2] q;' }, 5],
  ])('takes a wider register: %j on %i qubits', async (source, qubits) => {
    const { data } = (await service.submit({ ...WITHOUT_CIRCUIT, ...source, qubits })).json();
    expect(data).toMatchObject({ status: 'completed', qubits });
  });

  test('without M measures all qubits at the end', async () => {
    const { data } = (await service.submit({ ...BELL, circuit: [{ gate: 'X', qubit: 2 }] })).json();
    expect(data).toMatchObject({ counts: { '000': 100 }, measured_qubits: [0, 1, 2] });
  });

  test('without a seed is given one, which the answer tells', async () => {
    const { seed: _, ...body } = BELL;
    expect((await service.submit(body)).json().data.seed).toBe(1234);
  });

  test('names a classical bit that nothing is measured into as null', async () => {
    const circuit = [{ gate: 'M', qubits: [1], bits: [2] }];
    const { data } = (await service.submit({ ...BELL, circuit })).json();
    expect(data).toMatchObject({ counts: { '000': 100 }, measured_qubits: [null, null, 1] });
  });

  test('hands the processor what was asked for and nothing else', async () => {
    const processor = new FakeProcessor();
    await using own = await openTestService({ processors: [processor] });
    await own.submit(BELL);
    const observables = [{ pauli: 'Z0 Z1', coefficient: 2 }, [{ pauli: 'X0' }, { pauli: 'I' }]];
    await own.submit({ ...BELL, return: ['expectation', 'statevector'], observables });
    expect(processor.tasks.map(({ request }) => request)).toEqual([
      { shots: 100, seed: 7 },
      {
        shots: 0,
        seed: 7,
        statevector: true,
        observables: [
          [
            {
              coefficient: 2,
              factors: [
                { pauli: 'Z', qubit: 0 },
                { pauli: 'Z', qubit: 1 },
              ],
            },
          ],
          [
            { coefficient: 1, factors: [{ pauli: 'X', qubit: 0 }] },
            { coefficient: 1, factors: [] },
          ],
        ],
      },
    ]);
  });
});

describe('observables', () => {
  test.each([4096, 4097, 10_000])('may be %i Pauli terms, apart or summed', async (numTerms) => {
    const terms = new Array(numTerms).fill({ pauli: 'Z0' });
    const body = { ...BELL, return: ['expectation'] };
    const apart = await service.submit({ ...body, observables: terms });
    const summed = await service.submit({ ...body, observables: [terms] });
    expect(apart.json().data.expectation.values).toHaveLength(numTerms);
    expect(summed.json().data.expectation.values).toHaveLength(1);
  });
});

describe('return', () => {
  test('decides which results the answer holds', async () => {
    const body = { ...BELL, return: ['probabilities', 'statevector', 'expectation'] };
    const observables = [{ pauli: 'Z0' }, { pauli: 'Z1' }];
    const { data } = (await service.submit({ ...body, observables })).json();
    expect(data).not.toHaveProperty('counts');
    expect(data).toMatchObject({
      probabilities: { '00': 1 },
      statevector: [
        [1, 0],
        [0, 0],
        [0, 0],
        [0, 0],
      ],
      expectation: { values: [1, 0.5], sum: 1.5 },
    });
  });

  test.each([
    ['statevector', 16, 201],
    ['statevector', 17, 400],
    ['probabilities', 16, 201],
    ['probabilities', 17, 400],
    ['counts', 17, 201],
  ])('%s of %i qubits answers %i', async (output, qubits, status) => {
    const answer = await service.submit({ ...BELL, circuit: [H], qubits, return: [output] });
    expect(answer.statusCode).toBe(status);
    if (status === 400) {
      expect(answer.json().error.details).toEqual([
        {
          path: 'return',
          message: expect.stringContaining('16'),
          code: 'CIRCUIT_LIMIT_EXCEEDED',
        },
      ]);
    }
  });

  test('probabilities are limited by measured bits, not by qubits', async () => {
    const circuit = [{ gate: 'M', qubits: [19] }];
    const answer = await service.submit({ ...BELL, circuit, return: ['probabilities'] });
    expect(answer.json().data).toMatchObject({ qubits: 20, probabilities: { '0': 1 } });
  });

  test('statevector, probabilities and expectation pass over resets of |0⟩', async () => {
    const body = {
      target_processor: 'statevector-sim',
      shots: 1,
      return: ['statevector', 'probabilities', 'expectation'],
      observables: [{ pauli: 'Z0' }],
    };
    const reset = { gate: 'RESET', qubits: [0, 1] };
    const qasm = 'OPENQASM 3.0; qubit[2] q; reset q; U(pi, 0, pi) q[0];';
    for (const source of [{ circuit: [reset, H] }, { qasm }]) {
      const answer = await service.submit({ ...body, ...source });
      expect(answer.statusCode).toBe(201);
    }
    const used = await service.submit({ ...body, circuit: [reset, H, reset] });
    expect(used.statusCode).toBe(400);
    expect(used.json().error.details[0].message).toContain('resets of qubits in use');
  });

  test.each(['statevector', 'probabilities', 'expectation'])(
    '%s of a circuit that measures before its end is refused',
    async (output) => {
      const circuit = [{ gate: 'M', qubits: [0] }, H];
      const observables = output === 'expectation' ? { observables: [{ pauli: 'Z0' }] } : {};
      const answer = await service.submit({ ...BELL, circuit, return: [output], ...observables });
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error.details).toMatchObject([{ path: 'return' }]);
    },
  );
});

/** Body, and the paths of the faults that the answer must list. */
const REFUSED: readonly (readonly [string, object, readonly string[]])[] = [
  ['no circuit and no text', WITHOUT_CIRCUIT, ['circuit']],
  ['both circuit and text', { ...BELL, qasm: 'OPENQASM 3.0; qubit q;' }, ['qasm']],
  ['an empty circuit of no width', { ...BELL, circuit: [] }, ['circuit']],
  ['a circuit that is no list', { ...BELL, circuit: {} }, ['circuit']],
  [
    'a gate that does not exist',
    { ...BELL, circuit: [H, { gate: 'NOPE', qubit: 0 }] },
    ['circuit[1].gate'],
  ],
  ['a gate without a name', { ...BELL, circuit: [{ qubit: 0 }] }, ['circuit[0].gate']],
  [
    'a gate field that does not exist',
    { ...BELL, circuit: [{ ...H, qbit: 1 }] },
    ['circuit[0].qbit'],
  ],
  [
    'a qubit that is no integer',
    { ...BELL, circuit: [{ gate: 'H', qubit: 0.5 }] },
    ['circuit[0].qubit'],
  ],
  [
    'a qubit that is a text',
    { ...BELL, circuit: [{ gate: 'H', qubit: '0' }] },
    ['circuit[0].qubit'],
  ],
  ['a missing angle', { ...BELL, circuit: [{ gate: 'RX', qubit: 0 }] }, ['circuit[0].theta']],
  [
    'a qubit outside the register',
    { ...BELL, qubits: 1 },
    ['circuit[1].target', 'circuit[2].qubits[1]'],
  ],
  [
    'a matrix that is not unitary',
    {
      ...BELL,
      circuit: [
        {
          gate: 'UNITARY',
          qubits: [0],
          matrix: [
            [
              [1, 0],
              [0, 0],
            ],
            [
              [0, 0],
              [2, 0],
            ],
          ],
        },
      ],
    },
    ['circuit[0].matrix'],
  ],
  ['a text that is no OpenQASM', { ...WITHOUT_CIRCUIT, qasm: 'hello' }, ['qasm']],
  [
    'a text narrower than it declares',
    { ...WITHOUT_CIRCUIT, qasm: 'OPENQASM 3.0; qubit[2] q;', qubits: 1 },
    ['qubits'],
  ],
  ['a missing target', { circuit: BELL_CIRCUIT, shots: 1 }, ['target_processor']],
  ['missing shots', { circuit: BELL_CIRCUIT, target_processor: 'small' }, ['shots']],
  ['no shots', { ...BELL, shots: 0 }, ['shots']],
  ['shots that are no integer', { ...BELL, shots: 1.5 }, ['shots']],
  ['shots that are a text', { ...BELL, shots: '100' }, ['shots']],
  ['a misspelt field', { ...BELL, shot: 5 }, ['shot']],
  ['a negative seed', { ...BELL, seed: -1 }, ['seed']],
  ['a seed above 2^53 − 1', { ...BELL, seed: 2 ** 53 }, ['seed']],
  ['a priority that does not exist', { ...BELL, priority: 'urgent' }, ['priority']],
  ['an empty return', { ...BELL, return: [] }, ['return']],
  ['an unknown output', { ...BELL, return: ['histogram'] }, ['return[0]']],
  ['an output named twice', { ...BELL, return: ['counts', 'counts'] }, ['return[1]']],
  ['expectation without observables', { ...BELL, return: ['expectation'] }, ['observables']],
  ['observables without expectation', { ...BELL, observables: [{ pauli: 'Z0' }] }, ['observables']],
  [
    'an observable of a missing qubit',
    { ...BELL, return: ['expectation'], observables: [{ pauli: 'Z0' }, [{ pauli: 'Z7' }]] },
    ['observables[1][0].pauli'],
  ],
  [
    'observables beside an unknown output',
    { ...BELL, return: ['expect'], observables: [{ pauli: 'Z0' }] },
    ['return[0]'],
  ],
  [
    '10,001 Pauli terms',
    { ...BELL, return: ['expectation'], observables: [new Array(10_001).fill({ pauli: 'Z0' })] },
    ['observables'],
  ],
  [
    '10,001 observables',
    { ...BELL, return: ['expectation'], observables: new Array(10_001).fill({ pauli: 'Z0' }) },
    ['observables'],
  ],
];

describe('a submission with', () => {
  test.each(REFUSED)('%s answers 400 and says where', async (_what, body, paths) => {
    const answer = await service.submit(body);
    expect(answer.statusCode).toBe(400);
    const { error } = answer.json();
    expect(error.code).toBe('BAD_REQUEST');
    expect(error.details.map(({ path }: { path: string }) => path)).toEqual(paths);
  });

  test('an unknown target is answered with the known ones', async () => {
    const answer = await service.submit({ ...BELL, target_processor: 'abacus' });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toEqual([
      {
        path: 'target_processor',
        message: 'There is no processor "abacus"; there are statevector-sim, small.',
        code: 'SERVICE_REQUEST_INVALID',
      },
    ]);
  });

  test.each([
    ['shots', { shots: 51 }, 'max_shots', '50'],
    ['qubits', { shots: 1, qubits: 5 }, 'max_qubits', '4'],
    ['circuit', { shots: 1, circuit: [H, H, H, H] }, 'max_gates', '3'],
  ])('too many %s is answered with the limit of its target', async (path, fields, limit, value) => {
    const answer = await service.submit({ ...BELL, target_processor: 'small', ...fields });
    expect(answer.statusCode).toBe(400);
    const [detail] = answer.json().error.details;
    expect(detail).toMatchObject({ path, code: 'CIRCUIT_LIMIT_EXCEEDED' });
    expect(detail.message).toContain(limit);
    expect(detail.message).toContain(value);
  });

  test('exactly as much as the limits allow is taken', async () => {
    const body = { ...BELL, target_processor: 'small', shots: 50, circuit: [H, H, H], qubits: 4 };
    expect((await service.submit(body)).statusCode).toBe(201);
  });

  test('more than 2^28 measured bits in all is answered with the number of shots that it may have', async () => {
    const circuit = [{ gate: 'M', qubits: [0], bits: [999] }];
    const most = Math.floor(2 ** 28 / 1000);
    expect((await service.submit({ ...BELL, circuit, shots: most })).statusCode).toBe(201);
    const answer = await service.submit({ ...BELL, circuit, shots: most + 1 });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toMatchObject([
      { path: 'shots', message: expect.stringContaining(String(most)) },
    ]);
  });

  test('faults of form and of meaning lists them together', async () => {
    const body = {
      ...BELL,
      shot: 1,
      seed: 'x',
      target_processor: 'abacus',
      circuit: [{ gate: 'NOPE' }, { gate: 'CX', control: 1, target: 1 }],
      return: ['expectation'],
    };
    const { error } = (await service.submit(body)).json();
    expect(error.details.map(({ path }: { path: string }) => path).sort()).toEqual([
      'circuit[0].gate',
      'circuit[1].target',
      'observables',
      'seed',
      'shot',
      'target_processor',
    ]);
    expect(error.message).toMatch(/^The request has 6 faults; the first: /);
  });

  test.each([
    ['form', { gate: 'H', qubit: 'x' }],
    ['meaning', { gate: 'NOPE' }],
  ])('hundreds of faults of %s lists twenty', async (_kind, object) => {
    const answer = await service.submit({ ...BELL, circuit: new Array(300).fill(object) });
    expect(answer.json().error.details).toHaveLength(20);
  });

  test('several faults in its text lists them with their lines, beside others', async () => {
    const qasm =
      'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q;\nhh q[0];\nx q[5];\ncx q[0] q[1];';
    const answer = await service.submit({ qasm, target_processor: 'statevector-sim', shots: 0 });
    const { details } = answer.json().error;
    expect(details.map(({ path }: { path: string }) => path)).toEqual([
      'shots',
      'qasm',
      'qasm',
      'qasm',
    ]);
    for (const [i, line] of [2, 3, 4].entries()) {
      expect(details[1 + i].message).toMatch(new RegExp(`^OpenQASM line ${line}, column `));
    }
  });

  test('a very long unknown name repeats only its beginning', async () => {
    const answer = await service.submit({ ...BELL, ['x'.repeat(10_000)]: 1 });
    expect(answer.statusCode).toBe(400);
    expect(answer.body.length).toBeLessThan(2000);
  });
});

describe('priority', () => {
  test.each([
    ['standard', undefined, 'normal'],
    ['standard', 'low', 'low'],
    ['standard', 'high', 'normal'],
    ['enterprise', 'high', 'high'],
    ['enterprise', undefined, 'normal'],
  ] as const)('of a %s key that asks for %s takes effect as %s', async (tier, asked, effective) => {
    const processor = new FakeProcessor();
    await using own = await openTestService({ processors: [processor] });
    const key = await own.createKey(tier);
    const body = asked === undefined ? BELL : { ...BELL, priority: asked };
    const { data } = (await own.submit(body, { 'x-api-key': key })).json();
    expect(data.priority).toBe(effective);
    expect(processor.tasks[0]?.priority).toBe(effective);
  });
});

describe('the processor', () => {
  test.each(['standard', 'enterprise'] as const)(
    'gets the key of a circuit and that its tier is %s',
    async (tier) => {
      const processor = new FakeProcessor();
      await using own = await openTestService({ processors: [processor] });
      const key = await own.createKey(tier);
      await own.submit(BELL, { 'x-api-key': key });
      expect(processor.tasks).toMatchObject([{ keyId: parseKeyText(key)?.id, tier }]);
    },
  );
});

describe('inputs', () => {
  const qasm =
    'OPENQASM 3.0; include "stdgates.inc"; input float t; qubit q; bit c; rx(t) q; c = measure q;';
  const body = { qasm, target_processor: 'statevector-sim', shots: 10 };

  test('bind the input declarations of an OpenQASM 3 text', async () => {
    const answer = await service.submit({ ...body, inputs: { t: Math.PI } });
    expect(answer.statusCode).toBe(201);
  });

  test('take the place of angles of gate objects', async () => {
    const theta = { input: 't', scale: 2, offset: 0.5 };
    const circuit = [{ gate: 'RX', qubit: 0, theta }];
    const request = { target_processor: 'statevector-sim', shots: 1, return: ['statevector'] };
    const named = await service.submit({ ...request, circuit, inputs: { t: 0.3 } });
    const plain = [{ gate: 'RX', qubit: 0, theta: 2 * 0.3 + 0.5 }];
    const written = await service.submit({ ...request, circuit: plain });
    expect(named.statusCode).toBe(201);
    expect(named.json().data.statevector).toEqual(written.json().data.statevector);
  });

  const RX_T = [{ gate: 'RX', qubit: 0, theta: { input: 't' } }];
  test.each([
    ['a value missing', { qasm }, 'inputs.t'],
    ['a value that is no number', { qasm, inputs: { t: 'x' } }, 'inputs.t'],
    ['a value that no angle names', { circuit: RX_T, inputs: { t: 1, u: 2 } }, 'inputs.u'],
    ['a value of an angle missing', { circuit: RX_T, inputs: {} }, 'inputs.t'],
    ['no values for an angle', { circuit: RX_T }, 'circuit[0].theta'],
    ['a boolean for an angle', { circuit: RX_T, inputs: { t: true } }, 'inputs.t'],
    ['a list for an angle', { circuit: RX_T, inputs: { t: [1, 2] } }, 'inputs.t'],
    [
      'an unknown field',
      { circuit: [{ gate: 'RX', qubit: 0, theta: { input: 't', factor: 2 } }], inputs: { t: 1 } },
      'circuit[0].theta.factor',
    ],
    [
      'a scale that is no number',
      { circuit: [{ gate: 'RX', qubit: 0, theta: { input: 't', scale: '2' } }], inputs: { t: 1 } },
      'circuit[0].theta.scale',
    ],
  ])('with %s are a fault with its path', async (_, parts, path) => {
    const answer = await service.submit({
      target_processor: 'statevector-sim',
      shots: 10,
      ...parts,
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toContainEqual(expect.objectContaining({ path }));
  });
});
