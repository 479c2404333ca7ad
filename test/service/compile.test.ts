/** POST /quantum/compile: the circuit as the compiler leaves it, without running it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
    const gates = answer.json().data.circuit.map(({ gate }: { gate: string }) => gate);
    expect(gates).toHaveLength(3);
    expect(gates.at(-1)).toBe('M');
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

  test('keeps what only the state shows when the state is what is wanted', async () => {
    const circuit = [H, { gate: 'T', qubit: 0 }];
    const forCounts = (await compile({ circuit })).json().data.compilation.gates.after;
    const forState = (await compile({ circuit, return: ['statevector'] })).json().data.compilation
      .gates.after;
    expect(forCounts).toBeLessThanOrEqual(forState);
    expect(forState).toBeGreaterThan(0);
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
    ['an unknown target', { circuit: [H], target_processor: 'abacus' }, 'target_processor'],
    ['a field of no meaning', { circuit: [H], optimise: true }, 'optimise'],
  ])('answers 400 with the path to %s', async (_, body, path) => {
    const answer = await compile(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toContainEqual(expect.objectContaining({ path }));
  });
});
