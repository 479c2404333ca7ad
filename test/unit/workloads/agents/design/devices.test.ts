/** The public devices: their shapes are the published ones. */
import { describe, expect, test } from 'vitest';
import { gateSetFaults } from '../../../../../src/circuit/synthesis/gate-set.ts';
import { DEVICE_IDS, DEVICES } from '../../../../../src/compiler/device/public-devices.ts';
import { CouplingMap } from '../../../../../src/compiler/routing/coupling-map.ts';

describe.each([
  ['ibm-fez', 156, 176, 3],
  ['ibm-brisbane', 127, 144, 3],
  ['iqm-garnet', 20, 30, 4],
  ['google-willow', 105, 182, 4],
] as const)('%s', (id, numQubits, numCouplers, maxDegree) => {
  const device = DEVICES[id];
  const map = new CouplingMap(device.numQubits, device.couplers);

  test(`has ${numQubits} qubits and ${numCouplers} couplers, all connected`, () => {
    expect(device.numQubits).toBe(numQubits);
    expect(device.couplers).toHaveLength(numCouplers);
    // None twice, none from a qubit to itself, none past the last qubit.
    expect(map.couplers).toHaveLength(numCouplers);
    expect(device.couplers.every(([a, b]) => a !== b && Math.max(a, b) < numQubits)).toBe(true);
    expect(map.largestPart()).toHaveLength(numQubits);
  });

  test(`has at most ${maxDegree} couplers on a qubit, and native gates that can do anything`, () => {
    expect(Math.max(...map.neighbours.map((others) => others.length))).toBe(maxDegree);
    expect(gateSetFaults(device.nativeGates)).toEqual([]);
  });
});

// A few couplers of each, as the vendors number them.
test.each([
  [
    'ibm-fez',
    [
      [3, 16],
      [16, 23],
      [19, 35],
      [21, 36],
      [36, 41],
      [123, 136],
      [139, 155],
    ],
  ],
  [
    'ibm-brisbane',
    [
      [0, 14],
      [14, 18],
      [17, 30],
      [20, 33],
      [33, 39],
      [96, 109],
      [109, 114],
      [112, 126],
    ],
  ],
  [
    'iqm-garnet',
    [
      [0, 1],
      [0, 3],
      [1, 4],
      [2, 7],
      [13, 17],
      [15, 19],
      [18, 19],
    ],
  ],
] as const)('%s has the couplers of its published map', (id, couplers) => {
  const map = new CouplingMap(DEVICES[id].numQubits, DEVICES[id].couplers);
  for (const [a, b] of couplers) expect([a, b, map.isCoupled(a, b)]).toEqual([a, b, true]);
});

test('a hexagon of the heavy-hex lattices has twelve qubits', () => {
  for (const id of DEVICE_IDS.slice(0, 2)) {
    const map = new CouplingMap(DEVICES[id].numQubits, DEVICES[id].couplers);
    // Without the coupler between two neighbours on a hexagon the way round it takes eleven.
    const [a, b] = [21, 22] as const;
    const others = map.couplers.filter(([x, y]) => x !== a || y !== b);
    expect(new CouplingMap(map.numQubits, others).distance(a, b)).toBe(11);
  }
});
