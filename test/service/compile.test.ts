/** POST /quantum/compile: the circuit as the compiler leaves it, without running it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { circuitFromGateObjects } from '../../src/circuit/gate-objects.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { circuitBody } from '../../src/service/circuits/circuit-schema.ts';
import { compileBody } from '../../src/service/circuits/compile-schema.ts';
import { statevectorOf, worstAmplitude } from '../support/engine-runs.ts';
import { openTestService, type TestService } from './support/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

const compile = (body: object) =>
  service.request({
    method: 'POST',
    url: '/quantum/compile',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ target_processor: 'statevector-sim', ...body }),
  });

const H = { gate: 'H', qubit: 0 };
const CX = { gate: 'CX', control: 0, target: 1 };

describe('POST /quantum/compile', () => {
  test('answers 200 with the circuit and what the passes saved', async () => {
    const answer = await compile({ circuit: [H, H, H, CX] });
    expect(answer.statusCode).toBe(200);
    expect(answer.json().data).toMatchObject({
      processor: 'statevector-sim',
      qubits: 2,
      format: 'json',
      compilation: { gates: { before: 4, after: 2 }, two_qubit_gates: { before: 1, after: 1 } },
    });
    expect(answer.json().data.circuit).toHaveLength(2);
  });

  test('twirls two-qubit gates by a seed, and refuses what is no seed', async () => {
    const twirledBy = async (twirl: unknown) => {
      const answer = await compile({ circuit: [H, CX], twirl });
      return [
        answer.statusCode,
        answer.json().data?.circuit ?? answer.json().error.details[0].path,
      ];
    };
    const seeds = await Promise.all([0, 1, 2, 3, 4].map((seed) => twirledBy({ seed })));
    expect(new Set(seeds.map((each) => JSON.stringify(each))).size).toBeGreaterThan(2);
    expect(await twirledBy({ seed: 3 })).toEqual(seeds[3]);
    expect(await twirledBy({ seed: -1 })).toEqual([400, 'twirl.seed']);
    expect(await twirledBy(true)).toEqual([400, 'twirl']);
  });

  test.each([
    ['qasm2', 'OPENQASM 2.0;'],
    ['qasm3', 'OPENQASM 3.0;'],
  ])('writes %s that the service itself reads', async (format, header) => {
    const { qasm } = (await compile({ circuit: [H, CX], format })).json().data;
    expect(qasm).toContain(header);
    const again = await service.submit({ qasm, target_processor: 'statevector-sim', shots: 5 });
    expect(again.statusCode).toBe(201);
    expect(again.json().data.qubits).toBe(2);
  });

  test.each([
    [
      {
        circuit: [
          H,
          { gate: 'NOISE', qubits: [0], channel: { type: 'bit_flip', probability: 0.1 } },
        ],
      },
    ],
    [{ qasm: 'OPENQASM 3.0; qubit q; U(1, 2, 3) q;\n#pragma braket noise bit_flip(0.1) q\n' }],
  ])('refuses a circuit with noise: %j', async (source) => {
    const answer = await compile(source);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.message).toContain('The circuit has noise');
  });

  test('keeps the gates of a verbatim box as they were written', async () => {
    const twice = 'rx(0.25) $0;\nrx(0.5) $0;\ncz $0, $1;\ncz $0, $1;\n';
    const qasm = `OPENQASM 3.0;\n${twice}#pragma braket verbatim\nbox {\n${twice}}\n${twice}`;
    const { data } = (await compile({ qasm })).json();
    const rx = (theta: number) => ({ gate: 'RX', qubit: 0, theta });
    const cz = { gate: 'CZ', control: 0, target: 1 };
    // Outside the box a pair of rotations is one, and a pair of CZ none.
    expect(data.circuit).toEqual([rx(0.75), rx(0.25), rx(0.5), cz, cz, rx(0.75)]);
    const answer = await service.submit({ qasm, target_processor: 'statevector-sim', shots: 5 });
    expect(answer.statusCode).toBe(201);
  });

  test('says what of a program is ignored', async () => {
    const qasm = 'qubit q;\nh q;\n@reversible\nx q;\n#pragma braket result state_vector';
    const { data } = (await compile({ qasm })).json();
    expect(data.warnings).toEqual([
      {
        code: 'CIRCUIT_ANNOTATION_IGNORED',
        message: 'OpenQASM line 3: The annotation "@reversible" is ignored.',
        line: 3,
      },
      {
        code: 'CIRCUIT_RESULT_IGNORED',
        message: 'The results that the program asks for are left out: nothing runs.',
      },
    ]);
    expect((await compile({ circuit: [H] })).json().data).not.toHaveProperty('warnings');
  });

  test.each(Object.keys(circuitBody.shape).filter((name) => !(name in compileBody.shape)))(
    'refuses the field %s of a run, which its document does not have either',
    async (name) => {
      const answer = await compile({ circuit: [H], [name]: 1 });
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error.details).toMatchObject([
        { path: name, message: 'There is no such field: nothing runs.' },
      ]);
    },
  );

  test('keeps the state where nothing is measured, and adds no measurement', async () => {
    const circuit = [H, { gate: 'T', qubit: 0 }, H, CX, { gate: 'S', qubit: 1 }];
    const { data } = (await compile({ circuit })).json();
    expect(data.circuit.map(({ gate }: { gate: string }) => gate)).not.toContain('M');
    const limits = { maxQubits: 2, maxGates: 10 };
    const engine = openReferenceEngine({ maxQubits: 2 });
    // Of another length each, should one be missing: then they cannot be compared.
    const [written = new Float64Array(1), compiled = new Float64Array()] = await Promise.all(
      [circuit, data.circuit].map((objects) =>
        statevectorOf(engine, circuitFromGateObjects(objects, { limits, numQubits: 2 })),
      ),
    );
    expect(worstAmplitude(written, compiled)).toBeLessThan(1e-12);
  });

  test('keeps the state of more qubits than could be listed', async () => {
    const answer = await compile({
      circuit: [
        { ...H, qubit: 19 },
        { gate: 'T', qubit: 19 },
      ],
    });
    expect(answer.json().data).toMatchObject({
      qubits: 20,
      compilation: { gates: { before: 2, after: expect.any(Number) } },
    });
    expect(answer.json().data.compilation.gates.after).toBeGreaterThan(0);
  });

  test('drops what the measured bits cannot show', async () => {
    const circuit = [H, { gate: 'T', qubit: 0 }, { gate: 'M', qubits: [0] }];
    const { data } = (await compile({ circuit })).json();
    expect(data.compilation.gates).toEqual({ before: 2, after: 1 });
    expect(data.circuit.map(({ gate }: { gate: string }) => gate).at(-1)).toBe('M');
  });

  test('takes a large body', async () => {
    const circuit = new Array(900).fill({
      gate: 'RX',
      qubit: 0,
      theta: Math.SQRT1_2,
      controls: [1],
    });
    const answer = await compile({ circuit });
    expect(answer.statusCode).toBe(200);
    expect(answer.json().data.compilation.gates.before).toBe(900);
  });

  test.each([
    ['a faulty gate', { circuit: [{ gate: 'RX', qubit: 0 }] }, 'circuit[0].theta'],
    ['an unknown format', { circuit: [H], format: 'pdf' }, 'format'],
    ['shots', { circuit: [H], shots: 5 }, 'shots'],
    ['outputs', { circuit: [H], return: ['statevector'] }, 'return'],
    ['an unknown target', { circuit: [H], target_processor: 'abacus' }, 'target_processor'],
    ['a field of no meaning', { circuit: [H], optimise: true }, 'optimise'],
  ])('answers 400 with the path to %s', async (_, body, path) => {
    const answer = await compile(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toContainEqual(expect.objectContaining({ path }));
  });
});
