/**
 * A running service for many tests. The files of a worker share it: it starts when the first of them asks for it
 * and ends with the worker. Each file has keys of its own, and sees only what they own.
 *
 * Tests of starting, ending, crashing and settings start a process of their own (`service-process.ts`).
 */
import { test as base } from 'vitest';
import { DEFAULT_SCOPES, type Scope, type Tier } from '../../src/service/http/api-key.ts';
import { runQcs } from './command-line.ts';
import { SMALL_SERVICE, startServiceProcess, temporaryFolder } from './service-process.ts';

/** The service, as the tests of one file see it. */
export interface SharedService {
  readonly origin: string;
  /** An Enterprise key with the default scopes, which belongs to the file. */
  readonly key: string;
  /** Makes another key, with the default scopes unless given. Those of the Standard tier have its usual limits. */
  createKey(tier: Tier, scopes?: readonly Scope[]): Promise<string>;
}

const SETTINGS = {
  ...SMALL_SERVICE,
  QCS_MEMORY_MIB: '1024',
  QCS_RATE_LIMIT_ENTERPRISE: '1000000',
  QCS_METRICS_ADDRESSES: '127.0.0.1',
  QCS_LOG_LEVEL: 'warn',
};

/** `test` with the fixture `service`. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are needed.
  .extend('running', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const folder = temporaryFolder();
    const running = await startServiceProcess(folder.path, SETTINGS);
    onCleanup(async () => {
      await running.stop('SIGTERM');
      folder[Symbol.dispose]();
    });
    const createKey = async (tier: Tier, scopes: readonly Scope[] = DEFAULT_SCOPES) => {
      const options = ['--tier', tier, '--scopes', scopes.join(',')];
      const { stdout } = await runQcs(['keys', 'create', '--name', 'test', ...options], {
        environment: { QCS_DATA_DIR: folder.path },
      });
      return stdout.trim();
    };
    return { origin: running.origin, createKey };
  })
  .extend('service', { scope: 'file' }, async ({ running }): Promise<SharedService> => {
    return { ...running, key: await running.createKey('enterprise') };
  });
