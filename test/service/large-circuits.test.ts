// @needs processes
/** Circuits and results that are too large to be read or written between two requests. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CircuitJobs } from '../../src/service/circuits/circuit-jobs.ts';
import { readCircuit } from '../../src/service/circuits/read-circuit.ts';
import { circuitResultJson } from '../../src/service/circuits/result-json.ts';
import { ResultThread } from '../../src/service/circuits/result-thread.ts';
import { targetsOf } from '../../src/service/circuits/targets.ts';
import type { ApiKey } from '../../src/service/http/api-key.ts';
import { LARGE_BODY_BYTES } from '../../src/service/http/json-body.ts';
import { FakeProcessor, zeroResult } from './support/fake-processor.ts';
import { openReaderProcesses } from './support/test-readers.ts';
import { directory, openTestService, type TestService } from './support/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService({ readers: openReaderProcesses() });
});
afterAll(() => service[Symbol.asyncDispose]());

const H = { gate: 'H', qubit: 0 };
const U = { gate: 'U', qubit: 0, theta: Math.SQRT1_2, phi: Math.LN2, lambda: -Math.SQRT1_2 };
/** With U, past the size from which bodies are read in processes of their own. */
const NUM_GATES = 900;
const large = (...last: readonly object[]) => ({
  circuit: [...new Array(NUM_GATES).fill(U), ...last],
  target_processor: 'statevector-sim',
  shots: 7,
  seed: 3,
});

test('the bodies of these tests are large', () => {
  expect(JSON.stringify(large()).length).toBeGreaterThan(LARGE_BODY_BYTES);
});

describe('a large body', () => {
  test('is answered as a small one is', async () => {
    const answer = await service.submit(large({ gate: 'M', qubits: [0], bits: [2] }));
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({
      data: {
        status: 'completed',
        qubits: 1,
        shots: 7,
        seed: 3,
        counts: { '000': 7 },
        measured_qubits: [null, null, 0],
        compilation: { gates: { before: NUM_GATES + 1 } },
      },
    });
  });

  test('is answered with every fault and its path', async () => {
    const answer = await service.submit({
      ...large({ gate: 'RX', qubit: 0 }, { gate: 'H', qubt: 1 }, { gate: 'X', qubit: -1 }),
      shot: 1,
    });
    expect(answer.statusCode).toBe(400);
    const paths = answer.json().error.details.map(({ path }: { path: string }) => path);
    expect(paths).toContain(`circuit[${NUM_GATES}].theta`);
    expect(paths).toContain(`circuit[${NUM_GATES + 1}].qubt`);
    expect(paths).toContain(`circuit[${NUM_GATES + 2}].qubit`);
    expect(paths).toContain('shot');
  });

  test.each([
    ['is no JSON', `${JSON.stringify(large()).slice(0, -1)},`, 'SERVICE_BODY_MALFORMED'],
    ['is nested too deeply', '['.repeat(100_000), 'SERVICE_BODY_MALFORMED'],
    ['is no object', JSON.stringify(large().circuit), 'SERVICE_REQUEST_INVALID'],
  ])('that %s is refused', async (_, payload, code) => {
    const answer = await service.request({
      method: 'POST',
      url: '/quantum/circuits',
      headers: { 'content-type': 'application/json' },
      payload,
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details[0].code).toBe(code);
  });

  test('stands for the same request as its repeat under an idempotency key', async () => {
    const headers = { 'idempotency-key': 'large' };
    const first = await service.submit(large(), headers);
    const repeat = await service.submit(large(), headers);
    const other = await service.submit(large(H), headers);
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    expect(repeat.json().data.circuit_id).toBe(first.json().data.circuit_id);
    expect(other.statusCode).toBe(400);
  });
});

describe('a job of a circuit', () => {
  const fleet = directory([new FakeProcessor()]);
  const newcomer = { id: 'circ_x', key: { id: 'key_1' } as ApiKey, seed: 1 };
  const read = (value: unknown) => readCircuit(value, targetsOf(fleet));
  const jobs = () => {
    throw new Error('unreachable: a circuit asks for no job');
  };
  const open = () => {
    const readers = openReaderProcesses();
    const circuits = new CircuitJobs({ fleet, readers, jobs, now: Date.now });
    return { circuits, close: () => Promise.all([readers.close(), circuits.close()]) };
  };
  const stored = (request: string) => ({ id: 'circ_x', keyId: 'key_1', request });
  const { signal } = new AbortController();

  test('has its circuit read from the store where it was not just submitted', async () => {
    const { circuits, close } = open();
    for (const numGates of [1, NUM_GATES]) {
      const body = { ...large(), circuit: new Array(numGates).fill(U) };
      const text = `{"facts":{},"body":${JSON.stringify(body)}}`;
      expect(await circuits.programsOf(stored(text), signal)).toMatchObject({
        target: 'statevector-sim',
        numBits: 1,
        circuit: { numQubits: 1 },
      });
    }
    await close();
  });

  test('has the submitted circuit once', async () => {
    const { circuits, close } = open();
    const submission = read({ ...large(), circuit: [H] });
    const { bodyJson: _, ...kept } = submission;
    circuits.admit(submission, newcomer);
    expect(await circuits.programsOf(stored('never read'), signal)).toEqual(kept);
    await expect(circuits.programsOf(stored('no JSON'), signal)).rejects.toThrow();
    await close();
  });

  test('writes a large result as it would a small one', async () => {
    const { circuits, close } = open();
    const value = { ...large(), circuit: [{ gate: 'H', qubit: 15 }] };
    const checked = { ...read(value), seed: 1 };
    const { circuit } = checked;
    const task = { circuit, request: { shots: 1, seed: 1 } };
    const result = zeroResult(task);
    const counts = {
      numBits: 16,
      wordsPerOutcome: 1,
      outcomes: Uint32Array.from({ length: 60_000 }, (_, i) => i),
      occurrences: new Uint32Array(60_000).fill(2),
    };
    const long = { ...result, outputs: { ...result.outputs, countsByRow: [counts] } };
    const expected = circuitResultJson(checked, long);
    expect(await circuits.writeResult(checked, long)).toBe(expected);
    await close();
  });

  test('says that the thread of results ended, and starts another', async () => {
    const crashing = new URL('../support/crashing-thread.ts', import.meta.url);
    const thread = new ResultThread(crashing);
    const layout = {
      numBits: 1,
      measuredQubits: [0],
      outputs: [],
      numRequested: 0,
      basisStates: [],
      results: [],
      warnings: [],
      method: 'statevector',
      methodReason: 'One state.',
      labelFormat: 'automatic',
      shotFormat: 'b8',
      seed: 1,
    } as const;
    const write = () => {
      const circuit = { numQubits: 1, numBits: 1, operations: [] };
      const result = zeroResult({ circuit, request: { shots: 1, seed: 1 } });
      return thread.write(layout, result, { samples: [] });
    };
    const lost = { code: 'SERVICE_RESULT_THREAD_LOST' };
    await expect(write()).rejects.toMatchObject(lost);
    await expect(write()).rejects.toMatchObject(lost);
    await thread.close();
    await expect(write()).rejects.toMatchObject(lost);
  });
});

test('a short program that loops for long is read elsewhere, and holds nothing up', async () => {
  const qasm = `OPENQASM 3.0; qubit q; int i = 0; for int j in [1:100000] { i = i + 1; } U(i, 0, 0) q;`;
  const { readers } = service.deps;
  const { promise: end, resolve: goOn } = Promise.withResolvers<void>();
  const reading = Promise.withResolvers<void>();
  const run = readers.run.bind(readers);
  const names: string[] = [];
  const spied = vi.spyOn(readers, 'run').mockImplementation(async (...work) => {
    names.push(work[0]);
    reading.resolve();
    await end;
    return await run(...work);
  });
  const answer = service.submit({ qasm, target_processor: 'statevector-sim', shots: 1 });
  await Promise.race([reading.promise, answer]);
  expect(names).toEqual(['circuit']);
  expect((await service.get('/status')).statusCode).toBe(200);
  goOn();
  expect([201, 400]).toContain((await answer).statusCode);
  spied.mockRestore();
});

test('a short program of few steps is read at once', async () => {
  const spied = vi.spyOn(service.deps.readers, 'run');
  const qasm = 'OPENQASM 3.0; qubit[2] q; for int j in [0:1] { U(j, 0, 0) q[j]; }';
  const answer = await service.submit({ qasm, target_processor: 'statevector-sim', shots: 1 });
  expect(answer.statusCode).toBe(201);
  expect(spied).not.toHaveBeenCalled();
  spied.mockRestore();
});
