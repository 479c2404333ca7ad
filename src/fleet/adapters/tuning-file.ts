/** Keeps the tunings of adapters in a JSON file of the data folder. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TuningStore } from '../../engine/webgpu/tuning/tuning.ts';

/** In the data folder; may be deleted at any time. */
export const TUNING_FILE = 'gpu-tuning.json';

/**
 * The store in a folder, which is made where it is missing. Nothing that is wrong with the file is an
 * error: what cannot be read counts as not there, what cannot be written is measured again next time.
 */
export function tuningFile(folder: string): TuningStore {
  const path = join(folder, TUNING_FILE);
  return {
    get: (key) => readTunings(path)[key],
    set: (key, tuning) => {
      // Processes of several adapters may write at a time: each file is whole, and the last one stays.
      const draft = `${path}.${process.pid}`;
      try {
        mkdirSync(folder, { recursive: true });
        const tunings = { ...readTunings(path), [key]: tuning };
        writeFileSync(draft, `${JSON.stringify(tunings, null, 2)}\n`);
        renameSync(draft, path);
      } catch {
        rmSync(draft, { force: true });
      }
    },
  };
}

function readTunings(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
    return { ...value };
  } catch {
    return {};
  }
}
