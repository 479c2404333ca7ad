/** Circuits for devices are checked before they are accepted: what a device gives, has, and takes. */
import { describe, expect, test } from 'vitest';
import { type Device, withoutIdleQubits } from '../../src/compiler/device/device.ts';
import { DEVICES, deviceOf } from '../../src/compiler/device/public-devices.ts';
import type { DeviceSpec } from '../../src/fleet/processor.ts';
import { circuitOf } from '../../src/fleet/workers/sent-circuit.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { openTestService } from './support/test-service.ts';

const ALL = { midCircuitMeasurement: true, reset: true, condition: true };

function processorWith(changes: Partial<Device & DeviceSpec>): FakeProcessor {
  const device: DeviceSpec = {
    ...deviceOf(DEVICES['iqm-garnet']),
    fittedBy: 'service',
    basis: 'modelled',
    source: 'a test',
    ...changes,
  };
  const spec = { id: 'device', family: 'emulator', maxQubits: 20, device } as const;
  return new FakeProcessor(spec);
}

async function faultsOf(processor: FakeProcessor, body: object) {
  await using service = await openTestService({ processors: [processor] });
  const answer = await service.submit({ target_processor: 'device', shots: 10, ...body });
  if (answer.statusCode === 201) return [];
  expect(answer.statusCode).toBe(400);
  return answer
    .json()
    .error.details.map(({ path, message }: Record<string, string>) => [path, message]);
}

const BELL = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
];
const MEASURED = { gate: 'M', qubits: [0], bits: [0] };

describe('a device that the service fits circuits to', () => {
  test.each([
    ['statevector', { circuit: BELL, return: ['counts', 'statevector'] }, 'return', 'statevector'],
    [
      'results of a program',
      {
        qasm: 'OPENQASM 3.0; qubit[1] q; x q[0];\n#pragma braket result state_vector\n',
      },
      'qasm',
      'simulator',
    ],
    [
      'a loop on measured bits',
      {
        qasm: 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; c = measure q; while (c == 0) { h q; c = measure q; }',
      },
      'qasm',
      'Loops',
    ],
  ])('refuses %s', async (_, body, path, words) => {
    const [fault] = await faultsOf(processorWith({}), body);
    expect(fault).toEqual([path, expect.stringContaining(words)]);
  });

  test.each([
    ['a condition', [MEASURED, { gate: 'X', qubit: 1, condition: { bits: [0], value: 1 } }], 1],
    ['a gate after a measurement', [MEASURED, { gate: 'X', qubit: 0 }, MEASURED], 1],
    ['a reset', [{ gate: 'X', qubit: 1 }, { gate: 'RESET', qubits: [1] }, MEASURED], 1],
  ])('refuses %s with its path where the device has no such thing', async (_, circuit, index) => {
    const none = { midCircuitMeasurement: false, reset: false, condition: false };
    const [fault] = await faultsOf(processorWith({ abilities: none }), { circuit });
    expect(fault?.[0]).toBe(`circuit[${index}]`);
    expect(await faultsOf(processorWith({ abilities: ALL }), { circuit })).toEqual([]);
  });

  test('takes gates that are not native', async () => {
    expect(await faultsOf(processorWith({}), { circuit: BELL })).toEqual([]);
  });
});

describe('a device whose callers fit circuits', () => {
  const fitted = [
    { gate: 'PRX', qubit: 9, theta: 1, phi: 0 },
    { gate: 'CZ', control: 9, target: 4 },
    { gate: 'M', qubits: [4, 9] },
  ];

  test('refuses gates that are not native, and pairs that nothing couples', async () => {
    const circuit = [...BELL, { gate: 'CZ', control: 0, target: 9 }];
    expect(await faultsOf(processorWith({ fittedBy: 'caller' }), { circuit })).toEqual([
      ['circuit[0]', 'H is no native gate; those are PRX, CZ.'],
      ['circuit[1]', 'CX is no native gate; those are PRX, CZ.'],
      ['circuit[2]', 'CZ acts on qubits 0 and 9, which nothing couples.'],
    ]);
  });

  test('runs a circuit on the qubits that it uses, and reports those of the device', async () => {
    const processor = processorWith({ fittedBy: 'caller', maxUsedQubits: 2 });
    await using service = await openTestService({ processors: [processor] });
    const body = { circuit: fitted, target_processor: 'device', shots: 10 };
    const { data } = (await service.submit(body)).json();
    expect(data.measured_qubits).toEqual([4, 9]);
    const [run] = processor.tasks;
    const circuit = run && circuitOf(run.circuit);
    expect(circuit?.numQubits).toBe(2);
    expect(circuit?.operations.map(({ kind }) => kind)).toEqual(['gate', 'gate', 'measure']);
  });

  test('refuses more qubits than can be simulated', async () => {
    const processor = processorWith({ fittedBy: 'caller', maxUsedQubits: 1 });
    const [fault] = await faultsOf(processor, { circuit: fitted });
    expect(fault).toEqual(['circuit', expect.stringContaining('uses 2 qubits')]);
  });

  test('compiles any circuit for it', async () => {
    const processor = processorWith({ fittedBy: 'caller' });
    await using service = await openTestService({ processors: [processor] });
    const answer = await service.request({
      method: 'POST',
      url: '/quantum/compile',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ circuit: BELL, target_processor: 'device' }),
    });
    const { data } = answer.json();
    expect(data.compilation).toMatchObject({ swaps: 0, gates: { before: 2 } });
    const again = { circuit: data.circuit, target_processor: 'device', shots: 1 };
    expect((await service.submit(again)).statusCode).toBe(201);
  });
});

test('a circuit without operations is left on one qubit', () => {
  const empty = { numQubits: 5, numBits: 0, operations: [] };
  expect(withoutIdleQubits(empty).numQubits).toBe(1);
});
