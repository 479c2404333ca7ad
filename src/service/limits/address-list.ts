/** Whether an address is one of those that an operator names. */
import { BlockList, isIP } from 'node:net';
import { withoutPort } from './client-address.ts';

/**
 * A test for addresses; a connection that was already reset has none, and is on no list.
 *
 * @param entries - IP addresses and CIDR ranges, checked before. IPv4 addresses also match where they are
 *   written as IPv6 ones (`::ffff:192.0.2.7`), as sockets that take both have them.
 */
export function createAddressList(
  entries: readonly string[],
): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = familyOf(address);
    if (family === undefined) throw new Error(`unreachable: ${entry} is no address`);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (text) => {
    if (text === undefined) return false;
    const address = withoutPort(text);
    const family = familyOf(address);
    return family !== undefined && list.check(address, family);
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  switch (isIP(address)) {
    case 4:
      return 'ipv4';
    case 6:
      return 'ipv6';
    default:
      return undefined;
  }
}
