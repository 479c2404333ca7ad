import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  InvalidConfigError,
  loadConfig,
  SETTINGS,
  settingsHelp,
  settingsMarkdown,
  unknownSettings,
} from '../../src/config.ts';

describe('loadConfig', () => {
  test('gives the documented defaults for an empty environment', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: './data',
      engine: 'auto',
      useSoftwareAdapters: false,
      rateLimits: { standard: 100, enterprise: 1000 },
      inFlightLimits: { standard: 200, enterprise: 500 },
      trustedProxies: [],
      maxShots: 1_000_000,
    });
  });

  test('takes a variable set to the empty text as not set', () => {
    expect(loadConfig({ QCS_PORT: '' }).port).toBe(8080);
  });

  test('lists every fault, each with its variable', () => {
    const load = () =>
      loadConfig({ QCS_PORT: '70000', QCS_ENGINE: 'gpu', QCS_THREADS: '-1', QCS_HOST: ' ' });
    expect(load).toThrow(InvalidConfigError);
    try {
      load();
    } catch (error) {
      const faults = error instanceof InvalidConfigError ? error.faults : [];
      expect(faults.map((fault) => fault.path).sort()).toEqual([
        'QCS_ENGINE',
        'QCS_HOST',
        'QCS_PORT',
        'QCS_THREADS',
      ]);
    }
  });

  test.each([
    ['QCS_PORT', '8080.5'],
    ['QCS_SOFTWARE_ADAPTERS', 'yes'],
    ['QCS_TRUSTED_PROXIES', '10.0.0.1, proxy.example'],
    ['QCS_LOG_LEVEL', 'loud'],
    ['QCS_MAX_SHOTS', '1e6'],
    ['QCS_MEMORY_MIB', '1'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(name);
  });

  test('reads a list of proxies', () => {
    expect(loadConfig({ QCS_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).trustedProxies).toEqual([
      '10.0.0.0/8',
      '::1',
    ]);
  });
});

test('names QCS_ variables that nothing reads', () => {
  expect(unknownSettings({ QCS_PROT: '1', QCS_PORT: '1', QCS_TEST_X: '1', HOME: '/' })).toEqual([
    'QCS_PROT',
  ]);
});

test('the README shows the table of settings as the code has it', () => {
  expect(readFileSync('README.md', 'utf8')).toContain(settingsMarkdown());
});

test('the help text names every setting', () => {
  const help = settingsHelp();
  for (const name of Object.keys(SETTINGS)) expect(help).toContain(name);
});
