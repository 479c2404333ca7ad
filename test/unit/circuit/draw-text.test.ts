/** Circuits as text, against drawings made by hand. */
import { expect, test } from 'vitest';
import type { DynamicOperation } from '../../../src/circuit/circuit.ts';
import { drawText } from '../../../src/circuit/draw-text.ts';
import { gate } from '../../support/random-circuits.ts';

const drawn = (numQubits: number, operations: readonly DynamicOperation[], width?: number) =>
  `\n${drawText({ numQubits, operations }, width)}\n`;
const measure = (qubit: number, bit: number): DynamicOperation => ({
  kind: 'measure',
  qubits: [qubit],
  bits: [bit],
});

test('gates, controls, swaps and angles', () => {
  const operations = [
    gate('H', [0]),
    gate('CX', [2], [0]),
    gate('RX', [1], [], [0.3]),
    gate('CRZ', [0], [2], [Math.PI / 2]),
    gate('SWAP', [0, 2]),
    gate('RXX', [2, 0], [], [-Math.PI]),
    gate('CCZ', [2], [0, 1]),
    gate('GPHASE', [], [], [1]),
  ];
  expect(drawn(3, operations)).toBe(`
q0: ─H──●───────────RZ(π/2)──×──RXX(-π):1──●────────────
        │              │     │      │      │
q1: ────┼──RX(0.3)─────┼─────┼──────┼──────●────────────
        │              │     │      │      │
q2: ────⊕──────────────●─────×──RXX(-π):0──●────────────
 c:                                           GPHASE(1)
`);
});

test('what reads a bit comes after what writes it, on other wires, too', () => {
  const condition = { bits: [0], value: 1 };
  const operations: readonly DynamicOperation[] = [
    measure(0, 0),
    { ...gate('X', [1]), condition },
    { kind: 'reset', qubits: [0] },
    { kind: 'barrier', qubits: [0, 1] },
    measure(1, 0),
  ];
  expect(drawn(2, operations)).toBe(`
q0: ─M─────|0⟩────░─────
                  │
q1: ────────X─────░──M──
 c:  c0  if c0=1     c0
`);
});

test('loops, assignments, noise, losses and snapshots', () => {
  const x = (probability: number) => ({ flips: 1, signs: 0, probability });
  const operations: readonly DynamicOperation[] = [
    { kind: 'noise', qubits: [0], channel: { kind: 'pauli', numQubits: 1, errors: [x(0.25)] } },
    { kind: 'noise', qubits: [1], channel: { kind: 'loss', numQubits: 1, probability: 0.1 } },
    {
      kind: 'while',
      condition: { bits: [0, 1], value: 2 },
      body: [gate('T', [0])],
    },
    {
      kind: 'save',
      qubits: [0, 1],
      label: 'middle',
      index: 3,
      output: { what: 'statevector' },
    },
  ];
  expect(drawn(2, operations)).toBe(`
q0: ─noise(0.25)─────────[─────────T───]─────◇────
                         │             │     │
q1: ──loss(0.1)──────────[─────────────]─────◇────
 c:               while c0=0,c1=1     end  middle
`);
});

test('a wide drawing is continued below, and a huge one says what is left out', () => {
  const gates = Array.from({ length: 20 }, () => gate('H', [0]));
  const lines = drawText({ numQubits: 1, operations: gates }, 40).split('\n\n');
  expect(lines).toHaveLength(2);
  expect(lines.every((line) => line.length <= 40)).toBe(true);
  expect(lines.join('').match(/H/g)).toHaveLength(20);
  const many = Array.from({ length: 500 }, () => gate('H', [0]));
  expect(drawText({ numQubits: 70, operations: many })).toMatch(
    /Left out: the last 100 operations and 6 qubits\.$/,
  );
});

test('no operation is drawn in part', () => {
  const gates = Array.from({ length: 400 }, () => gate('H', [1]));
  const both: DynamicOperation = { kind: 'measure', qubits: [0, 1], bits: [0, 1] };
  const text = drawText({ numQubits: 2, operations: [...gates, both] });
  expect(text).not.toContain('M');
  expect(text).toMatch(/Left out: the last 1 operation\.$/);
});
