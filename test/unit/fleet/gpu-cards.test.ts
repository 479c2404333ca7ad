// @needs processes
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findGpuCards, parseNvidiaSmi } from '../../../src/fleet/adapters/adapter-discovery.ts';
import { temporaryFolder } from '../../support/service-process.ts';

const MIB = 2 ** 20;

test('reads address, memory and name of each card that nvidia-smi lists', () => {
  const text = [
    '00000000:81:00.0, 143771, 143000, NVIDIA H200',
    '0000000A:C1:00.0, 24576, 1, NVIDIA GeForce RTX 4090',
    '',
  ].join('\n');
  expect(parseNvidiaSmi(text)).toEqual([
    {
      pciAddress: '0000:81:00.0',
      vendor: 'nvidia',
      name: 'NVIDIA H200',
      totalBytes: 143771 * MIB,
      freeBytes: 143000 * MIB,
    },
    {
      pciAddress: '000a:c1:00.0',
      vendor: 'nvidia',
      name: 'NVIDIA GeForce RTX 4090',
      totalBytes: 24576 * MIB,
      freeBytes: MIB,
    },
  ]);
});

test.each([
  'No devices were found',
  'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.',
  '00000000:81:00.0, [N/A], [N/A], NVIDIA GB10',
])('makes no figure of what nvidia-smi does not know: %s', (text) => {
  expect(parseNvidiaSmi(text)).toEqual([]);
});

test('reads the memory of an AMD card from the system, and passes others over', async () => {
  using folder = temporaryFolder();
  const card = (name: string, files: Readonly<Record<string, string>>) => {
    const device = join(folder.path, name, 'device');
    mkdirSync(device, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(device, file), text);
  };
  card('card0', { uevent: 'DRIVER=i915\nPCI_SLOT_NAME=0000:00:02.0\n' });
  card('card1', {
    mem_info_vram_total: '17163091968\n',
    mem_info_vram_used: '163091968\n',
    uevent: 'DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_SLOT_NAME=0000:03:00.0\n',
  });
  card('card1-DP-1', {});
  const found = await findGpuCards(folder.path);
  expect(found.filter(({ vendor }) => vendor === 'amd')).toEqual([
    {
      pciAddress: '0000:03:00.0',
      vendor: 'amd',
      totalBytes: 17163091968,
      freeBytes: 17000000000,
    },
  ]);
});

test('finds nothing where the system lists nothing', async () => {
  expect((await findGpuCards('/nowhere')).filter(({ vendor }) => vendor === 'amd')).toEqual([]);
});
