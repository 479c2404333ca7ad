// @needs facilities
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { discoverAdapters } from '../../../src/fleet/adapters/adapter-discovery.ts';
import {
  isSoftwareAdapter,
  parseListing,
  withDriverFault,
} from '../../../src/fleet/adapters/adapter-report.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWith } from '../../support/facilities/describe-with.ts';
import { driverEnvironment, SOFTWARE_DRIVERS } from '../../support/software-gpu.ts';

function discoverWith(environment: Readonly<Record<string, string>>) {
  return discoverAdapters({ environment: { ...process.env, ...environment } });
}

/** Whether a process has the text in its environment. */
async function isInEnvironment(text: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const environments = pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''));
  return (await Promise.all(environments)).some((environment) => environment.includes(text));
}

describeWith(['lavapipe'], 'discovery of lavapipe', () => {
  test('finds it, and calls it software', async () => {
    const { adapters } = await discoverWith(driverEnvironment('lavapipe'));
    expect(adapters).toHaveLength(1);
    expect(adapters[0]).toMatchObject({
      name: expect.stringContaining('llvmpipe'),
      backend: 'vulkan',
      vendor: 'mesa',
      isSoftware: true,
    });
    expect(adapters[0]!.limits.maxComputeInvocationsPerWorkgroup).toBeGreaterThanOrEqual(256);
    expect(adapters[0]!.limits.maxBufferSize).toBeGreaterThanOrEqual(2 ** 28);
    expect(adapters[0]!.features).toContain('subgroups');
  });
});

describeWith(SOFTWARE_DRIVERS, 'discovery of two drivers', () => {
  test('finds both at once, each with its own limits', async () => {
    const { adapters, reason } = await discoverWith(driverEnvironment(...SOFTWARE_DRIVERS));
    expect(reason).toBeUndefined();
    const byVendor = [...adapters].sort((a, b) => a.vendor.localeCompare(b.vendor));
    expect(byVendor.map(({ vendor, isSoftware }) => [vendor, isSoftware])).toEqual([
      ['google', true],
      ['mesa', true],
    ]);
    const [google, mesa] = byVendor;
    expect(google!.limits).not.toEqual(mesa!.limits);
  });
});

describe('discoverAdapters', () => {
  test('gives an empty list and the reason where there is no driver', async () => {
    const { adapters, reason } = await discoverWith({
      VK_ICD_FILENAMES: '/nonexistent/icd.json',
      VK_DRIVER_FILES: '/nonexistent/icd.json',
    });
    expect(adapters).toEqual([]);
    // The rest of the sentence depends on whether the machine has Vulkan's loader.
    expect(reason).toMatch(/^No GPU driver was found(\.|: .*\.)$/);
  });

  test('survives a driver that crashes its process', async () => {
    const probe = new URL('../../support/fleet-crashing-probe.ts', import.meta.url);
    expect(await discoverAdapters({ probe })).toEqual({
      adapters: [],
      reason: 'Looking for GPU adapters ended with signal SIGSEGV.',
    });
  });

  test('gives up on a driver that hangs', async () => {
    const probe = new URL('../../support/fleet-hanging-probe.ts', import.meta.url);
    const mark = `probe ${randomUUID()}`;
    const environment = { ...process.env, QCS_TEST_MARK: mark };
    const found = discoverAdapters({ probe, environment, timeoutMs: 2000 });
    expect(await isInEnvironment(mark)).toBe(true);
    const { adapters, reason } = await found;
    expect(adapters).toEqual([]);
    expect(reason).toContain('2000 ms');
    await eventually(async () => !(await isInEnvironment(mark)));
  });

  test('ends when it is asked to', async () => {
    const probe = new URL('../../support/fleet-hanging-probe.ts', import.meta.url);
    const { adapters } = await discoverAdapters({ probe, signal: AbortSignal.abort() });
    expect(adapters).toEqual([]);
  });
});

describe('withDriverFault', () => {
  const none = { adapters: [], reason: 'No GPU driver was found.' };

  test.each([
    [
      'libvulkan.so.1: cannot open shared object file: No such file or directory',
      'No GPU driver was found: Vulkan’s loader, libvulkan.so.1, is not installed.',
    ],
    [
      'vkCreateInstance failed with VK_ERROR_INCOMPATIBLE_DRIVER',
      'No GPU driver was found: Vulkan could not be loaded: vkCreateInstance failed with VK_ERROR_INCOMPATIBLE_DRIVER.',
    ],
  ])('names the fault that Dawn prints: %s', (fault, reason) => {
    const printed = `Warning: maxA artificially reduced from 2 to 1\nWarning: Couldn't load Vulkan: ${fault}\n    at operator() (BackendVk.cpp:368)\n`;
    expect(withDriverFault(none, printed)).toEqual({ adapters: [], reason });
  });

  test('leaves other reasons as they are', () => {
    const fault = "Warning: Couldn't load Vulkan: libvulkan.so.1: gone\n";
    const other = { adapters: [], reason: 'WebGPU could not be loaded: no such module' };
    expect(withDriverFault(other, fault)).toEqual(other);
    expect(withDriverFault(none, '')).toEqual(none);
  });
});

describe('parseListing', () => {
  test('keeps identical cards each, and leaves out a second backend of the same card', () => {
    const text = [
      'no suitable backends found',
      'Available adapters:',
      " * backend: 'vulkan', name: 'NVIDIA H200'",
      " * backend: 'vulkan', name: 'NVIDIA H200'",
      " * backend: 'opengl', name: 'NVIDIA H200'",
      " * backend: 'null', name: 'Null backend'",
    ].join('\n');
    const card = { backend: 'vulkan', name: 'NVIDIA H200' };
    expect(parseListing(text)).toEqual([card, card]);
  });

  test('finds nothing in another error’s text', () => {
    expect(parseListing('libvulkan.so.1 could not be opened')).toEqual([]);
  });
});

describe('isSoftwareAdapter', () => {
  test.each([
    [true, ['NVIDIA H200'], true],
    [false, ['llvmpipe (LLVM 15.0.6, 256 bits)'], true],
    [false, ['SwiftShader Device (Subzero)'], true],
    [false, ['Microsoft Basic Render Driver'], true],
    [false, ['NVIDIA H200', '565.57.01', 'hopper'], false],
    [false, ['AMD Radeon RX 7900 XTX', 'radv: Mesa 25.0.7 (LLVM 15.0.6)', 'rdna-3'], false],
  ])('with fallback %s and names %j says %s', (isFallback, names, isSoftware) => {
    expect(isSoftwareAdapter({ isFallback, names })).toBe(isSoftware);
  });
});
