/** File of the final state that `qcs run --save-state` writes: complex numbers, as a download has them. */
import { writeFile } from 'node:fs/promises';
import { FileUnwritableError, OptionsConflictError } from './errors.ts';

/** Option that names the file. */
export interface StateFileOptions {
  readonly saveState?: string;
}

/**
 * Fields of a request whose state is written to the file, if there is one.
 *
 * @throws {OptionsConflictError} if the request keeps its state, and there is no file for it.
 */
export function withKeptState<Fields extends Readonly<Record<string, unknown>>>(
  fields: Fields,
  { saveState }: StateFileOptions,
): Fields {
  const { return: own, statevector_format: format } = fields;
  if (saveState === undefined) {
    if (format !== 'binary') return fields;
    const problem =
      'statevector_format is "binary", and no --save-state says where the state goes.';
    throw new OptionsConflictError(problem);
  }
  const outputs = [...new Set([...(Array.isArray(own) ? own : ['counts']), 'statevector'])];
  return { ...fields, return: outputs, statevector_format: 'binary' };
}

/**
 * Writes amplitudes by basis index: two little-endian floats of 64 bits each.
 *
 * @throws {FileUnwritableError}
 */
export async function writeStateFile(path: string, amplitudes: Float64Array): Promise<void> {
  const { buffer, byteOffset, byteLength } = amplitudes;
  try {
    await writeFile(path, new Uint8Array(buffer, byteOffset, byteLength));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FileUnwritableError(path, why, { cause: error });
  }
}
