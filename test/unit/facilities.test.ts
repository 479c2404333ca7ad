// @needs processes
/** Tests report the drivers and browsers that a machine lacks. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Found, skippedLines, unmetRequirement } from '../support/facilities/facilities.ts';
import {
  tryBrowserAt,
  tryDriverAt,
  tryPostgres,
  tryPython,
} from '../support/facilities/find-facilities.ts';

const PRESENT = { isPresent: true, path: '/there' } as const;
const ALL: Found = {
  lavapipe: PRESENT,
  SwiftShader: PRESENT,
  Chromium: PRESENT,
  'WebGPU in Chromium': PRESENT,
  'Python 3': PRESENT,
  'httpx for Python': PRESENT,
  'numpy for Python': PRESENT,
  curl: PRESENT,
  PostgreSQL: PRESENT,
};
const WITHOUT_LAVAPIPE: Found = { ...ALL, lavapipe: { isPresent: false, reason: 'It is gone.' } };

const SUITES = [
  { name: 'shaders', needs: ['lavapipe'], numTests: 3 },
  { name: 'pages', needs: ['Chromium'], numTests: 5 },
  { name: 'both drivers', needs: ['lavapipe', 'SwiftShader'], numTests: 4 },
] as const;

describe('the last lines of a run', () => {
  test('are none where everything is there', () => {
    expect(skippedLines(ALL, SUITES)).toEqual([]);
  });

  test('count the tests that need what is missing, name them, and say what to install', () => {
    const [line, ...others] = skippedLines(WITHOUT_LAVAPIPE, SUITES);
    expect(others).toEqual([]);
    expect(line).toMatch(
      /^SKIPPED without lavapipe: 7 tests \(both drivers; shaders\)\. It is gone\./,
    );
    expect(line).toContain('install mesa-vulkan-drivers');
  });

  test('leave out what no suite of the run needed', () => {
    expect(skippedLines(WITHOUT_LAVAPIPE, SUITES.slice(1, 2))).toEqual([]);
  });
});

describe('what the environment requires', () => {
  test('is an error where it is missing', () => {
    const environment = { QCS_TEST_REQUIRE_VULKAN: '1' };
    expect(unmetRequirement(WITHOUT_LAVAPIPE, environment)).toContain(
      'there is no lavapipe. It is gone.',
    );
    expect(unmetRequirement(ALL, environment)).toBeUndefined();
  });

  test('leaves the rest alone', () => {
    expect(unmetRequirement(WITHOUT_LAVAPIPE, { QCS_TEST_REQUIRE_CHROMIUM: '1' })).toBeUndefined();
    expect(unmetRequirement(WITHOUT_LAVAPIPE, {})).toBeUndefined();
  });
});

describe('a facility is missing', () => {
  test('whose file is not there', async () => {
    const missing = { isPresent: false, reason: expect.stringContaining('exist') };
    expect(await tryDriverAt('SwiftShader', undefined)).toEqual(missing);
    expect(await tryBrowserAt(undefined)).toEqual([missing, missing]);
    expect(await tryPostgres(undefined)).toEqual({
      isPresent: false,
      reason: expect.stringContaining('initdb'),
    });
    expect(await tryPostgres('/no/such/folder')).toEqual({
      isPresent: false,
      reason: expect.stringContaining('/no/such/folder/initdb'),
    });
    expect(await tryPython('os', 'no-such-python')).toEqual({
      isPresent: false,
      reason: expect.stringContaining('no-such-python'),
    });
  });

  test('whose file is there, and does not work', async () => {
    // On any machine: this file describes no driver, and node opens no page.
    const file = fileURLToPath(import.meta.url);
    expect(await tryDriverAt('lavapipe', file)).toEqual({
      isPresent: false,
      reason: expect.stringMatching(/.+\.$/),
    });
    const [browser, webGpu] = await tryBrowserAt(process.execPath);
    expect(browser).toEqual({
      isPresent: false,
      reason: expect.stringContaining(process.execPath),
    });
    expect(webGpu).toEqual(browser);
  });
});
