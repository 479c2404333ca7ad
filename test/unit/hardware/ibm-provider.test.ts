/** IBM's interface as a provider, against a mock of it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { IbmProvider } from '../../../src/hardware/ibm-provider.ts';
import { countsByLabel } from '../../support/engine-runs.ts';
import { API_KEY, BACKEND, INSTANCE, MockIbm } from '../../support/mock-ibm.ts';

const never = new AbortController().signal;
let mock: MockIbm;
beforeEach(async () => {
  mock = await MockIbm.open();
});
afterEach(() => mock[Symbol.asyncDispose]());

const open = (changes: Partial<ConstructorParameters<typeof IbmProvider>[0]> = {}) =>
  new IbmProvider({
    baseUrl: `${mock.origin}/api/v1`,
    iamUrl: mock.origin,
    apiKey: API_KEY,
    instance: INSTANCE,
    backend: BACKEND,
    timeoutMs: 60_000,
    now: () => 1_800_000_000_000,
    ...changes,
  });

/** X on the device's qubit 4, measured into bit 2 of 3; qubits 2 and 3 into the others. */
const QASM = `OPENQASM 3.0;
include "stdgates.inc";
bit[3] c;
x $4;
c[2] = measure $4;
c[0] = measure $2;
c[1] = measure $3;
`;

describe('describe', () => {
  test('gives working couplers, native gates without fractional ones, limits and queue', async () => {
    const found = await open().describe(never);
    expect(found).toMatchObject({
      name: BACKEND,
      basis: 'measured',
      source: 'IBM Quantum, backend ibm_mock (Eagle 3).',
      maxShots: 100_000,
      queueDepth: 7,
      device: {
        numQubits: 5,
        isSymmetric: false,
        nativeGates: ['ECR', 'ID', 'RZ', 'SX', 'X'],
        abilities: { midCircuitMeasurement: true, reset: true, condition: true },
        // The coupler whose gate error is 1 is left out.
        couplers: [
          [2, 1],
          [2, 3],
          [4, 3],
        ],
        errors: { couplers: [0.007, 0.007, 0.007] },
      },
    });
    expect(found.reason).toBeUndefined();
  });

  test.each([
    [{ n_qubits: 1e9, basis_gates: [] }, 'n_qubits'],
    [{ n_qubits: 2, basis_gates: [], coupling_map: [[1, 2]] }, 'coupling_map'],
  ])('refuses the configuration %j, which no device has', async (body, place) => {
    mock.instead.set(`/backends/${BACKEND}/configuration`, [{ status: 200, body }]);
    await expect(open().describe(never)).rejects.toThrow(
      `IBM Quantum answered with JSON of another shape than expected, at ${place}`,
    );
  });

  test('gives the calibration in microseconds, with the times of measuring and fetching', async () => {
    const { calibration } = await open().describe(never);
    expect(calibration?.fetchedAt).toBe(1_800_000_000_000);
    expect(calibration?.calibratedAt).toBe(Date.parse('2026-02-03T09:05:06Z'));
    expect(calibration?.qubits[1]).toEqual({
      qubit: 1,
      t1Us: 101,
      t2Us: 90,
      readoutError: 0.02,
      gateError: 0.0002,
    });
    expect(calibration?.couplers[1]).toEqual({ qubits: [2, 1], gate: 'ecr', gateError: 0.007 });
  });

  test('says why the backend takes no jobs', async () => {
    mock.state = { ...mock.state, state: false, status: 'maintenance', message: '' };
    expect((await open().describe(never)).reason).toBe('The vendor says: maintenance');
  });

  test('of an unknown backend says what the vendor says', async () => {
    await expect(open({ backend: 'ibm_none' }).describe(never)).rejects.toThrow(
      'IBM Quantum refused the request (HTTP 404): Backend ibm_none not found',
    );
  });

  test('with a wrong key blames the credentials, and shows none of them', async () => {
    const provider = open({ apiKey: 'hunter2' });
    await expect(provider.describe(never)).rejects.toThrow(/identity service of IBM Cloud/);
    await expect(provider.describe(never)).rejects.not.toThrow('hunter2');
  });
});

describe('a job', () => {
  test('comes back with counts in the bits of its register', async () => {
    const provider = open();
    const id = await provider.submit({ circuits: [QASM], shots: 50, tag: 'circ_1' }, never);
    expect(await provider.poll(id, never)).toEqual({
      status: 'completed',
      queueMs: 2000,
      executionMs: 500,
    });
    const counts = await provider.counts(id, [3], never);
    expect(counts.map(countsByLabel)).toEqual([new Map([['100', 50]])]);
  });

  test('of several circuits has a PUB for each, and comes back with counts of each', async () => {
    const provider = open();
    const other = QASM.replace('x $4;', '');
    const id = await provider.submit({ circuits: [QASM, other], shots: 5, tag: 'b1' }, never);
    expect(mock.jobs.map(({ circuits }) => circuits.length)).toEqual([2]);
    const counts = await provider.counts(id, [3, 3], never);
    expect(counts.map(countsByLabel)).toEqual([new Map([['100', 5]]), new Map([['000', 5]])]);
    await expect(provider.counts(id, [3], never)).rejects.toThrow(
      'it has results of 2 circuits instead of 1',
    );
  });

  test('that waits has the position that the vendor tells', async () => {
    mock.isHolding = true;
    const provider = open();
    const id = await provider.submit({ circuits: [QASM], shots: 1, tag: 'circ_1' }, never);
    expect(await provider.poll(id, never)).toEqual({ status: 'queued', position: 3 });
  });

  test('is found by its tag', async () => {
    const provider = open();
    expect(await provider.find('circ_2', never)).toBeUndefined();
    const id = await provider.submit({ circuits: [QASM], shots: 1, tag: 'circ_2' }, never);
    expect(await provider.find('circ_2', never)).toBe(id);
  });

  test('that the backend cannot execute fails with the vendor’s reason', async () => {
    const provider = open();
    const qasm = QASM.replace('x $4;', 'h $4;');
    const id = await provider.submit({ circuits: [qasm], shots: 1, tag: 'circ_3' }, never);
    expect(await provider.poll(id, never)).toEqual({
      status: 'failed',
      reason: expect.stringMatching(/H is no native gate.*\(code 1517\)/),
    });
  });

  test('that fails has a reason without the API key and the instance', async () => {
    const provider = open();
    const id = await provider.submit({ circuits: [QASM], shots: 1, tag: 'circ_6' }, never);
    const state = { status: 'Failed', reason: `${API_KEY} may not use\n${INSTANCE}` };
    mock.instead.set(`/jobs/${id}`, [{ status: 200, body: { state } }]);
    expect(await provider.poll(id, never)).toEqual({ status: 'failed', reason: '… may not use …' });
  });

  test('is cancelled', async () => {
    mock.isHolding = true;
    const provider = open();
    const id = await provider.submit({ circuits: [QASM], shots: 1, tag: 'circ_4' }, never);
    await provider.cancel(id, never);
    expect(await provider.poll(id, never)).toEqual({ status: 'cancelled' });
  });

  test('with a register of another length is refused', async () => {
    const provider = open();
    const id = await provider.submit({ circuits: [QASM], shots: 1, tag: 'circ_5' }, never);
    await expect(provider.counts(id, [4], never)).rejects.toMatchObject({
      code: 'HARDWARE_RESULT_UNUSABLE',
    });
  });
});

test('one token serves many requests, and a new one is fetched when it is not accepted any more', async () => {
  const provider = open();
  await provider.describe(never);
  expect(mock.numTokens).toBe(1);
  mock.expireTokens();
  await provider.describe(never);
  expect(mock.numTokens).toBe(2);
});

test('a token is renewed before it ends', async () => {
  let now = 1_800_000_000_000;
  const provider = open({ now: () => now });
  await provider.find('a', never);
  now += 3_541_000;
  await provider.find('a', never);
  expect(mock.numTokens).toBe(2);
});
