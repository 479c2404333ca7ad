/** Rows of bits against the register of one shot at a time. */
import { expect, test } from 'vitest';
import type { AssignOperation, Condition } from '../../../../src/circuit/circuit.ts';
import { assign, conditionHolds } from '../../../../src/engine/classical-bits.ts';
import { BitRows } from '../../../../src/engine/stabilizer/bit-rows.ts';
import { valuesOf } from '../../../support/clifford-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { seeds, testSeeds } from '../../../support/seeds.ts';

const NUM_BITS = 7;
const ROW_WORDS = 4;
const AT = 3;
const SHOTS = Array.from({ length: 32 * ROW_WORDS }, (_, shot) => shot);

const randomWords = (stream: RandomStream) =>
  Int32Array.from({ length: AT + NUM_BITS * ROW_WORDS }, () => stream.below(2 ** 32));

/** The register of a shot. */
function registerOf(words: Int32Array, shot: number): Uint32Array {
  let register = 0;
  for (let bit = 0; bit < NUM_BITS; bit++) {
    const word = words[AT + bit * ROW_WORDS + (shot >>> 5)]!;
    register |= ((word >>> (shot & 31)) & 1) << bit;
  }
  return Uint32Array.of(register);
}

function randomCondition(stream: RandomStream): Condition {
  const bits = stream.distinct(1 + stream.below(3), NUM_BITS);
  return { bits, value: stream.below(2 ** bits.length) };
}

testSeeds('assignments are those of each shot by itself', seeds(20), (seed) => {
  const stream = new RandomStream(seed);
  for (const value of valuesOf(stream, NUM_BITS)) {
    for (const condition of [undefined, randomCondition(stream)]) {
      const assignment: AssignOperation = {
        kind: 'assign',
        bits: stream.distinct(3, NUM_BITS),
        value,
        ...(condition === undefined ? {} : { condition }),
      };
      const words = randomWords(stream);
      const expected = SHOTS.map((shot) => {
        const register = registerOf(words, shot);
        assign(assignment, register);
        return register;
      });
      new BitRows(words, AT, ROW_WORDS, NUM_BITS).assign(assignment);
      expect(SHOTS.map((shot) => registerOf(words, shot))).toEqual(expected);
    }
  }
});

testSeeds('conditions are those of each shot by itself', seeds(20), (seed) => {
  const stream = new RandomStream(50 + seed);
  const words = randomWords(stream);
  const condition = randomCondition(stream);
  const held = new BitRows(words, AT, ROW_WORDS, NUM_BITS).condition(condition);
  for (const shot of SHOTS) {
    const isHeld = ((held[shot >>> 5]! >>> (shot & 31)) & 1) === 1;
    expect(isHeld).toBe(conditionHolds(condition, registerOf(words, shot)));
  }
});

test('a condition on more than its bits can read never holds', () => {
  const rows = new BitRows(new Int32Array(4).fill(-1), 0, 4, 1);
  expect(rows.condition({ bits: [0], value: 3 })).toEqual(new Int32Array(4));
});
