import { expect, test } from 'vitest';
import { X_AXIS, Z_AXIS } from '../../../../src/compiler/passes/gate-facts.ts';
import { CommutingGroups } from '../../../../src/compiler/passes/pair-rewriter.ts';

test('an operation reaches one that it shares an axis with, past all that commutes', () => {
  const groups = new CommutingGroups(1);
  const first = groups.add([0], [Z_AXIS]);
  groups.add([0], [Z_AXIS]);
  expect(groups.reaches(first, [0], [Z_AXIS])).toBe(true);
});

test('an operation about another axis reaches only its direct neighbour', () => {
  const groups = new CommutingGroups(1);
  const first = groups.add([0], [Z_AXIS]);
  expect(groups.reaches(first, [0], [X_AXIS])).toBe(true);
  groups.add([0], [Z_AXIS]);
  expect(groups.reaches(first, [0], [X_AXIS])).toBe(false);
});

test('one blocked qubit is enough to block', () => {
  const groups = new CommutingGroups(2);
  const first = groups.add([0, 1], [Z_AXIS, Z_AXIS]);
  const between = groups.add([1], [X_AXIS]);
  expect(groups.reaches(first, [1, 0], [Z_AXIS, Z_AXIS])).toBe(false);
  groups.remove(between);
  expect(groups.reaches(first, [1, 0], [Z_AXIS, Z_AXIS])).toBe(true);
});

test('nothing reaches across a separation', () => {
  const groups = new CommutingGroups(2);
  const first = groups.add([0, 1], [Z_AXIS, Z_AXIS]);
  groups.separate([1]);
  expect(groups.reaches(first, [0, 1], [Z_AXIS, Z_AXIS])).toBe(false);
});
