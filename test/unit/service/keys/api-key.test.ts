import { expect, test } from 'vitest';
import { type ApiKey, isValidAt } from '../../../../src/service/http/api-key.ts';

const KEY: ApiKey = { id: '1', name: 'lab', tier: 'standard', scopes: ['read'], createdAt: 0 };

test.each([
  ['without an end is valid', {}, 1e15, true],
  ['is valid until it expires', { expiresAt: 100 }, 99, true],
  ['is not valid at the moment at which it expires', { expiresAt: 100 }, 100, false],
  ['is not valid once it is revoked', { expiresAt: 100, revokedAt: 50 }, 60, false],
])('a key %s', (_, times, now, isValid) => {
  expect(isValidAt({ ...KEY, ...times }, now)).toBe(isValid);
});
