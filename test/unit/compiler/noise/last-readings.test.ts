import { describe, expect, test } from 'vitest';
import type {
  AssignOperation,
  DynamicOperation,
  MisreadOperation,
} from '../../../../src/circuit/circuit.ts';
import { lastReadings } from '../../../../src/compiler/noise/last-readings.ts';
import { gate } from '../../../support/random-circuits.ts';

const measure = (qubit: number, bit: number): DynamicOperation => ({
  kind: 'measure',
  qubits: [qubit],
  bits: [bit],
});
const misread = (bit: number): MisreadOperation => ({
  kind: 'misread',
  bits: [bit],
  p1Given0: 0.1,
  p0Given1: 0.2,
});
const copy = (from: number, to: number): AssignOperation => ({
  kind: 'assign',
  bits: [to],
  value: { kind: 'read', bits: [from], encoding: 'uint', type: 'uint' },
});

/** The operations that are put off, in their order at the end. */
function lastOf(operations: readonly DynamicOperation[]): readonly DynamicOperation[] {
  const { measures, misreads, assignments } = lastReadings(operations);
  return [...measures, ...misreads, ...assignments];
}

describe('measurements are put off to the end', () => {
  test('where nothing later acts on their qubits', () => {
    const [h, again] = [gate('H', [1]), gate('H', [0])];
    const all = [measure(0, 0), misread(0), h, measure(1, 1)];
    expect(lastReadings(all).operations).toEqual([h]);
    expect(lastOf(all)).toEqual([measure(0, 0), measure(1, 1), misread(0)]);
    expect(lastReadings([measure(0, 0), again]).operations).toEqual([measure(0, 0), again]);
  });

  test('not where a condition or a loop reads their bits', () => {
    const x = { ...gate('X', [1]), condition: { bits: [0], value: 1 } };
    expect(lastOf([measure(0, 0), misread(0), x])).toEqual([]);
    const loop: DynamicOperation = { kind: 'while', condition: { bits: [0], value: 1 }, body: [] };
    expect(lastOf([measure(0, 0), loop])).toEqual([]);
  });

  test('with what is computed from them, unless a later measurement changes its bits', () => {
    const computed = [measure(0, 0), copy(0, 1)];
    expect(lastOf(computed)).toEqual(computed);
    const overwritten = [measure(0, 0), copy(0, 1), measure(1, 0)];
    expect(lastReadings(overwritten).operations).toEqual(overwritten.slice(0, 2));
  });

  test('with what is computed only where other bits read a value', () => {
    const condition = { bits: [2], value: 0 };
    const where2 = { ...copy(0, 1), condition };
    const computed = [measure(0, 0), measure(1, 2), where2];
    expect(lastOf(computed)).toEqual(computed);
    const overwritten = [measure(1, 2), where2, measure(0, 2)];
    expect(lastReadings(overwritten).operations).toEqual(overwritten.slice(0, 2));
    const misreadLater = [where2, { ...misread(2), condition: { bits: [0], value: 1 } }];
    expect(lastOf(misreadLater)).toEqual([]);
  });

  test('and dropped where their bit is overwritten unread', () => {
    const all = [measure(0, 0), misread(0), measure(1, 0)];
    expect(lastReadings(all).operations).toEqual([]);
    expect(lastOf(all)).toEqual([measure(1, 0)]);
  });
});
