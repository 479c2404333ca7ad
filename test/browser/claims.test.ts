/** The stand-in for vitest, on claims of its own: what it collects and what it runs. */
import { expect, test } from 'vitest';
import * as claims from './claims.ts';

const done: string[] = [];

claims.describe('outer', () => {
  claims.beforeAll(() => done.push('outer opened'));
  claims.test('holds', () => done.push('holds'));
  claims.describe('inner', () => {
    claims.beforeAll(async () => done.push('inner opened'));
    claims.test.each([
      ['pair', 1],
      ['other', 2],
    ])('%s of %i', (name, i) => done.push(`ran ${name} ${i}`));
  });
  claims.test.each([{ name: 'H', size: 1 }])('$name', (value) =>
    done.push(`ran ${Object(value).size}`),
  );
});
claims.describe('broken', () => {
  claims.beforeAll(() => Promise.reject(new Error('not opened')));
  claims.test('never', () => done.push('never'));
});

test('claims are named in the order of the text, cases filled in', () => {
  expect(claims.claimNames()).toEqual([
    'outer > holds',
    'outer > inner > pair of 1',
    'outer > inner > other of 2',
    'outer > H',
    'broken > never',
  ]);
});

test('what comes before claims runs once, when the first of them does', async () => {
  await claims.runClaim(2);
  await claims.runClaim(0);
  await claims.runClaim(1);
  await claims.runClaim(3);
  expect(done).toEqual([
    'outer opened',
    'inner opened',
    'ran other 2',
    'holds',
    'ran pair 1',
    'ran 1',
  ]);
});

test('a claim whose preparation fails does not run', async () => {
  await expect(claims.runClaim(4)).rejects.toThrow('not opened');
  await expect(claims.runClaim(4)).rejects.toThrow('not opened');
  expect(done).not.toContain('never');
});

test('a claim that is not there is an error', async () => {
  await expect(claims.runClaim(5)).rejects.toThrow('no claim 5');
});
