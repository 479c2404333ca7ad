import { defineConfig } from 'vitest/config';

/** Files of suites that run on drivers, a browser or Python, which are looked for first. */
const NEEDS_FACILITIES = [
  'test/browser/{demo-page,demo-page-access,page-server,page-widths,webgpu-engine}.test.ts',
  'test/conformance/{shaders,spread-engine,webgpu-batch,webgpu-engine}.test.ts',
  'test/property/spread-engine.test.ts',
  'test/service/{command-line,examples,webgpu-service}.test.ts',
  'test/unit/engine/webgpu/{device-faults,readout,readout-sampling,tuning-device,webgpu-batch}.test.ts',
  'test/unit/engine/webgpu/spread/{spread-faults,spread-sampling}.test.ts',
  'test/unit/fleet/{adapter-discovery,spread-worker}.test.ts',
];

/**
 * Ends what hangs. No test is timed by it: it is at least ten times what the slowest test takes on a
 * quiet machine of two cores.
 */
const HANG_MS = 600_000;

export default defineConfig({
  test: {
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    teardownTimeout: HANG_MS,
    // Two worker processes: the suites that start the service use worker threads of their own.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'portable',
          include: ['test/**/*.test.ts'],
          exclude: NEEDS_FACILITIES,
        },
      },
      {
        extends: true,
        test: {
          name: 'drivers and browsers',
          include: NEEDS_FACILITIES,
          globalSetup: 'test/support/facilities/set-up.ts',
        },
      },
    ],
  },
});
