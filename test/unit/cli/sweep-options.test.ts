import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { inputValue } from '../../../src/cli/option-parsers.ts';
import { type SweepOptions, withSweep } from '../../../src/cli/sweep-options.ts';

/** Options of a command line; throws commander's error for wrong ones. */
function parsed(...args: readonly string[]): SweepOptions {
  const command = withSweep(new Command().exitOverride());
  command.configureOutput({ writeErr: () => {} });
  return command.parse(args, { from: 'user' }).opts();
}

describe('--sweep', () => {
  test('a range has both ends, to the bit', () => {
    const { sweep } = parsed('--sweep', 'a=0.1:0.7:4');
    expect(sweep?.['a']).toHaveLength(4);
    expect([sweep?.['a']?.[0], sweep?.['a']?.[3]]).toEqual([0.1, 0.7]);
    expect(sweep?.['a']?.[1]).toBeCloseTo(0.3, 12);
    expect(parsed('--sweep', 'n=3:0:4')).toEqual({ sweep: { n: [3, 2, 1, 0] } });
  });

  test('is a list, of numbers or of booleans, and may be repeated', () => {
    expect(parsed('--sweep', ' a = 0, -1.5,2e-3', '--sweep', 'on=true,false,true')).toEqual({
      sweep: { a: [0, -1.5, 0.002], on: [true, false, true] },
    });
  });

  test.each([
    ['a', 'name=from:to:points'],
    ['a=', 'name=from:to:points'],
    ['=1,2', 'name=from:to:points'],
    ['a=0:1', 'from:to:points'],
    ['a=0:1:2:3', 'from:to:points'],
    ['a=0:1:0', 'from 2 to'],
    ['a=0:1:1', 'from 2 to'],
    ['a=0:1:2.5', 'from 2 to'],
    ['a=0:1:-3', 'from 2 to'],
    ['a=0:1:1000001', 'from 2 to 1000000'],
    ['a=0:end:3', '"end" is not a number'],
    ['a=true:false:2', 'ends of a range are numbers'],
    ['a=1,,2', '"" is not a number'],
    ['a=1,infinity', '"infinity" is not a number'],
  ])('refuses %s', (text, message) => {
    expect(() => parsed('--sweep', text)).toThrow(message);
  });

  test('refuses an input that is swept twice', () => {
    expect(() => parsed('--sweep', 'a=1,2', '--sweep', 'a=3,4')).toThrow('a is swept twice');
  });
});

describe('--observable', () => {
  const term = (coefficient: number, pauli: string) => ({ coefficient, pauli });

  test.each([
    ['Z0 Z1', [term(1, 'Z0 Z1')]],
    ['z0*x12', [term(1, 'z0 x12')]],
    ['X0Y1', [term(1, 'X0 Y1')]],
    ['-Z3', [term(-1, 'Z3')]],
    ['0.5*Z0 + X0 X1', [term(0.5, 'Z0'), term(1, 'X0 X1')]],
    ['2e-3 Z0-1.5 * X1 + .25I', [term(0.002, 'Z0'), term(-1.5, 'X1'), term(0.25, 'I')]],
    ['1 - Z0', [term(1, 'I'), term(-1, 'Z0')]],
  ])('%s is a sum', (text, terms) => {
    expect(parsed('--observable', text)).toEqual({ observable: [terms] });
  });

  test('may be repeated', () => {
    expect(parsed('--observable', 'Z0', '--observable', 'X1')).toEqual({
      observable: [[term(1, 'Z0')], [term(1, 'X1')]],
    });
  });

  test.each([
    ['', 'Write for example'],
    ['ZZ', '"ZZ" is not understood'],
    ['Z0 +', '"+" is not understood'],
    ['0.5*', 'is not understood'],
    ['Z0 2 X1', '"2 X1" is not understood'],
    ['Q0', '"Q0" is not understood'],
    ['Z0 + Q1', '"+ Q1" is not understood'],
  ])('refuses "%s"', (text, message) => {
    expect(() => parsed('--observable', text)).toThrow(message);
  });
});

test.each([
  ['0.5', 0.5],
  ['-2', -2],
  ['1e-3', 0.001],
  ['pi', Math.PI],
  ['π', Math.PI],
  ['-pi/2', -Math.PI / 2],
  ['2pi', 2 * Math.PI],
  ['3*pi/4', (3 * Math.PI) / 4],
  ['0.5 * pi', Math.PI / 2],
  ['true', true],
  ['false', false],
  ['', undefined],
  ['pi/0', undefined],
  ['two', undefined],
  ['1.2.3pi', undefined],
  ['Infinity', undefined],
])('the value %s of an input is %s', (text, value) => {
  expect(inputValue(text)).toEqual(value);
});
