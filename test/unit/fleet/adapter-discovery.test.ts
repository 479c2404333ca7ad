import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { discoverAdapters } from '../../../src/fleet/adapters/adapter-discovery.ts';
import { isSoftwareAdapter, parseListing } from '../../../src/fleet/adapters/adapter-report.ts';
import { eventually } from '../../support/fleet-fixtures.ts';

const LAVAPIPE = '/usr/share/vulkan/icd.d/lvp_icd.json';
const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json';
const missing = [LAVAPIPE, SWIFTSHADER].filter((path) => !existsSync(path));

function discoverWith(...drivers: readonly string[]) {
  const paths = drivers.join(':');
  return discoverAdapters({
    environment: { ...process.env, VK_ICD_FILENAMES: paths, VK_DRIVER_FILES: paths },
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

if (missing.length > 0) {
  process.stderr.write(
    `SKIPPED: adapter discovery; Vulkan drivers missing: ${missing.join(', ')}\n`,
  );
}

test('the software Vulkan drivers are there where they are required', () => {
  if (process.env['QCS_TEST_REQUIRE_VULKAN'] === '1') expect(missing).toEqual([]);
});

describe.skipIf(missing.length > 0)('discoverAdapters with software drivers', () => {
  test('finds lavapipe, and calls it software', async () => {
    const { adapters } = await discoverWith(LAVAPIPE);
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

  test('finds two drivers at once, each with its own limits', async () => {
    const { adapters, reason } = await discoverWith(LAVAPIPE, SWIFTSHADER);
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
    const { adapters, reason } = await discoverWith('/nonexistent/icd.json');
    expect(adapters).toEqual([]);
    expect(reason).toBe('No WebGPU driver was found.');
  });

  test('survives a driver that crashes its process', async () => {
    const probe = new URL('../../support/fleet-crashing-probe.ts', import.meta.url);
    expect(await discoverAdapters({ probe })).toEqual({
      adapters: [],
      reason: 'Looking for GPU adapters ended with SIGSEGV.',
    });
  });

  test('gives up on a driver that hangs', async () => {
    const probe = new URL('../../support/fleet-hanging-probe.ts', import.meta.url);
    const pidFile = join(await mkdtemp(join(tmpdir(), 'qcs-probe-')), 'pid');
    const environment = { ...process.env, QCS_TEST_PID_FILE: pidFile };
    const { adapters, reason } = await discoverAdapters({ probe, environment, timeoutMs: 2000 });
    expect(adapters).toEqual([]);
    expect(reason).toContain('2000 ms');
    const pid = Number(await readFile(pidFile, 'utf8'));
    await eventually(() => !isAlive(pid));
  });

  test('ends when it is told to', async () => {
    const probe = new URL('../../support/fleet-hanging-probe.ts', import.meta.url);
    const { adapters } = await discoverAdapters({ probe, signal: AbortSignal.abort() });
    expect(adapters).toEqual([]);
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
