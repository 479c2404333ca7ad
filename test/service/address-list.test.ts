/** Addresses that an operator names; which clients match over HTTP is in metrics.test.ts. */
import { expect, test } from 'vitest';
import { createAddressList } from '../../src/service/http/limits.ts';

test('a connection without an address, because it was reset, is on no list', () => {
  const isListed = createAddressList(['0.0.0.0/0', '::/0']);
  expect([isListed('192.0.2.7'), isListed('2001:db8::1'), isListed(undefined)]).toEqual([
    true,
    true,
    false,
  ]);
});
