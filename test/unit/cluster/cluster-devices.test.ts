/** The 48 devices of a cluster, from all its nodes. */
import { describe, expect, test } from 'vitest';
import { ClusterDevices } from '../../../src/cluster/cluster-devices.ts';
import { LiveNodes } from '../../../src/cluster/live-nodes.ts';
import type { NodeStatus } from '../../../src/cluster/node-status.ts';
import { devicePlaces, type FleetDevice } from '../../../src/fleet/fleet-device.ts';
import { FakeDevices } from '../../service/support/fake-devices.ts';
import { CLUSTER_NOW, FakePeers, fakeNode } from '../../support/fake-peers.ts';

const SILENT_AFTER_MS = 2500;

function open(nodes: readonly NodeStatus[], ownNodes: readonly number[] = [0]) {
  const peers = new FakePeers(nodes);
  const own = new FakeDevices(ownNodes);
  const live = new LiveNodes(peers, SILENT_AFTER_MS);
  return { peers, own, devices: new ClusterDevices({ own, peers, nodes: live }) };
}

const stateOf = (device: FleetDevice | undefined) => ({
  servedBy: device?.servedBy,
  available: device?.availability.available,
  reason: device?.availability.reason,
});

describe('devices', () => {
  test('are 48, those of each node with its name', () => {
    const { devices } = open([fakeNode('b', { fleetNodes: [1, 5] })]);
    const all = devices.devices();
    expect(all.map(({ id, node, slot }) => ({ id, node, slot }))).toEqual(devicePlaces());
    expect(stateOf(all[0])).toEqual({ servedBy: 'a', available: true, reason: undefined });
    expect(stateOf(all[8])).toEqual({ servedBy: 'b', available: true, reason: undefined });
    expect(stateOf(all[47])).toEqual({ servedBy: 'b', available: true, reason: undefined });
    expect(all[8]?.countedSince).toBe(Date.UTC(2026, 0, 1));
    expect(devices.summary()).toEqual({
      total: 48,
      available: 24,
      inMaintenance: 0,
      quarantined: 0,
      unserved: 24,
      busy: 0,
    });
  });

  test('that no node serves claim no hardware', () => {
    const { devices } = open([]);
    expect(devices.device('gpu-31')).toMatchObject({
      node: 'node-3',
      backing: { kind: 'none', sharedBy: 0 },
      memoryBytes: 0,
      maxQubits: 0,
      availability: {
        available: false,
        reason: 'No node of the cluster serves node-3.',
        checkedAt: CLUSTER_NOW,
      },
    });
    expect(devices.device('gpu-48')).toBeUndefined();
  });

  test('of a silent node are unavailable since it was heard of, and come back with it', () => {
    const busy = new FakeDevices([1]);
    busy.change('gpu-09', { isBusy: true, queueDepth: 3 });
    const seen = { devices: busy, seenAt: CLUSTER_NOW - 2000 };
    const { devices, peers } = open([fakeNode('b', seen)]);
    expect(devices.device('gpu-09')).toMatchObject({ isBusy: true, queueDepth: 3 });
    peers.clock += 501;
    expect(stateOf(devices.device('gpu-09'))).toEqual({
      servedBy: 'b',
      available: false,
      reason: 'Node b was not heard of since 2026-11-28T03:59:58.000Z.',
    });
    expect(devices.device('gpu-09')).toMatchObject({ isBusy: false, queueDepth: 0 });
    expect(devices.summary()).toMatchObject({ available: 8, quarantined: 8, unserved: 32 });
    peers.read([fakeNode('b', { fleetNodes: [1], seenAt: peers.clock })]);
    expect(stateOf(devices.device('gpu-09'))).toMatchObject({ available: true });
  });

  test('of a node that was given up are unavailable at once', () => {
    const { devices } = open([fakeNode('b', { fleetNodes: [1], isUp: false })]);
    expect(stateOf(devices.device('gpu-08'))).toEqual({
      servedBy: 'b',
      available: false,
      reason: 'Node b was not heard of since 2026-11-28T04:00:00.000Z.',
    });
  });

  test('of a node that is drained take no circuits, here and elsewhere', () => {
    const { devices, peers } = open([fakeNode('b', { fleetNodes: [1], isDraining: true })]);
    expect(stateOf(devices.device('gpu-08')).reason).toBe('Node b is being drained.');
    peers.isDraining = true;
    expect(stateOf(devices.device('gpu-00')).reason).toBe('Node a is being drained.');
  });

  test('that another node has taken over are shown as that node has them', () => {
    const { devices } = open([
      fakeNode('old', { fleetNodes: [1, 2], seenAt: CLUSTER_NOW - 9000, isUp: false }),
      fakeNode('older', { fleetNodes: [2], seenAt: CLUSTER_NOW - 99_000, isUp: false }),
      fakeNode('new', { fleetNodes: [1], seenAt: CLUSTER_NOW - 900 }),
    ]);
    expect(stateOf(devices.device('gpu-08'))).toMatchObject({ servedBy: 'new', available: true });
    expect(stateOf(devices.device('gpu-16'))).toMatchObject({ servedBy: 'old', available: false });
  });

  test('of nodes that take requests only do not count', () => {
    const { devices } = open([fakeNode('b', { fleetNodes: [1], role: 'api' })]);
    expect(stateOf(devices.device('gpu-08')).servedBy).toBeUndefined();
  });
});

describe('maintenance', () => {
  test('of a device here takes effect here', () => {
    const { devices, own } = open([]);
    devices.setMaintenance('gpu-02', { reason: 'new fans' });
    expect(own.device('gpu-02')?.maintenance).toEqual({ reason: 'new fans' });
    expect(devices.device('gpu-02')).toMatchObject({ servedBy: 'a', maintenance: {} });
    devices.setMaintenance('gpu-02', undefined);
    expect(own.device('gpu-02')?.availability.available).toBe(true);
  });

  test.each([
    ['of another node', [fakeNode('b', { fleetNodes: [1] })]],
    ['of a node that is away', [fakeNode('b', { fleetNodes: [1], isUp: false })]],
    ['that no node serves', []],
  ])('of a device %s is shown as ordered', (_, nodes) => {
    const { devices } = open(nodes);
    devices.setMaintenance('gpu-09', { reason: 'new fans' });
    expect(devices.device('gpu-09')).toMatchObject({
      maintenance: { reason: 'new fans' },
      availability: { available: false, reason: 'In maintenance: new fans' },
    });
    expect(devices.summary()).toMatchObject({ total: 48, inMaintenance: 1 });
  });

  test('that has ended is over once the node has reported it', () => {
    const away = new FakeDevices([1]);
    away.setMaintenance('gpu-09', { reason: 'new fans' });
    const { devices, peers } = open([fakeNode('b', { devices: away })]);
    expect(devices.device('gpu-09')?.maintenance).toEqual({ reason: 'new fans' });
    devices.setMaintenance('gpu-09', { reason: 'new fans' });
    peers.clock += 300;
    devices.setMaintenance('gpu-09', undefined);
    expect(devices.device('gpu-09')?.maintenance).toBeUndefined();
    expect(stateOf(devices.device('gpu-09'))).toMatchObject({
      available: false,
      reason: 'Maintenance has ended; node b has not reported the device since.',
    });
    peers.read([fakeNode('b', { fleetNodes: [1], seenAt: CLUSTER_NOW + 400 })]);
    expect(stateOf(devices.device('gpu-09'))).toMatchObject({ available: true });
  });

  test('that its node keeps up is shown, whatever this node has heard', () => {
    const away = new FakeDevices([1]);
    away.setMaintenance('gpu-09', { reason: 'new fans' });
    const { devices, peers } = open([]);
    devices.setMaintenance('gpu-09', { reason: 'new fans' });
    devices.setMaintenance('gpu-09', undefined);
    peers.clock += 1000;
    peers.read([fakeNode('b', { devices: away, seenAt: peers.clock })]);
    expect(devices.device('gpu-09')?.maintenance).toEqual({ reason: 'new fans' });
  });
});
