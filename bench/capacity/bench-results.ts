/** Results files of benchmarks, which forecasts are made from. */
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { FileUnreadableError } from '../../src/cli/errors.ts';

/**
 * Reads a results file.
 *
 * @param schema - The part of it that is read.
 * @returns Undefined if there is no file.
 * @throws {FileUnreadableError} if it is not such a results file.
 */
export function readBenchResults<T extends z.ZodType>(
  path: string,
  schema: T,
): z.output<T> | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new FileUnreadableError(path, 'it is not what the benchmark stores', { cause: error });
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new FileUnreadableError(path, String(error), { cause: error });
  }
}
