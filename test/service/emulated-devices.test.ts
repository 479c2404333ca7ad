/** Emulated devices over HTTP: circuits are fitted to them and run under their noise, exactly. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Circuit, type DynamicCircuit, isStatic } from '../../src/circuit/circuit.ts';
import { FaultList } from '../../src/circuit/errors.ts';
import { circuitFromGateObjects } from '../../src/circuit/gate-objects.ts';
import { applyNoise } from '../../src/circuit/noise/apply-noise.ts';
import type { NoiseModelObject } from '../../src/circuit/noise/noise-model-schema.ts';
import { readNoiseModel } from '../../src/circuit/noise/read-noise-model.ts';
import { misfits } from '../../src/compiler/device/device.ts';
import { DEVICES, deviceOf } from '../../src/compiler/device/public-devices.ts';
import { circuitRecord } from '../../src/service/circuits/circuit-schema.ts';
import { processor as processorSchema } from '../../src/service/systems/processor-schema.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { exactRun } from '../support/noise-oracle.ts';
import { withoutIdleQubits } from '../support/used-qubits.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';

let opened: FleetService;

beforeAll(async () => {
  opened = await openFleetService({}, ['iqm-garnet', 'ibm-fez', 'google-willow']);
});
afterAll(() => opened[Symbol.asyncDispose]());

type Body = Readonly<Record<string, unknown>>;

const GARNET = 'emulator-iqm-garnet';
const FEZ = 'emulator-ibm-fez';
const WILLOW = 'emulator-google-willow';

const post = (url: string, body: Body) =>
  opened.service.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });

async function run(target: string, body: Body) {
  const answer = await post('/quantum/circuits', {
    target_processor: target,
    shots: 1000,
    seed: 3,
    ...body,
  });
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([201, expect.anything()]);
  const { data } = answer.json();
  expect(circuitRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  return data;
}

async function faultsOf(target: string, body: Body): Promise<readonly string[]> {
  const answer = await post('/quantum/circuits', { target_processor: target, shots: 10, ...body });
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([400, expect.anything()]);
  return answer
    .json()
    .error.details.map(({ path, message }: Record<string, string>) => `${path}: ${message}`);
}

async function listed(id: string) {
  const { data } = (await opened.service.get(`/quantum/processors/${id}`)).json();
  expect(processorSchema.safeParse(data).error?.issues ?? []).toEqual([]);
  return data;
}

/** The circuit that a device runs, as POST /quantum/compile writes it. */
async function fittedCircuit(
  target: string,
  circuit: readonly Body[],
  more: Body = {},
): Promise<Circuit> {
  const answer = await post('/quantum/compile', { target_processor: target, circuit, ...more });
  expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([200, expect.anything()]);
  const { data } = answer.json();
  const read = circuitFromGateObjects(data.circuit, {
    limits: { maxQubits: 200, maxGates: 10_000 },
    numQubits: data.qubits,
  });
  return read;
}

/** The exact outcomes of a circuit on a device's qubits under a model of these qubits. */
function exactOutcomes(onDevice: Circuit, noise: NoiseModelObject): ReadonlyMap<string, number> {
  const faults = new FaultList();
  const model = readNoiseModel(noise, faults, new Map());
  const noisy = model && applyNoise(onDevice, model, faults);
  expect(faults.kept).toEqual([]);
  return exactRun(narrow(noisy!, onDevice)).outcomes;
}

/** The circuit without the qubits that nothing acts on. */
function narrow(noisy: DynamicCircuit, onDevice: Circuit): DynamicCircuit {
  const used = onDevice.operations.flatMap((operation) =>
    operation.kind === 'gate' || operation.kind === 'unitary'
      ? [...operation.controls, ...operation.targets]
      : operation.qubits,
  );
  const places = [...new Set(used)].sort((a, b) => a - b);
  const to = (qubits: readonly number[]) => qubits.map((qubit) => places.indexOf(qubit));
  const operations = noisy.operations.map((operation) => {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        return { ...operation, controls: to(operation.controls), targets: to(operation.targets) };
      case 'measure':
      case 'reset':
      case 'barrier':
      case 'noise':
        return { ...operation, qubits: to(operation.qubits) };
      default:
        return operation;
    }
  });
  return { ...noisy, numQubits: places.length, operations };
}

/** Gates that no device has, a pair that few couple, and a wide one. */
const UNFIT = [
  { gate: 'H', qubit: 0 },
  { gate: 'RY', qubit: 2, theta: 0.7 },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'CX', control: 0, target: 2 },
  { gate: 'CZ', control: 1, target: 2 },
  { gate: 'T', qubit: 1 },
  { gate: 'H', qubit: 1 },
  { gate: 'M', qubits: [0, 1, 2], bits: [2, 0, 1] },
];

describe.each([GARNET, FEZ, WILLOW])('%s', (target) => {
  test('runs any circuit: its distribution is that of the fitted circuit under its noise', async () => {
    const { noise } = await listed(target);
    const onDevice = await fittedCircuit(target, UNFIT);
    const exact = exactOutcomes(onDevice, noise);
    const data = await run(target, {
      circuit: UNFIT,
      return: ['probabilities', 'counts'],
      shots: 20_000,
    });
    expect(data).toMatchObject({
      method: 'density_matrix',
      qubits: 3,
      measured_qubits: [1, 2, 0],
      method_reason: expect.stringMatching(/density matrix of \d/),
    });
    expect(data.fitting.two_qubit_gates.after).toBeGreaterThan(2);
    for (const [label, probability] of exact) {
      expect(data.probabilities[label] ?? 0).toBeCloseTo(probability, 10);
    }
    const { statistic, bound } = chiSquared(new Map(Object.entries(data.counts)), exact);
    expect(statistic).toBeLessThan(bound);
    // The noise is there.
    const ideal = exactRun(withoutIdleQubits(onDevice)).outcomes;
    const distance = [...exact].reduce((sum, [k, p]) => sum + Math.abs(p - (ideal.get(k) ?? 0)), 0);
    expect(distance).toBeGreaterThan(0.01);
  });

  test('by trajectories samples the same distribution', async () => {
    const { noise } = await listed(target);
    const exact = exactOutcomes(await fittedCircuit(target, UNFIT), noise);
    const data = await run(target, { circuit: UNFIT, method: 'statevector', shots: 20_000 });
    expect(data.method).toBe('statevector');
    expect(data.trajectories).toBeGreaterThan(1);
    const { statistic, bound } = chiSquared(new Map(Object.entries(data.counts)), exact);
    expect(statistic).toBeLessThan(bound);
  });

  test('without noise has the outcomes of the circuit itself', async () => {
    const ideal = await run('qvm', { circuit: UNFIT, return: ['probabilities'] });
    for (const noise of [{}, { gates: [], readout: [], idle: [] }]) {
      const data = await run(target, { circuit: UNFIT, noise, return: ['probabilities'] });
      expect(data.method).toBe('statevector');
      for (const [label, probability] of Object.entries<number>(ideal.probabilities)) {
        expect(data.probabilities[label]).toBeCloseTo(probability, 10);
      }
    }
  });

  test('estimates expectation values of the caller’s qubits, wherever these are', async () => {
    const circuit = UNFIT.slice(0, -1);
    const observables = [{ pauli: 'X0 X1' }, { pauli: 'Y2' }, { pauli: 'Z0 X1 Z2' }];
    const ask = { circuit, return: ['expectation'], observables };
    const ideal = await run('qvm', ask);
    const same = await run(target, { ...ask, noise: {} });
    const noisy = await run(target, ask);
    expect(noisy.method).toBe('density_matrix');
    for (const [i, value] of ideal.expectation.values.entries()) {
      expect(same.expectation.values[i]).toBeCloseTo(value, 10);
      expect(Math.abs(noisy.expectation.values[i] - value)).toBeLessThan(0.2);
      if (Math.abs(value) > 0.1) {
        expect(Math.abs(noisy.expectation.values[i])).toBeLessThan(Math.abs(value));
      }
    }
  });

  test('lists its noise, its figures and where they come from', async () => {
    const data = await listed(target);
    expect(data).toMatchObject({
      family: 'emulator',
      basis: 'modelled',
      source: expect.stringMatching(/median/i),
      noise: { gates: expect.any(Array), readout: expect.any(Array) },
      native_gates: expect.any(Array),
      coupling_map: expect.any(Array),
      methods: [{ method: 'statevector' }, { method: 'density_matrix' }],
    });
    for (const { gates } of data.noise.gates) {
      for (const gate of gates) expect(data.native_gates).toContain(gate);
    }
  });
});

test('a bit that is no part of the outcome is measured, and left out of it', async () => {
  const qasm = `OPENQASM 3.0; include "stdgates.inc"; output bit got; qubit[2] w; bit other;
    x w[1]; h w[0]; cx w[0], w[1]; other = measure w[0]; got = measure w[1]; if (other) x w[1]; got = measure w[1];`;
  const data = await run(FEZ, { qasm, noise: {}, return: ['counts', 'memory'] });
  expect(data.counts).toEqual({ '1': 1000 });
  expect(new Set(data.memory)).toEqual(new Set(['1']));
});

describe('a circuit in native gates on coupled qubits', () => {
  const circuit = [
    { gate: 'PRX', qubit: 9, theta: Math.PI / 2, phi: 0.3 },
    { gate: 'PRX', qubit: 4, theta: 1, phi: 0 },
    { gate: 'CZ', control: 9, target: 4 },
    { gate: 'M', qubits: [4, 9] },
  ];

  test('runs as it is written, on the qubits that it names', async () => {
    const noise = {
      gates: [
        { gates: ['PRX'], qubits: [[9]], channel: { type: 'bit_flip', probability: 0.1 } },
        { gates: ['CZ'], qubits: [[9, 4]], channel: { type: 'pauli', probabilities: { ZX: 0.2 } } },
        { gates: ['CZ'], qubits: [[4, 9]], channel: { type: 'depolarizing', probability: 0.9 } },
      ],
      readout: [{ qubits: [4], p1_given_0: 0.05, p0_given_1: 0.2 }],
    } as const;
    const data = await run(GARNET, { circuit, noise, return: ['probabilities'] });
    expect(data).toMatchObject({ qubits: 10, measured_qubits: [4, 9] });
    expect(data).not.toHaveProperty('fitting');
    const read = circuitFromGateObjects(circuit, { limits: { maxQubits: 20, maxGates: 10 } });
    const model = JSON.parse(JSON.stringify(noise));
    for (const [label, probability] of exactOutcomes(read, model)) {
      expect(data.probabilities[label]).toBeCloseTo(probability, 10);
    }
  });

  test('is what POST /quantum/compile writes, and has the same counts', async () => {
    const onDevice = await fittedCircuit(FEZ, UNFIT);
    expect(isStatic(onDevice) && misfits(onDevice, deviceOf(DEVICES['ibm-fez']))).toEqual([]);
    const compiled = (
      await post('/quantum/compile', { target_processor: FEZ, circuit: UNFIT })
    ).json();
    const again = await run(FEZ, { circuit: compiled.data.circuit });
    expect(again.counts).toEqual((await run(FEZ, { circuit: UNFIT })).counts);
  });
});

describe('noise of the caller', () => {
  test('is attached to native gates', async () => {
    // H is made of one SX and virtual rotations here.
    const noise = {
      gates: [{ gates: ['SX'], channel: { type: 'bit_phase_flip', probability: 0.25 } }],
    };
    const circuit = [
      { gate: 'H', qubit: 0 },
      { gate: 'Z', qubit: 0 },
      { gate: 'H', qubit: 0 },
    ];
    const onDevice = await fittedCircuit(FEZ, circuit);
    const exact = exactOutcomes(onDevice, JSON.parse(JSON.stringify(noise)));
    const data = await run(FEZ, { circuit, noise, return: ['probabilities'] });
    for (const [label, probability] of exact) {
      expect(data.probabilities[label] ?? 0).toBeCloseTo(probability, 10);
    }
  });

  test.each([
    [
      { gates: [{ gates: ['CX'], channel: { type: 'depolarizing', probability: 0.1 } }] },
      'noise.gates[0].gates: The noise of emulator-iqm-garnet follows native gates, PRX, CZ; none of them is named here.',
    ],
    [
      {
        gates: [
          { gates: ['CZ'], qubits: [[3, 20]], channel: { type: 'depolarizing', probability: 0.1 } },
        ],
      },
      'noise.gates[0].qubits: There is no qubit 20: emulator-iqm-garnet has qubits 0 to 19.',
    ],
    [{ readout: [{ qubits: [30], p1_given_0: 0, p0_given_1: 0.1 }] }, 'noise.readout[0].qubits: '],
    [{ model: 'ibm-fes' }, 'noise.model: There is no noise model called "ibm-fes".'],
    [{ readout: [{ p1_given_0: 2, p0_given_1: 0 }] }, 'noise.readout[0].p1_given_0: '],
  ])('%j is refused with its path', async (noise, words) => {
    expect(await faultsOf(GARNET, { circuit: UNFIT, noise })).toEqual([
      expect.stringContaining(words),
    ]);
  });

  test('may be that of another device by name', async () => {
    const data = await run(GARNET, { circuit: UNFIT, noise: { model: 'ibm-fez' } });
    expect(data.method_reason).toMatch(/states|density/);
  });
});

describe('an emulated device refuses', () => {
  test.each([
    [
      'statevector',
      { return: ['statevector'] },
      'return: emulator-iqm-garnet does not give statevector; qvm does.',
    ],
    [
      'density matrices',
      { return: ['density_matrix'] },
      'return: emulator-iqm-garnet does not give density_matrix',
    ],
    [
      'noise in a circuit',
      {
        circuit: [{ gate: 'NOISE', qubits: [0], channel: { type: 'bit_flip', probability: 0.1 } }],
      },
      'circuit: Noise channels in a circuit need a simulator',
    ],
    ['more qubits than the device has', { circuit: [{ gate: 'H', qubit: 20 }] }, 'circuit[0]'],
    [
      'loops on measured bits',
      {
        circuit: undefined,
        qasm: 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; c = measure q; while (c == 0) { h q; c = measure q; }',
      },
      'qasm: Loops',
    ],
  ])('%s', async (_, body, words) => {
    expect(await faultsOf(GARNET, { circuit: UNFIT, ...body })).toEqual([
      expect.stringContaining(words),
    ]);
  });

  test('more qubits than can be simulated', async () => {
    const all = { qasm: 'OPENQASM 3.0; include "stdgates.inc"; qubit[156] q; h q[155];' };
    expect(await faultsOf(FEZ, all)).toEqual([expect.stringContaining('uses 156 qubits')]);
  });

  test('the width of a device is no limit of other processors', async () => {
    const circuit = [{ gate: 'H', qubit: 21 }];
    expect(await faultsOf('abacus', { circuit })).toEqual([
      expect.stringContaining('There is no processor "abacus"'),
      'circuit[0].qubit: Qubit 21 needs 22 qubits; the limit max_qubits is 20.',
    ]);
  });
});

describe('a device of the caller', () => {
  const DEVICE = {
    num_qubits: 4,
    coupling_map: [
      [0, 1],
      [1, 2],
      [2, 3],
    ],
    native_gates: ['iswap', 'rz', 'h'],
    noise: {
      gates: [
        {
          gates: ['ISWAP'],
          qubits: [[0, 1]],
          channel: { type: 'depolarizing', probability: 0.05 },
        },
        { gates: ['ISWAP'], channel: { type: 'amplitude_damping', gamma: 0.02 } },
        { gates: ['H'], channel: { type: 'phase_damping', gamma: 0.01 } },
      ],
      readout: [{ qubits: [2], p1_given_0: 0.02, p0_given_1: 0.1 }],
      idle: [{ t1_us: 50, t2_us: 30, durations_ns: { ISWAP: 200, H: 40, M: 500 } }],
    },
  };

  test('is emulated the same way', async () => {
    const onDevice = await fittedCircuit('emulator', UNFIT, { device: DEVICE });
    expect(
      misfits(onDevice, {
        couplers: [
          [0, 1],
          [1, 2],
          [2, 3],
        ],
        isSymmetric: true,
        nativeGates: ['ISWAP', 'RZ', 'H'],
      }),
    ).toEqual([]);
    const noise: NoiseModelObject = JSON.parse(JSON.stringify(DEVICE.noise));
    const exact = exactOutcomes(onDevice, noise);
    const data = await run('emulator', {
      circuit: UNFIT,
      device: DEVICE,
      return: ['probabilities', 'counts'],
    });
    expect(data).toMatchObject({ processor: 'emulator', qubits: 3, fitting: expect.any(Object) });
    for (const [label, probability] of exact) {
      expect(data.probabilities[label] ?? 0).toBeCloseTo(probability, 10);
    }
    const answer = await post('/quantum/batches', {
      target_processor: 'emulator',
      device: DEVICE,
      programs: [{ circuit: UNFIT }],
      shots: 1000,
      seed: 3,
      return: ['counts', 'probabilities'],
    });
    expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([201, expect.anything()]);
    expect(answer.json().data.programs[0].counts[0]).toEqual(data.counts);
  });

  test('has directed couplers and no noise unless given', async () => {
    const device = {
      coupling_map: [[1, 0]],
      symmetric_couplers: false,
      native_gates: ['ecr', 'u'],
    };
    const circuit = [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
    ];
    const onDevice = await fittedCircuit('emulator', circuit, { device });
    const pairs = onDevice.operations.filter((each) => each.kind === 'gate' && each.gate === 'ECR');
    expect(pairs).toEqual([expect.objectContaining({ targets: [1, 0] })]);
    const data = await run('emulator', { circuit, device, return: ['probabilities'] });
    expect(data.probabilities['00']).toBeCloseTo(0.5, 10);
    expect(data.probabilities['11']).toBeCloseTo(0.5, 10);
    expect(data.method_reason).toMatch(/no noise/);
  });

  test('says what is wrong with the form of a device, and not that there is none', async () => {
    const device = { coupling_map: [[0, 1.5]] };
    const answer = await post('/quantum/circuits', {
      target_processor: 'emulator',
      circuit: UNFIT,
      device,
      shots: 1,
    });
    const fault = expect.objectContaining({ path: 'device.coupling_map[0][1]' });
    expect(answer.json().error.details).toEqual([fault]);
    const batch = await post('/quantum/batches', {
      target_processor: 'emulator',
      programs: [{ circuit: UNFIT }],
      device,
      shots: 1,
    });
    expect(batch.json().error.details).toEqual([fault]);
  });

  test.each([
    [
      'no device',
      { device: undefined },
      'device: Required: emulator emulates a device that you describe',
    ],
    [
      'a coupler beyond the device',
      {
        coupling_map: [
          [0, 1],
          [1, 4],
        ],
      },
      'device.coupling_map[1]: There is no qubit 4',
    ],
    [
      'a coupler of one qubit',
      { coupling_map: [[2, 2]] },
      'device.coupling_map[0]: Couples qubit 2 with itself.',
    ],
    [
      'an unknown gate',
      { native_gates: ['cz', 'magic'] },
      'device.native_gates[1]: No gate is called "magic"',
    ],
    [
      'gates that entangle nothing',
      { native_gates: ['u', 'swap'] },
      'device.native_gates: SWAP only exchanges qubits',
    ],
    [
      'gates that do not make all rotations',
      { native_gates: ['cz', 'h', 't'] },
      'device.native_gates: None of its one-qubit gates',
    ],
    [
      'noise of another gate',
      { noise: { gates: [{ gates: ['CZ'], channel: { type: 'bit_flip', probability: 0.1 } }] } },
      'device.noise.gates[0].gates: The noise of this device follows native gates',
    ],
    [
      'noise on another qubit',
      { noise: { readout: [{ qubits: [4], p1_given_0: 0.1, p0_given_1: 0 }] } },
      'device.noise.readout[0].qubits: There is no qubit 4',
    ],
    [
      'bad noise',
      { noise: { idle: [{ t1_us: 1, t2_us: 3, durations_ns: { H: 1 } }] } },
      'device.noise.idle[0].t2_us: ',
    ],
    [
      'a map in parts too small',
      {
        coupling_map: [
          [0, 1],
          [2, 3],
        ],
      },
      'circuit: The circuit has 3 qubits and does not fit as it is written; the largest connected part of the device has 2.',
    ],
  ])('%s is refused with its path', async (_, more, words) => {
    const device = 'device' in more ? more.device : { ...DEVICE, noise: {}, ...more };
    expect(await faultsOf('emulator', { circuit: UNFIT, device })).toEqual([
      expect.stringContaining(words),
    ]);
  });

  test('is taken by no other processor', async () => {
    expect(await faultsOf('qvm', { circuit: UNFIT, device: DEVICE })).toEqual([
      expect.stringContaining('device: Only the processor emulator takes a device'),
    ]);
  });
});
