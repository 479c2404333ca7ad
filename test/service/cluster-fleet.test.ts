/** What callers see of a cluster's fleet, through a node that takes requests only. */
import { describe, expect, test } from 'vitest';
import { ClusterFleet } from '../../src/cluster/cluster-fleet.ts';
import type { NodeStatus } from '../../src/cluster/node-status.ts';
import { FakePeers, fakeNode } from '../support/fake-peers.ts';
import { FakeDevices } from './support/fake-devices.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { openTestService, type TestService } from './support/test-service.ts';

const DEVICES = '/quantum/processors/gpu-fleet/devices';

const simulator = (maxQubits: number) => new FakeProcessor({ maxQubits });
const gpus = (physicalGpus: number) =>
  new FakeProcessor({
    id: 'gpu-fleet',
    family: 'gpu-fleet',
    execution: physicalGpus > 0 ? 'webgpu' : 'cpu-fallback',
    physicalGpus,
    adapters: Array.from({ length: physicalGpus }, () => ({ name: 'Card', isSoftware: false })),
  });

const worker = (name: string, fleetNodes: readonly number[], isUp = true) =>
  fakeNode(name, { fleetNodes, processors: [simulator(30), gpus(8)], role: 'worker', isUp });

/** A node `api` that can run 10 qubits and runs none. */
async function open(nodes: readonly NodeStatus[]) {
  const own = { processors: [simulator(10), gpus(0)], devices: new FakeDevices([]) };
  const cluster = new ClusterFleet({
    ...own,
    peers: new FakePeers(nodes, 'api', 'api'),
    silentAfterMs: 2500,
    numThreads: 2,
    queueLimit: 10,
    waitingInDatabase: () => ({ count: 3, costMs: 400 }),
  });
  const directory = {
    processors: own.processors,
    get: (id: string) => own.processors.find(({ spec }) => spec.id === id),
  };
  const service = await openTestService({
    processors: own.processors,
    fleet: cluster,
    devices: cluster.devices,
    own: { fleet: directory, devices: own.devices },
  });
  return { service, cluster, own };
}

async function asAdmin(service: TestService, method: 'GET' | 'POST', url: string, body?: object) {
  const key = await service.createKey('standard', ['admin']);
  const headers = { 'x-api-key': key };
  return service.request({ method, url, headers, ...(body && { payload: body }) });
}

const gates = (numQubits: number) => ({
  circuit: Array.from({ length: numQubits }, (_, qubit) => ({ gate: 'H', qubit })),
  target_processor: 'statevector-sim',
  shots: 10,
});

describe('devices of a cluster', () => {
  test('are listed from all nodes', async () => {
    const { service } = await open([worker('one', [0]), worker('two', [1], false)]);
    await using _ = service;
    const { data } = (await service.get(DEVICES)).json();
    expect(data.devices).toHaveLength(48);
    expect(data.devices[3]).toMatchObject({ node: 'node-0', served_by: 'one', available: true });
    expect(data.devices[11]).toMatchObject({
      served_by: 'two',
      available: false,
      reason: 'Node two was not heard of since 2026-11-28T04:00:00.000Z.',
    });
    expect(data.devices[40]).toMatchObject({
      available: false,
      reason: 'No node of the cluster serves node-5.',
      backing: { kind: 'none', name: 'none', software: false, shared_by: 0 },
      memory_bytes: 0,
    });
    expect(data.devices[40]).not.toHaveProperty('served_by');
    expect(data.summary).toMatchObject({
      total: 48,
      available: 8,
      quarantined: 8,
      unserved: 32,
      in_maintenance: 0,
    });
    const backings = data.summary.backings.map(({ kind }: { kind: string }) => kind);
    expect(backings).toEqual(['adapter']);
  });

  test('are taken out of service at any node', async () => {
    const { service } = await open([worker('one', [0])]);
    await using _ = service;
    const url = '/admin/fleet/devices/gpu-05/maintenance';
    const began = await asAdmin(service, 'POST', url, { enabled: true, reason: 'new fans' });
    expect(began.json().data).toMatchObject({
      id: 'gpu-05',
      served_by: 'one',
      available: false,
      reason: 'In maintenance: new fans',
    });
    const stored = await service.deps.maintenance.list();
    expect(stored).toMatchObject([{ kind: 'device', id: 'gpu-05', reason: 'new fans' }]);
  });

  test('are not in the metrics of a node that serves none', async () => {
    const { service } = await open([worker('one', [0])]);
    await using _ = service;
    const headers = { 'x-api-key': await service.createKey('standard', ['admin']) };
    const { body } = await service.app.inject({ url: '/metrics', headers });
    expect(body).toContain('qcs_fleet_devices{state="available"} 0');
    expect(body).toContain('qcs_processor_physical_gpus{processor="gpu-fleet"} 0');
  });
});

describe('processors of a cluster', () => {
  test('are estimated by nodes that run what this one does not', async () => {
    const { service } = await open([worker('one', [0]), worker('two', [1])]);
    await using _ = service;
    const answer = await service.request({
      method: 'POST',
      url: '/quantum/estimate',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(gates(12)),
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.json().data).toMatchObject({
      processor: 'statevector-sim',
      memory_bytes: 16 * 2 ** 12,
      run_ms: expect.any(Number),
      queue_depth: expect.any(Number),
      expected_start_at: expect.any(String),
    });
  });

  test('have the widths, GPUs and load of all nodes', async () => {
    const { service } = await open([worker('one', [0]), worker('two', [1])]);
    await using _ = service;
    const { data } = (await service.get('/quantum/processors')).json();
    expect(data.processors[0]).toMatchObject({
      id: 'statevector-sim',
      available: true,
      qubits: 30,
      max_qubits: 30,
      queue_depth: 3,
      expected_wait_ms: 12 + 100,
    });
    expect(data.processors[1]).toMatchObject({
      id: 'gpu-fleet',
      execution: 'webgpu',
      physical_gpus: 16,
      devices: { total: 48, available: 16, unserved: 32 },
    });
  });

  test('take circuits that are wider than this node is', async () => {
    const { service, own } = await open([worker('one', [0])]);
    await using _ = service;
    const taken = await service.submit(gates(26));
    expect(taken.statusCode).toBe(201);
    expect(own.processors[0]?.tasks).toHaveLength(1);
    const refused = await service.submit(gates(31));
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error.message).toMatch(/31 qubits/);
  });

  test('answer 503 while no node runs jobs', async () => {
    const { service } = await open([worker('one', [0], false)]);
    await using _ = service;
    const refused = await service.submit(gates(26));
    expect(refused.statusCode).toBe(503);
    expect(refused.json().error.message).toMatch('No node of the cluster that runs jobs is up.');
  });
});
