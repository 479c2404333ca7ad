/** The fleet of a cluster, whatever its nodes are: 48 devices, each once, and the width of the widest live node. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClusterFleet } from '../../src/cluster/cluster-fleet.ts';
import type { NodeRole } from '../../src/cluster/node-status.ts';
import { devicePlaces } from '../../src/fleet/fleet-device.ts';
import { FakeDevices } from '../service/support/fake-devices.ts';
import { FakeProcessor } from '../service/support/fake-processor.ts';
import { CLUSTER_NOW, FakePeers, fakeNode } from '../support/fake-peers.ts';

const SILENT_AFTER_MS = 2500;

const roles: readonly NodeRole[] = ['all', 'api', 'worker'];

const node = fc.record({
  role: fc.constantFrom(...roles),
  // Of each node of the fleet, whether it serves it; two nodes may claim to.
  fleetNodes: fc.uniqueArray(fc.integer({ min: 0, max: 5 })),
  maxQubits: fc.integer({ min: 10, max: 40 }),
  isWell: fc.boolean(),
  isUp: fc.boolean(),
  isDraining: fc.boolean(),
  silentMs: fc.integer({ min: 0, max: 2 * SILENT_AFTER_MS }),
});
type Node = typeof node extends fc.Arbitrary<infer T> ? T : never;

function processorOf({ maxQubits, isWell }: Node): FakeProcessor {
  const processor = new FakeProcessor({ maxQubits });
  if (!isWell) processor.reason = 'broken';
  return processor;
}

const devicesOf = ({ role, fleetNodes }: Node) => (role === 'api' ? [] : fleetNodes);
const isAlive = ({ isUp, silentMs }: Node) => isUp && silentMs <= SILENT_AFTER_MS;
const takesJobs = ({ role, isDraining }: Node) => role !== 'api' && !isDraining;

function open(own: Node, others: readonly Node[]) {
  const statuses = others.map((other, i) =>
    fakeNode(`other-${i}`, {
      ...other,
      fleetNodes: devicesOf(other),
      processors: [processorOf(other)],
      seenAt: CLUSTER_NOW - other.silentMs,
    }),
  );
  const peers = new FakePeers(statuses, 'own', own.role);
  peers.isDraining = own.isDraining;
  const fleet = new ClusterFleet({
    processors: [processorOf(own)],
    devices: new FakeDevices(devicesOf(own)),
    peers,
    silentAfterMs: SILENT_AFTER_MS,
    numThreads: 2,
    queueLimit: 10,
    waitingInDatabase: () => ({ count: 0, costMs: 0 }),
  });
  const [processor] = fleet.processors;
  if (processor === undefined) throw new Error('unreachable: a fleet without its processor');
  return { fleet, processor };
}

test('the listing has each of the 48 devices once, available where a live node takes jobs for it', () => {
  fc.assert(
    fc.property(node, fc.array(node, { maxLength: 7 }), (own, others) => {
      const { fleet } = open(own, others);
      const devices = fleet.devices.devices();
      expect(devices.map(({ id }) => id)).toEqual(devicePlaces().map(({ id }) => id));
      for (const device of devices) {
        const number = Number(device.node.slice('node-'.length));
        const serves = (each: Node) => devicesOf(each).includes(number);
        // What this node serves, it knows best.
        const isTaken = serves(own)
          ? takesJobs(own)
          : others.some((each) => serves(each) && isAlive(each) && takesJobs(each));
        expect(device.availability.available).toBe(isTaken);
        expect(device.backing.kind === 'none').toBe(![own, ...others].some(serves));
        expect(fleet.devices.device(device.id)).toEqual(device);
      }
      const { total, available, inMaintenance, quarantined, unserved } = fleet.devices.summary();
      expect(total).toBe(48);
      expect(available + inMaintenance + quarantined + (unserved ?? 0)).toBe(total);
    }),
  );
});

test('the width is that of the widest live node that would run a circuit, and it is admitted', () => {
  fc.assert(
    fc.property(node, fc.array(node, { maxLength: 7 }), (own, others) => {
      const { processor, fleet } = open(own, others);
      const would = [own, ...others.filter(isAlive)].filter(
        (each) => takesJobs(each) && each.isWell,
      );
      expect(processor.availability().available).toBe(would.length > 0);
      if (would.length === 0) return;
      const widest = Math.max(...would.map(({ maxQubits }) => maxQubits));
      expect(processor.spec.maxQubits).toBe(widest);
      const size = { numOperations: 1, gateCost: 1, isBranching: false, shots: 1, numReadouts: 0 };
      const run = (numQubits: number) => ({
        id: 'job',
        keyId: 'key',
        methodReason: '',
        work: { ...size, numQubits },
      });
      processor.admit(run(widest));
      expect(() => processor.admit(run(widest + 1))).toThrow(
        expect.objectContaining({ code: 'FLEET_CIRCUIT_TOO_LARGE' }),
      );
      const isHere = takesJobs(own) && own.isWell && own.maxQubits >= widest;
      const limits = fleet.localLimits().get(processor.spec.id);
      expect(limits !== undefined && limits.maxQubits >= widest).toBe(isHere);
    }),
  );
});
