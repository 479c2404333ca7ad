// @needs processes
/** A real service whose engine a circuit fills with what the compiler keeps of it. */
import { expect, test } from 'vitest';
import { ServiceClient } from '../support/service-client.ts';
import { SMALL_SERVICE, startServiceProcess, temporaryFolder } from '../support/service-process.ts';

/** Gates with angles of their own, of which the compiler keeps some 2.7 KB each: 400 MB in all, more than the thread may use. */
const LONG_CIRCUIT = Array.from({ length: 150_000 }, (_, i) => {
  const qubit = (5 * i) % 12;
  const theta = Number(((0.7 * i) % 3).toFixed(3));
  return i % 2 === 0
    ? { gate: 'U', qubit, theta, phi: 1, lambda: 2 }
    : { gate: 'RXX', qubits: [qubit, (qubit + 1 + (i % 11)) % 12], theta };
});

test('a circuit that fills the heap of its engine fails, and the same process runs others', async () => {
  using folder = temporaryFolder();
  const service = await startServiceProcess(folder.path, {
    ...SMALL_SERVICE,
    QCS_ENGINE_HEAP_MIB: '128',
  });
  const client = new ServiceClient(service.origin, service.key ?? '');
  const submit = (circuit: readonly object[]) =>
    client.request('POST', '/quantum/circuits', {
      body: { circuit, target_processor: 'statevector-sim', shots: 1 },
    });

  const long = await submit(LONG_CIRCUIT);
  expect([long.status, JSON.parse(long.text).error]).toMatchObject([
    400,
    {
      code: 'BAD_REQUEST',
      message: expect.stringContaining('more memory than a worker may use'),
      details: [{ code: 'FLEET_CIRCUIT_MEMORY' }],
    },
  ]);
  const location = long.headers.get('location') ?? '';
  expect(await client.record(location)).toMatchObject({ status: 'failed' });
  // The thread was replaced.
  expect((await submit([{ gate: 'X', qubit: 0 }])).data).toMatchObject({ counts: { 1: 1 } });
  expect(await service.stop('SIGTERM')).toBe(0);
});
