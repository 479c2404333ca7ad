// @needs facilities
/** `qcs` as a process on a machine with software adapters, or with none: what it says of them and runs on them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runQcs, runQcsProcess } from '../support/command-line.ts';
import { describeWith, foundFacilities } from '../support/facilities/describe-with.ts';
import { startServiceProcess, temporaryFolder } from '../support/service-process.ts';
import { anyDriver, driverEnvironment, SOFTWARE_DRIVERS } from '../support/software-gpu.ts';

test('devices and serve say what there is, and print nothing that looks like a fault', async () => {
  const devices = await runQcsProcess(['devices']);
  expect(devices).toMatchObject({ code: 0, stderr: '' });
  expect(devices.stdout).toMatch(/^gpu-fleet +available +(webgpu|cpu-fallback)/m);
  using folder = temporaryFolder();
  const service = await startServiceProcess(folder.path);
  await service.stop('SIGTERM');
  expect(service.output()).toMatch(/^ {2}gpu-fleet: (CPU engine|WebGPU on) .*$/m);
  expect(service.output()).toMatch(/^ {2}GPU adapters: .*$/m);
  const logged = service.log().trim().split('\n');
  expect(logged.map((line) => JSON.parse(line).level)).toEqual(logged.map(() => 30));
});

describeWith([anyDriver()], 'qcs with software adapters alone', () => {
  const found = foundFacilities();
  const drivers = SOFTWARE_DRIVERS.filter((driver) => found[driver].isPresent);
  const environment = driverEnvironment(...drivers);
  const allowed = { ...environment, QCS_SOFTWARE_ADAPTERS: '1' };

  test('run measures the WebGPU engine where they are allowed, says on what, and ends', async () => {
    const args = ['run', 'examples/teleport.json', '--json', '--seed', '9', '--engine', 'webgpu'];
    const [measured, service] = await Promise.all([
      runQcsProcess([...args, '--repeat', '2'], allowed),
      runQcs(args.slice(0, 5), { environment: { QCS_THREADS: '1' } }),
    ]);
    expect(measured.code).toBe(0);
    const { counts, backend, measurement } = JSON.parse(measured.stdout);
    expect(counts).toEqual(JSON.parse(service.stdout).counts);
    expect(backend).toMatchObject({ engine: 'webgpu', execution: 'webgpu', precision: 'f32' });
    expect(backend.hardware).toMatch(/\(software\)$/);
    expect(measurement.runs).toHaveLength(2);
    expect(measurement).not.toHaveProperty('threads');
  });

  test('run refuses what the adapter’s memory cannot hold, with the figures', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'wide.qasm');
    writeFileSync(file, 'OPENQASM 3.0;\nqubit[24] q;\n');
    const ended = await runQcsProcess(['run', file, '--engine', 'webgpu'], {
      ...allowed,
      QCS_GPU_MEMORY_MIB: '64',
    });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(
      '24 qubits need 128 MiB; this service holds 23 qubits (64 MiB). QCS_GPU_MEMORY_MIB raises it.',
    );
  });

  test('run has no adapter for WebGPU where they are not, and says why', async () => {
    const args = ['run', 'examples/bell.qasm', '--engine', 'webgpu'];
    const ended = await runQcsProcess(args, environment);
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).toContain('QCS_SOFTWARE_ADAPTERS is not 1');
  });

  test('devices lists each with its engine where they are allowed, and why not elsewhere', async () => {
    const [used, unused] = await Promise.all([
      runQcsProcess(['devices', '--json'], allowed),
      runQcsProcess(['devices', '--json'], environment),
    ]);
    const figure = expect.any(Number);
    expect(JSON.parse(used.stdout).processors[1]).toMatchObject({ execution: 'webgpu' });
    expect(JSON.parse(used.stdout).adapters).toEqual(
      drivers.map(() =>
        expect.objectContaining({
          kind: 'software',
          available: true,
          pid: figure,
          max_qubits: figure,
          tile_qubits: figure,
          chunk_qubits: figure,
          memory_basis: 'machine',
        }),
      ),
    );
    expect(JSON.parse(unused.stdout).processors[1]).toMatchObject({ execution: 'cpu-fallback' });
    for (const adapter of JSON.parse(unused.stdout).adapters) {
      expect(adapter).toMatchObject({ kind: 'software', available: false });
      expect(adapter.reason).toContain('QCS_SOFTWARE_ADAPTERS');
    }
  });
});
