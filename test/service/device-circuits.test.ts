/** Circuits for devices are checked before they are accepted: what a device gives, has, and takes. */
import { describe, expect, test } from 'vitest';
import type { Device } from '../../src/compiler/device/device.ts';
import { DEVICES, deviceOf } from '../../src/compiler/device/public-devices.ts';
import type { DeviceSpec } from '../../src/fleet/processor.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { openTestService } from './support/test-service.ts';

const ALL = { midCircuitMeasurement: true, reset: true, condition: true };

function processorWith(changes: Partial<Device & DeviceSpec>): FakeProcessor {
  const device: DeviceSpec = {
    ...deviceOf(DEVICES['iqm-garnet']),
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
