// @needs processes
/** The client while the service is killed and started again: a wait goes on, and ends with the job's result. */
import { expect, test } from 'vitest';
import { QcsClient } from '../../../src/client/client.ts';
import { eventually } from '../../support/eventually.ts';
import { lastingCircuit } from '../../support/lasting-circuit.ts';
import { startServiceProcess, temporaryFolder } from '../../support/service-process.ts';

const SETTINGS = { QCS_ENGINE: 'cpu', QCS_RATE_LIMIT_STANDARD: '100000' };

test('a wait goes on through a kill -9 of the service, and ends with the result', async () => {
  using folder = temporaryFolder();
  let service = await startServiceProcess(folder.path, SETTINGS);
  const { origin, key = '' } = service;
  try {
    const client = new QcsClient({ baseUrl: origin, key });
    // Takes seconds: it is killed in the middle, and begins again.
    const circuit = [...lastingCircuit(22, 40), { gate: 'M', qubits: [0, 1] }] as const;
    const { circuit_id } = await client.circuits.submit({
      circuit: [...circuit],
      target_processor: 'statevector-sim',
      shots: 100,
      seed: 3,
    });
    const seen: string[] = [];
    let numReconnects = 0;
    const waiting = client.circuits.wait(circuit_id, {
      onProgress: ({ status }) => seen.push(status),
      onReconnect: () => numReconnects++,
    });
    await eventually(() => seen.includes('running'));
    await service.stop('SIGKILL');
    service = await startServiceProcess(folder.path, {
      ...SETTINGS,
      QCS_PORT: new URL(origin).port,
    });
    const record = await waiting;
    expect(record).toMatchObject({ circuit_id, status: 'completed' });
    expect(Object.values(record.counts ?? {}).reduce((sum, count) => sum + count, 0)).toBe(100);
    expect(numReconnects).toBeGreaterThan(0);
    expect(seen.at(-1)).toBe('completed');
  } finally {
    await service.stop('SIGTERM');
  }
});
