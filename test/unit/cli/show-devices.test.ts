import { expect, test } from 'vitest';
import { deviceTable } from '../../../src/cli/show-devices.ts';
import { FakeDevices } from '../../service/support/fake-devices.ts';

test('devices with one backing stand in one row', () => {
  expect(deviceTable(new FakeDevices().devices())).toBe(
    [
      'DEVICES           BACKED BY  KIND           AVAILABLE  MEMORY         QUBITS',
      'gpu-00 to gpu-23  Card       GPU, modelled  24 of 24   1024 MiB each  27',
      'gpu-24 to gpu-47  Cores      CPU, modelled  24 of 24   1024 MiB each  27',
    ].join('\n'),
  );
});

test('what differs within a row is shown as a span, and what is away with its reason', () => {
  const devices = new FakeDevices();
  devices.change('gpu-00', { memoryBytes: 2 ** 20, maxQubits: 17 });
  for (const id of ['gpu-03', 'gpu-04', 'gpu-30']) devices.setMaintenance(id, { reason: 'fans' });
  const card = devices.device('gpu-00')?.backing;
  if (card !== undefined) devices.change('gpu-40', { backing: card });
  expect(deviceTable(devices.devices()).split('\n').slice(1)).toEqual([
    expect.stringMatching(/^gpu-00 to gpu-23, gpu-40 .* 23 of 25 +1 to 1024 MiB each +17 to 27$/),
    expect.stringMatching(/^gpu-24 to gpu-39, gpu-41 to gpu-47 .* 22 of 23 /),
    'gpu-03 to gpu-04, gpu-30: fans',
  ]);
});

test('a GPU of its own is not called modelled, nor software a GPU', () => {
  const devices = new FakeDevices();
  const backing = { kind: 'adapter', name: 'Other', sharedBy: 1 } as const;
  devices.change('gpu-46', { isModelled: false, backing: { ...backing, isSoftware: false } });
  devices.change('gpu-47', { backing: { ...backing, name: 'llvmpipe', isSoftware: true } });
  const text = deviceTable(devices.devices());
  expect(text).toMatch(/^gpu-46 +Other +GPU +1 of 1/m);
  expect(text).toMatch(/^gpu-47 +llvmpipe +software, modelled +1 of 1/m);
});
