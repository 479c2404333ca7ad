import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two worker processes: the suites that start the service use worker threads of their own.
    maxWorkers: 2,
  },
});
