// @needs processes
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gpuTarget, kernelSizes } from '../../../../src/engine/webgpu/gpu-target.ts';
import { readTuning, type Tuning, tuningKey } from '../../../../src/engine/webgpu/tuning/tuning.ts';
import { TUNING_FILE, tuningFile } from '../../../../src/fleet/adapters/open-adapter.ts';
import { gpuLimits } from '../../../support/gpu-limits.ts';
import { temporaryFolder } from '../../../support/service-process.ts';

const LIMITS = gpuLimits({ workgroupBytes: 32_768, threads: 256 });
const TUNING: Tuning = {
  tileQubits: 11,
  tilesPerGroup: 2,
  dispatchQubits: 27,
  copyBytesPerSecond: 4e12,
  sweepBytesPerSecond: 3e12,
  numMeasured: 3,
  numCandidates: 9,
  tookMs: 180,
};

/** A device as far as tunings are told apart by it. */
function deviceOf(info: Partial<GPUAdapterInfo> = {}): GPUDevice {
  const adapterInfo = { vendor: 'v', architecture: 'a', device: 'd', description: '1.0', ...info };
  // Checked: a key reads nothing else.
  return { adapterInfo, limits: LIMITS } as GPUDevice;
}

describe('a stored tuning', () => {
  test('is what was stored, in a folder that was not there', () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'new');
    tuningFile(folder).set('card', TUNING);
    tuningFile(folder).set('other card', { ...TUNING, tileQubits: 12, tilesPerGroup: 1 });
    expect(readTuning(tuningFile(folder).get('card'), LIMITS)).toEqual(TUNING);
    expect(readdirSync(folder)).toEqual([TUNING_FILE]);
  });

  test.each([['{"card": '], ['[1]'], ['null'], ['']])(
    'is none where the file reads %j, which the next one replaces',
    (text) => {
      using temporary = temporaryFolder();
      const folder = temporary.path;
      writeFileSync(join(folder, TUNING_FILE), text);
      const store = tuningFile(folder);
      expect(store.get('card')).toBeUndefined();
      store.set('card', TUNING);
      expect(JSON.parse(readFileSync(join(folder, TUNING_FILE), 'utf8'))).toEqual({ card: TUNING });
    },
  );

  test('that cannot be written is no error, and leaves nothing behind', () => {
    using temporary = temporaryFolder();
    const folder = temporary.path;
    mkdirSync(join(folder, TUNING_FILE));
    const store = tuningFile(folder);
    store.set('card', TUNING);
    expect(store.get('card')).toBeUndefined();
    expect(readdirSync(folder)).toEqual([TUNING_FILE]);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['no object', 'tuning'],
    ['a tile of a part of a qubit', { ...TUNING, tileQubits: 10.5 }],
    ['a tile that the device does not hold', { ...TUNING, tileQubits: 13 }],
    ['more tiles than the device holds', { ...TUNING, tilesPerGroup: 4 }],
    ['no power of two', { ...TUNING, tileQubits: 8, tilesPerGroup: 3 }],
    ['a tile too small', { ...TUNING, tileQubits: 7 }],
    ['a huge dispatch', { ...TUNING, dispatchQubits: 40 }],
    ['no rate', { ...TUNING, copyBytesPerSecond: null }],
  ])('is none where it says %s', (_, value) => {
    expect(readTuning(value, LIMITS)).toBeUndefined();
  });

  test('is for one adapter, driver and text of the kernels', () => {
    const shaders = (name: string) => `text of ${name}`;
    const keys = [
      tuningKey(deviceOf(), shaders),
      tuningKey(deviceOf({ device: 'e' }), shaders),
      tuningKey(deviceOf({ description: '1.1' }), shaders),
      tuningKey(deviceOf(), (name) => (name === 'sweep' ? 'new' : shaders(name))),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(tuningKey(deviceOf(), shaders)).toBe(keys[0]);
  });
});

describe('an engine’s sizes', () => {
  test('are those of its tuning', () => {
    const { tileQubits, tilesPerGroup, dispatchQubits } = TUNING;
    expect(kernelSizes(LIMITS, { tuning: TUNING })).toEqual({
      tileQubits,
      tilesPerGroup,
      dispatchQubits,
    });
    expect(gpuTarget(LIMITS, { tuning: TUNING }).tileQubits).toBe(11);
  });

  test('are those that were set, where a tuning says otherwise', () => {
    expect(kernelSizes(LIMITS, { tuning: TUNING, tileQubits: 8 })).toEqual({
      tileQubits: 8,
      tilesPerGroup: 4,
      dispatchQubits: 27,
    });
  });

  test('are the defaults without either', () => {
    expect(kernelSizes(LIMITS, {})).toEqual({
      tileQubits: 10,
      tilesPerGroup: 1,
      dispatchQubits: 22,
    });
  });
});
