/** The design agent's task `route`. */

import { describe, expect, test } from 'vitest';
import { misfits } from '../../../../../src/compiler/device/device.ts';
import { DEVICE_IDS, DEVICES } from '../../../../../src/compiler/device/public-devices.ts';
import { route } from '../../../../../src/workloads/agents/design/design-tasks.ts';
import type { Json, JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';
import { gate } from '../../../../support/random-circuits.ts';

const cx = (control: number, target: number) => ({ gate: 'CX', control, target });
const ghz = (n: number): readonly Json[] => [
  { gate: 'H', qubit: 0 },
  ...Array.from({ length: n - 1 }, (_, i) => cx(i, i + 1)),
];
const line = (n: number) => Array.from({ length: n - 1 }, (_, i) => [i, i + 1]);

const run = async (input: JsonObject) => {
  await using context = openTestContext();
  return await context.run(route, { seed: 1, ...input });
};

describe.each(DEVICE_IDS)('on %s', (device) => {
  test('a GHZ state along a line needs no SWAPs, and is verified', async () => {
    const result = await run({ circuit: ghz(7), device });
    expect(result).toMatchObject({
      swaps_inserted: 0,
      layout_found_by: 'perfect',
      after: { gates: { two_qubit: 6 } },
      verification: { fits_device: true, equivalent: true, method: 'whole_unitary' },
      success_estimate: { basis: 'modelled' },
    });
  });

  test('all pairs of five qubits meet, measured, and it is still the same', async () => {
    const pairs = [0, 1, 2, 3, 4].flatMap((a) =>
      [0, 1, 2, 3, 4]
        .filter((b) => b > a)
        .map((b) => ({ gate: 'CP', control: a, target: b, theta: 0.1 + a + b / 7 })),
    );
    const mixed = [0, 1, 2, 3, 4].map((q) => ({ gate: 'RY', qubit: q, theta: 0.3 + q }));
    const circuit = [...mixed, ...pairs, ...mixed, { gate: 'M', qubits: [4, 2, 0] }];
    const result = await run({ circuit, device, trials: 2 });
    expect(result.swaps_inserted).toBeGreaterThan(0);
    expect(result.verification).toMatchObject({ fits_device: true, equivalent: true });
  });
});

test('the estimate of success is the product over gates, waits and measurements', async () => {
  const circuit = [cx(0, 1), { gate: 'M', qubits: [0, 1] }];
  const { success_estimate: estimate } = await run({ circuit, device: 'ibm-fez' });
  // Two Hadamards by one SX each, whose RZ cost nothing, a CZ, two readouts. Rates are average infidelities.
  const gates = (1 - 1.5 * 2.3e-4) ** 2 * (1 - 1.25 * 3.8e-3) * (1 - 7.6e-3) ** 2;
  const { t1Us = 0, t2Us = 0, durationsNs } = DEVICES['ibm-fez'].times;
  // The control has met the CZ, and waits for the last SX of the other.
  const wait = durationsNs['SX']! / 1000;
  const kept = (1 + 2 * Math.exp(-wait / t2Us) + Math.exp(-wait / t1Us)) / 4;
  expect(estimate).toMatchObject({ one_qubit_gates: 2, two_qubit_gates: 1, measurements: 2 });
  const { probability } = JSON.parse(JSON.stringify(estimate)) as { probability: number };
  expect(probability).toBeCloseTo(gates * kept, 9);
});

test('a measurement in the middle and a condition on it are routed and verified', async () => {
  const circuit = [
    { gate: 'H', qubit: 0 },
    cx(0, 3),
    { gate: 'M', qubits: [0] },
    { gate: 'X', qubit: 2, condition: { bits: [0], value: 1 } },
    { gate: 'CX', control: 2, target: 0, condition: { bits: [0], value: 1 } },
  ];
  const result = await run({ circuit, coupling_map: line(4), layout: 'trivial' });
  expect(result.verification).toMatchObject({ equivalent: true, method: 'outcome_distributions' });
  expect(result.swaps_inserted).toBeGreaterThan(0);
});

test('trivial layouts start where the circuit says, and the final layout says where qubits end', async () => {
  const result = await run({
    circuit: [cx(0, 2)],
    coupling_map: line(3),
    layout: 'trivial',
    native_gates: ['cx', 'u'],
  });
  expect(result).toMatchObject({
    initial_layout: [0, 1, 2],
    swaps_inserted: 1,
    layout_found_by: 'trivial',
  });
  expect(result.final_layout).not.toEqual([0, 1, 2]);
});

test('the same seed gives the same circuit', async () => {
  const circuit = [cx(0, 1), cx(1, 2), cx(2, 3), cx(3, 0), cx(0, 2), cx(1, 3)];
  const input = { circuit, device: 'ibm-brisbane', trials: 3 };
  expect(await run(input)).toEqual(await run(input));
});

test('a circuit as wide as the device is routed, and says that nothing simulated it', async () => {
  const result = await run({ circuit: ghz(100), device: 'ibm-fez' });
  expect(result).toMatchObject({
    verification: { fits_device: true, equivalent: null, method: 'none' },
  });
});

describe('an input is refused', () => {
  test.each([
    ['without a target', { circuit: [cx(0, 1)] }, 'device'],
    [
      'with two targets',
      { circuit: [cx(0, 1)], device: 'iqm-garnet', coupling_map: [[0, 1]] },
      'coupling_map',
    ],
    [
      'with a coupler from a qubit to itself',
      {
        circuit: [cx(0, 1)],
        coupling_map: [
          [0, 1],
          [2, 2],
        ],
      },
      'coupling_map[1]',
    ],
    ['that is wider than the device', { circuit: ghz(21), device: 'iqm-garnet' }, 'circuit'],
    [
      'that is wider than what is connected',
      {
        circuit: ghz(3),
        coupling_map: [
          [0, 1],
          [2, 3],
        ],
      },
      'circuit',
    ],
    [
      'with native gates that cannot do it',
      { circuit: [cx(0, 1)], device: 'iqm-garnet', native_gates: ['cz', 'h'] },
      'native_gates',
    ],
    [
      'with too many gates',
      { circuit: Array.from({ length: 1001 }, () => cx(0, 1)), device: 'iqm-garnet' },
      'circuit',
    ],
  ])('%s', (_, input, path) => {
    expect(route.faultsOf(input)[0]?.path).toBe(path);
  });
});

test.each([
  ['a gate that is not native', gate('H', [0]), 'native'],
  ['a pair that nothing couples', gate('CZ', [2], [0]), 'couples'],
  ['a gate on three qubits', gate('CZ', [2], [0, 1]), 'controls'],
])('%s does not fit a device', (_, operation, word) => {
  const device = {
    couplers: [
      [0, 1],
      [2, 1],
    ] as const,
    isSymmetric: true,
    nativeGates: ['CZ'],
  };
  const circuit = { numQubits: 3, numBits: 0, operations: [operation] };
  const [misfit] = misfits(circuit, device);
  expect(misfit?.index).toBe(0);
  expect(misfit?.message).toContain(word);
  const fitting = { ...circuit, operations: [gate('CZ', [1], [2])] };
  expect(misfits(fitting, device)).toEqual([]);
  const oneWay = { ...device, isSymmetric: false };
  expect(misfits(fitting, oneWay)).toEqual([]);
  const turned = { ...circuit, operations: [gate('CZ', [2], [1])] };
  expect(misfits(turned, oneWay)).toMatchObject([
    { message: expect.stringContaining('in this order') },
  ]);
});

test('two targets are told from none', () => {
  const circuit = [cx(0, 1)];
  const [neither] = route.faultsOf({ circuit });
  const [both] = route.faultsOf({ circuit, device: 'iqm-garnet', coupling_map: [[0, 1]] });
  expect(neither?.message).toMatch(/^Required/);
  expect(both?.message).toMatch(/not both/);
});
