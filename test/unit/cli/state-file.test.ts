import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withKeptState, writeStateFile } from '../../../src/cli/state-file.ts';
import { temporaryFolder } from '../../support/service-process.ts';

test('a state that is written to a file is asked for beside the other outputs', () => {
  const fields = withKeptState({ return: ['memory'] }, { saveState: 'x' });
  expect(fields).toEqual({ return: ['memory', 'statevector'], statevector_format: 'binary' });
  expect(withKeptState({ shots: 1 }, {})).toEqual({ shots: 1 });
});

test('a state that would go nowhere is refused', () => {
  expect(() => withKeptState({ statevector_format: 'binary' }, {})).toThrow('--save-state');
});

test('the file has the amplitudes, also those of a longer array', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'state');
  await writeStateFile(path, Float64Array.of(9, 0.6, -0.8).subarray(1));
  const bytes = await readFile(path);
  expect([bytes.readDoubleLE(0), bytes.readDoubleLE(8), bytes.length]).toEqual([0.6, -0.8, 16]);
});
