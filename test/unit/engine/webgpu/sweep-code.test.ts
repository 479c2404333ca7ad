/** The instructions of a stage, in quads as shaders/sweep.wgsl reads them. */
import { expect, test } from 'vitest';
import { type Complex, ONE } from '../../../../src/engine/complex.ts';
import {
  WordWriter,
  writeBlock,
  writeDense,
  writeDiagonal,
  writeExchange,
  writeFlip,
  writePhase,
  writeRotate,
  writeRotatePair,
} from '../../../../src/engine/webgpu/sweep/sweep-code.ts';

const factor = { mask: 0, phase: ONE };
const ones = (length: number) => new Array<Complex>(length).fill(ONE);
const pair = { even: 0.1, odd: 0.2, isImaginary: false };
const INSTRUCTIONS: Readonly<Record<string, (out: WordWriter) => void>> = {
  'a rotation': (out) => writeRotate(out, 0, 255, 0, 0.5),
  'a rotation of some pairs': (out) => writeRotate(out, 0, 1, 0, 0.5),
  'a flip': (out) => writeFlip(out, 0, 255, 0),
  'an exchange': (out) => writeExchange(out, 0, 1),
  'a phase of an odd number of factors': (out) => writePhase(out, 1, [factor, factor, factor]),
  'a diagonal': (out) => writeDiagonal(out, ones(16)),
  'a rotation of a pair': (out) => writeRotatePair(out, 15, 0, pair),
  'a rotation of a pair by i': (out) => writeRotatePair(out, 15, 0, { ...pair, isImaginary: true }),
  'a block on two bits': (out) => writeBlock(out, 15, 0, ones(16)),
  'a block on three bits': (out) => writeBlock(out, 3, 0, ones(64)),
  'a matrix on all registers': (out) => writeDense(out, 0, ones(256)),
};

test.each(Object.entries(INSTRUCTIONS))('%s says how many quads it has', (_, write) => {
  const out = new WordWriter();
  write(out);
  expect(out.toArray()[3]).toBe(out.length / 4);
});

test('no two kinds of instructions have one opcode', () => {
  const opcodes = Object.values(INSTRUCTIONS).map((write) => {
    const out = new WordWriter();
    write(out);
    return out.toArray()[0]! & 255;
  });
  expect(new Set(opcodes).size).toBe(opcodes.length);
});

test('exchanges of register bits are numbered as in the kernel, in either order', () => {
  const pairs = [
    [0, 1],
    [0, 2],
    [1, 2],
    [0, 3],
    [1, 3],
    [2, 3],
  ] as const;
  for (const [which, [low, high]] of pairs.entries()) {
    for (const [one, other] of [
      [low, high],
      [high, low],
    ] as const) {
      const out = new WordWriter();
      writeExchange(out, one, other);
      expect(out.toArray()[0]! >> 8).toBe(which);
    }
  }
});
