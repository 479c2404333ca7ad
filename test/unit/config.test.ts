import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEVICE_IDS } from '../../src/compiler/device/public-devices.ts';
import {
  InvalidConfigError,
  loadConfig,
  SETTINGS,
  settingsHelp,
  settingsMarkdown,
  settingsWithoutEffect,
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
      corsOrigins: [],
      metricsAddresses: [],
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
    ['QCS_METRICS_ADDRESSES', 'prometheus.example'],
    ['QCS_METRICS_ADDRESSES', '10.0.0.0/33'],
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

describe('QCS_CORS_ORIGINS', () => {
  test('takes origins, or all', () => {
    const origins = 'https://app.example.com, http://localhost:3000';
    expect(loadConfig({ QCS_CORS_ORIGINS: origins }).corsOrigins).toEqual([
      'https://app.example.com',
      'http://localhost:3000',
    ]);
    expect(loadConfig({ QCS_CORS_ORIGINS: '*' }).corsOrigins).toEqual(['*']);
  });

  test.each([
    ['app.example.com', 'must be origins such as https://app.example.com'],
    ['null', 'must be origins such as'],
    ['ftp://example.com', 'must be origins such as'],
    ['https://app.example.com/', 'as browsers send it, here https://app.example.com,'],
    ['https://app.example.com/console', 'as browsers send it, here https://app.example.com,'],
    ['https://App.example.com:443', 'as browsers send it, here https://app.example.com,'],
    ['https://*.example.com', 'patterns are not taken'],
    ['*, https://app.example.com', 'must be * alone'],
  ])('refuses %s and says why', (value, why) => {
    expect(() => loadConfig({ QCS_CORS_ORIGINS: value })).toThrow(why);
  });
});

describe('the upstream of text generation', () => {
  const UPSTREAM = { QCS_LLM_BASE_URL: 'http://127.0.0.1:11434/v1' };

  test('is none without a base URL, whatever else is set', () => {
    expect(loadConfig({ QCS_LLM_MODEL: 'm', QCS_LLM_API_KEY: 'k' }).textModel).toBeUndefined();
  });

  test('has the documented defaults', () => {
    expect(loadConfig(UPSTREAM).textModel).toEqual({
      baseUrl: 'http://127.0.0.1:11434/v1',
      model: undefined,
      apiKey: undefined,
      timeoutMs: 30_000,
      maxTokens: 1024,
      probeIntervalMs: 300_000,
    });
  });

  test('takes every setting, and a base URL with a slash at its end', () => {
    const settings = {
      QCS_LLM_BASE_URL: 'https://models.example/api/v1/',
      QCS_LLM_MODEL: 'llama3.2:1b',
      QCS_LLM_API_KEY: 'sk-0123',
      QCS_LLM_TIMEOUT_S: '5',
      QCS_LLM_MAX_TOKENS: '64',
      QCS_LLM_PROBE_S: '60',
    };
    expect(loadConfig(settings).textModel).toEqual({
      baseUrl: 'https://models.example/api/v1',
      model: 'llama3.2:1b',
      apiKey: 'sk-0123',
      timeoutMs: 5000,
      maxTokens: 64,
      probeIntervalMs: 60_000,
    });
  });

  test.each([
    ['no URL', 'models.example/v1'],
    ['another protocol', 'file:///etc/passwd'],
    ['a password', 'http://user:hunter2@127.0.0.1/v1'],
    ['a user name', 'http://hunter2@127.0.0.1/v1'],
    ['a query', 'http://127.0.0.1/v1?key=hunter2'],
    ['an empty query', 'http://127.0.0.1/v1?'],
    ['a fragment', 'http://127.0.0.1/v1#hunter2'],
  ])('is refused as %s, without showing it', (_, url) => {
    const load = () => loadConfig({ QCS_LLM_BASE_URL: url });
    expect(load).toThrow('QCS_LLM_BASE_URL must');
    expect(load).not.toThrow(url);
    expect(load).not.toThrow('hunter2');
  });

  test.each([
    ['a line break', 'hunter2\nX-Other: 1'],
    ['a space', 'Bearer hunter2'],
    ['another alphabet', 'hunter2é'],
  ])('its key is refused with %s, without showing it', (_, key) => {
    const load = () => loadConfig({ ...UPSTREAM, QCS_LLM_API_KEY: key });
    expect(load).toThrow('QCS_LLM_API_KEY must');
    expect(load).not.toThrow('hunter2');
  });

  test.each([
    ['QCS_LLM_TIMEOUT_S', '0'],
    ['QCS_LLM_TIMEOUT_S', '301'],
    ['QCS_LLM_MAX_TOKENS', '0'],
    ['QCS_LLM_PROBE_S', '9'],
    ['QCS_LLM_MODEL', 'a\nb'],
  ])('is refused with %s=%s', (name, value) => {
    expect(() => loadConfig({ ...UPSTREAM, [name]: value })).toThrow(name);
  });

  test('settings that have no effect without it are named', () => {
    const environment = { QCS_LLM_MODEL: 'm', QCS_LLM_API_KEY: '', QCS_PORT: '1' };
    expect(settingsWithoutEffect(environment)).toEqual([
      { name: 'QCS_LLM_MODEL', needs: 'QCS_LLM_BASE_URL' },
    ]);
    expect(settingsWithoutEffect({ ...environment, ...UPSTREAM })).toEqual([]);
  });
});

describe('the provider of hardware', () => {
  const SERVICE = {
    QCS_HARDWARE_PROVIDER: 'service',
    QCS_HARDWARE_URL: 'http://10.0.0.5:8080/',
    QCS_HARDWARE_TOKEN: 'qcs_key',
    QCS_HARDWARE_BACKEND: 'emulator-iqm-garnet',
  };

  test('is none unless it is named, and its other settings have no effect then', () => {
    const { QCS_HARDWARE_PROVIDER: _, ...others } = SERVICE;
    expect(loadConfig(others).hardware).toBeUndefined();
    expect(settingsWithoutEffect(others).map(({ needs }) => needs)).toEqual([
      'QCS_HARDWARE_PROVIDER',
      'QCS_HARDWARE_PROVIDER',
      'QCS_HARDWARE_PROVIDER',
    ]);
    expect(settingsWithoutEffect(SERVICE)).toEqual([]);
  });

  test('has the documented defaults', () => {
    expect(loadConfig(SERVICE).hardware).toEqual({
      provider: 'service',
      baseUrl: 'http://10.0.0.5:8080',
      token: 'qcs_key',
      backend: 'emulator-iqm-garnet',
      maxJobs: 3,
      refreshMs: 300_000,
      timeoutMs: 30_000,
    });
  });

  test('of IBM has the public addresses, and needs an instance', () => {
    const { QCS_HARDWARE_URL: _, ...rest } = SERVICE;
    const ibm = { ...rest, QCS_HARDWARE_PROVIDER: 'ibm' };
    expect(() => loadConfig(ibm)).toThrow(
      'QCS_HARDWARE_INSTANCE must be set, because QCS_HARDWARE_PROVIDER is ibm.',
    );
    expect(loadConfig({ ...ibm, QCS_HARDWARE_INSTANCE: 'crn:v1:a' }).hardware).toMatchObject({
      provider: 'ibm',
      baseUrl: 'https://quantum.cloud.ibm.com/api/v1',
      iamUrl: 'https://iam.cloud.ibm.com',
      instance: 'crn:v1:a',
    });
  });

  test('names every setting that it lacks', () => {
    const load = () => loadConfig({ QCS_HARDWARE_PROVIDER: 'service' });
    for (const name of ['TOKEN', 'BACKEND', 'URL']) expect(load).toThrow(`QCS_HARDWARE_${name}`);
  });

  test.each([
    ['QCS_HARDWARE_TOKEN', 'hunter2 hunter2'],
    ['QCS_HARDWARE_INSTANCE', 'hunter2'],
    ['QCS_HARDWARE_URL', 'http://hunter2:x@host'],
  ])('a faulty %s is not shown', (name, value) => {
    const load = () => loadConfig({ ...SERVICE, [name]: value });
    expect(load).toThrow(`${name} must`);
    expect(load).not.toThrow('hunter2');
  });

  test('devices to emulate are known ones, each once', () => {
    const { emulators } = loadConfig({ QCS_EMULATORS: 'iqm-garnet, ibm-fez,iqm-garnet' });
    expect(emulators).toEqual(['iqm-garnet', 'ibm-fez']);
    expect(() => loadConfig({ QCS_EMULATORS: 'ibm-none' })).toThrow('must be some of ibm-fez');
    expect(() => loadConfig({ QCS_EMULATORS: 'none,ibm-fez' })).toThrow('ibm-fez, ibm-brisbane');
    expect(loadConfig({ QCS_EMULATORS: DEVICE_IDS.join() }).emulators).toEqual([...DEVICE_IDS]);
    expect(loadConfig({}).emulators).toEqual([...DEVICE_IDS]);
    expect(loadConfig({ QCS_EMULATORS: 'none' }).emulators).toEqual([]);
  });
});

test.each([
  ['QCS_PROT', 'QCS_PROT is no setting. Did you mean QCS_PORT?'],
  ['QCS_API_KEYS', 'QCS_API_KEYS is no setting. Did you mean QCS_API_KEY?'],
  ['QCS_MAX_CONECTIONS_PER_ADDRESS', 'Did you mean QCS_MAX_CONNECTIONS_PER_ADDRESS?'],
  ['QCS_RATE_LIMIT', 'Did you mean QCS_RATE_LIMIT_STANDARD or QCS_RATE_LIMIT_ENTERPRISE or'],
  ['QCS_KEY', 'Did you mean QCS_LLM_API_KEY or QCS_API_KEY?'],
  ['QCS_FROBNICATE', 'Unset it; `qcs serve --help` lists the settings.'],
])('refuses %s, which nothing reads', (name, message) => {
  expect(() => loadConfig({ [name]: '1', QCS_PORT: '1' })).toThrow(message);
});

test('takes what other parts read from the same environment, and what is empty', () => {
  const others = {
    QCS_URL: 'http://a',
    QCS_API_KEY: 'qcs_a',
    QCS_TEST_X: '1',
    QCS_BENCH_WIDE: '1',
  };
  expect(loadConfig({ ...others, QCS_PROT: '', HOME: '/' })).toEqual(loadConfig({}));
});

test('docs/settings.md shows the table of settings as the code has it', () => {
  expect(readFileSync('docs/settings.md', 'utf8')).toContain(settingsMarkdown());
});

test('the help text names every setting', () => {
  const help = settingsHelp();
  for (const name of Object.keys(SETTINGS)) expect(help).toContain(name);
});
