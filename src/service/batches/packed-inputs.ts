/** Inputs of a program that came as the base64 of their numbers. */

import type { FaultList } from '../../circuit/errors.ts';
import { inputPath } from '../../circuit/input-columns.ts';
import { formFaults } from '../../errors/form-faults.ts';
import { isJsonObject } from '../../workloads/procedures/json.ts';
import { packedArray } from './batch-schema.ts';

/** Replaces arrays that came as text by their numbers, and lists those that are malformed. */
export function unpackedInputs(
  inputs: Readonly<Record<string, unknown>>,
  faults: FaultList,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      if (!isJsonObject(value)) return [name, value];
      return [name, unpacked(name, value, faults) ?? 0];
    }),
  );
}

/** The numbers of an array that came as text; undefined if it is malformed. */
function unpacked(name: string, value: unknown, faults: FaultList): Float64Array | undefined {
  const path = inputPath(name);
  const form = packedArray.safeParse(value);
  if (!form.success) {
    const isMeant = isJsonObject(value) && 'data' in value;
    const problem =
      'An input is a number, a boolean, a label of bits such as "011", an array of one of them, or {"dtype": "<f8", "shape": [P], "data": "…"} with the base64 of P numbers of 64 bits.';
    const found = isMeant
      ? formFaults(form.error, packedArray, value)
      : [{ path: '', message: problem }];
    for (const fault of found) {
      faults.add(fault.path === '' ? path : `${path}.${fault.path}`, fault.message);
    }
    return undefined;
  }
  const { shape, data } = form.data;
  const [length = 0] = shape;
  if (shape.length !== 1) {
    faults.add(
      `${path}.shape`,
      `An array of inputs has one dimension, the points, not ${shape.length}.`,
    );
    return undefined;
  }
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(data)) {
    faults.add(`${path}.data`, 'This is not base64: it has other characters.');
    return undefined;
  }
  const bytes = Buffer.from(data, 'base64');
  const numBytes = Float64Array.BYTES_PER_ELEMENT * length;
  if (bytes.length !== numBytes) {
    const problem = `${bytes.length} bytes; ${length} numbers of 64 bits, as shape says, are ${numBytes}.`;
    faults.add(`${path}.data`, problem);
    return undefined;
  }
  return new Float64Array(Uint8Array.from(bytes).buffer);
}
