// @needs processes
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gpuBasis } from '../../../../bench/capacity/gpu-basis.ts';
import { H200, H200_MEMORY_BYTES } from '../../../../bench/capacity/model/hardware.ts';
import { cardFacts } from '../../../../bench/webgpu-adapter.ts';
import { temporaryFolder } from '../../../support/service-process.ts';

const CARD = { name: 'a card', isSoftware: false, cardBytes: 24e9 };
const row = (numQubits: number, evolutionMs: number) => ({
  numQubits,
  evolutionMs,
  bytesMoved: 2e9,
});

function basisOf(results: object) {
  using folder = temporaryFolder();
  const path = join(folder.path, 'results.json');
  writeFileSync(
    path,
    JSON.stringify({ date: '2026-01-02T03:04:05Z', measurements: [], ...results }),
  );
  return gpuBasis(path);
}

describe('the GPU of the simulated fleet', () => {
  test('moves states as fast as the median wide circuit did, and is not called measured', () => {
    const measurements = [row(20, 1), row(26, 10), row(26, 4), row(26, 20), { name: 'copy rate' }];
    const { basis, hardware, memoryBytes, explanation } = basisOf({ adapter: CARD, measurements });

    expect(basis).toBe('modelled from a measured rate');
    expect(hardware.bytesPerSecond).toBeCloseTo(2e11);
    expect(memoryBytes).toBe(24e9 - 2 ** 29);
    expect(explanation).toContain('a card, modelled');
  });

  test('has the memory of an H200 where the file does not say how much, and that is said', () => {
    const { memoryBytes, explanation } = basisOf({
      adapter: { name: 'a card', isSoftware: false },
      measurements: [row(26, 10)],
    });

    expect(memoryBytes).toBe(H200_MEMORY_BYTES);
    expect(explanation).toContain('its memory is not in the file');
  });

  test.each([
    [
      'of a software adapter',
      { adapter: { ...CARD, isSoftware: true }, measurements: [row(26, 10)] },
    ],
    ['without an adapter', { measurements: [row(26, 10)] }],
    ['without wide circuits', { adapter: CARD, measurements: [row(20, 10)] }],
  ])('is a modelled H200 where there is a file %s, and why is said', (_, results) => {
    const { basis, hardware, explanation } = basisOf(results);

    expect([basis, hardware]).toEqual(['modelled', H200]);
    expect(explanation).toMatch(/No GPU was measured: .*results\.json/);
  });

  test('is a modelled H200 where there is no file, which is said', () => {
    expect(gpuBasis('/nowhere/results.json').explanation).toContain(
      'there is no /nowhere/results.json',
    );
  });

  test.each([['{'], ['{"date":1}']])('is not read from a file of %s', (text) => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'results.json');
    writeFileSync(path, text);

    expect(() => gpuBasis(path)).toThrow(expect.objectContaining({ code: 'CLI_FILE_UNREADABLE' }));
  });
});

describe('the memory that results of a GPU say', () => {
  const limits = {
    architecture: '',
    driver: '',
    maxBufferSize: 1,
    maxStorageBufferBindingSize: 1,
    maxComputeWorkgroupStorageSize: 1,
    maxComputeInvocationsPerWorkgroup: 1,
  };
  const adapter = { ...limits, name: 'a card', vendor: 'nvidia', isSoftware: false };
  const card = (name: string, totalBytes: number) => ({
    pciAddress: '0000:81:00.0',
    vendor: 'nvidia',
    name,
    totalBytes,
    freeBytes: 1,
  });

  test('is the least of the cards that it may be', () => {
    const cards = [card('another', 1e9), card('a card', 3e9), card('a card', 2e9)];

    expect(cardFacts(adapter, cards)).toEqual({ cardBytes: 2e9 });
  });

  test.each([
    ['of a card that the system does not list', adapter, [card('another', 1e9)]],
    ['of software', { ...adapter, isSoftware: true }, [card('a card', 1e9)]],
  ])('is not there %s', (_, facts, cards) => {
    expect(cardFacts(facts, cards)).toEqual({});
  });
});
