/** A fault whose text has moved or changed would end a measurement of the suite hours after it began. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAULTS } from '../../seeded-faults/faults.ts';

test('the text that each seeded fault replaces stands in its file once, and names differ', () => {
  const wrong = FAULTS.filter(({ file, from }) => {
    return readFileSync(file, 'utf8').split(from).length !== 2;
  });
  expect(wrong.map(({ name, file }) => `${name}: ${file}`)).toEqual([]);
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
});
