/** What follows from the table of outputs. */
import { expect, test } from 'vitest';
import {
  factsOf,
  OUTPUTS,
  type OutputName,
  readsState,
  requestFor,
} from '../../../src/circuit/outputs.ts';

const NAMES = Object.keys(OUTPUTS) as OutputName[];

test.each(NAMES)('a request for %s reads the state where the output is read off it', (name) => {
  const request = requestFor([name], { observables: [], amplitudes: [] });
  expect(readsState(request)).toBe(factsOf(name).reads === 'state');
});
