/** Another instance as a provider, where its answers are odd; answers as they should be are in service/hardware.test.ts. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ServiceProvider } from '../../../src/hardware/service-provider.ts';

const API_KEY = 'qcs_0123456789abcdef_secret';
const OPTIONS = { apiKey: API_KEY, processor: 'p', timeoutMs: 60_000, now: () => 0 };
const never = new AbortController().signal;
const PROCESSOR = {
  name: 'Device',
  available: true,
  max_qubits: 3,
  max_shots: 100,
  queue_depth: 0,
  coupling_map: [
    [0, 1],
    [1, 2],
  ],
  native_gates: ['PRX', 'CZ'],
};

/** `data` of every answer. */
let data: object = {};
let server: Server;
let provider: ServiceProvider;
beforeEach(async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  provider = new ServiceProvider({ ...OPTIONS, baseUrl: `http://127.0.0.1:${port}` });
});
afterEach(async () => {
  provider.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

test.each([
  ['more qubits than any device has', { max_qubits: 1e9 }, 'max_qubits'],
  ['fewer than no qubits', { max_qubits: -3 }, 'max_qubits'],
  ['a coupler of a qubit with itself', { coupling_map: [[1, 1]] }, 'coupling_map'],
  ['a coupler of a qubit that no device has', { coupling_map: [[1, 1e9]] }, 'coupling_map'],
])('a processor with %s is refused', async (_, fields, place) => {
  data = { ...PROCESSOR, ...fields };
  await expect(provider.describe(never)).rejects.toThrow(
    `The other service answered with JSON of another shape than expected, at data.${place}`,
  );
});

test('an instance that does not run is named as one that could not be reached', async () => {
  const stopped = new ServiceProvider({ ...OPTIONS, baseUrl: 'http://127.0.0.1:65535' });
  await expect(stopped.describe(never)).rejects.toThrow('The other service could not be reached');
});

test('qubits that max_qubits leaves out, because they are not connected, count for the device', async () => {
  // Of hardware, whose largest connected part is that of qubits 3 to 5.
  data = {
    ...PROCESSOR,
    coupling_map: [
      [0, 1],
      [3, 4],
      [4, 5],
    ],
  };
  const { device } = await provider.describe(never);
  expect(device.numQubits).toBe(6);
});

test('texts are shown without the key, and on one line', async () => {
  data = {
    ...PROCESSOR,
    available: false,
    name: `Device\n${API_KEY}`,
    reason: `\u0007${API_KEY} has ended`,
    source: API_KEY,
  };
  expect(await provider.describe(never)).toMatchObject({
    name: 'Device …',
    reason: '… has ended',
    source: '…',
  });
  const error = { message: `the key ${API_KEY} has ended` };
  data = { status: 'failed', created_at: '2026-01-01T00:00:00Z', error };
  expect(await provider.poll('batch_1', never)).toEqual({
    status: 'failed',
    reason: 'the key … has ended',
  });
});

test('a count that no number of shots has is refused', async () => {
  data = { programs: [{ counts: [{ '0': 1, '1': 2 ** 32 }] }] };
  await expect(provider.counts('batch_1', [1], never)).rejects.toThrow(
    'at data.programs.0.counts.0.1',
  );
});

test('outcomes of more than 64 bits are hexadecimal', async () => {
  const label = `0x1${'0'.repeat(15)}5`;
  data = { programs: [{ counts: [{ [label]: 7 }] }] };
  const [counts] = await provider.counts('batch_1', [65], never);
  expect([...counts!.outcomes]).toEqual([5, 0, 1]);
  expect([...counts!.occurrences]).toEqual([7]);
  for (const odd of [`0x2${'0'.repeat(16)}`, '0x5']) {
    data = { programs: [{ counts: [{ [odd]: 7 }] }] };
    await expect(provider.counts('batch_1', [65], never)).rejects.toThrow(
      `the outcome ${odd} has not 65 bits`,
    );
  }
});
