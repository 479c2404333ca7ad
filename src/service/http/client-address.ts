/** Client addresses: the address that a budget is kept for, and lists of addresses from settings. */
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Budget shared by all requests whose address is unknown. */
const UNKNOWN = 'unknown';

/**
 * Address that a budget is kept for: a whole IPv4 address, or the first 64 bits of an IPv6 address, because
 * one client usually holds all addresses below such a prefix. Ports, which some proxies add to
 * `X-Forwarded-For`, are removed, because a client has many.
 *
 * @param address - Undefined if the connection was reset before its address was read.
 */
export function budgetAddress(address: string | undefined): string {
  if (address === undefined) return UNKNOWN;
  const ip = withoutPort(address);
  if (!ip.includes(':')) return ip;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = (ip.split('%')[0] ?? '').toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = new Array(Math.max(0, 8 - before.length - after.length)).fill('0');
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(':')}::/64`;
}

/** Removes port and brackets from `192.0.2.7:4711` and `[2001:db8::1]:4711`. */
function withoutPort(address: string): string {
  const [, ipv4, ipv6] =
    /^(?:(\d+\.\d+\.\d+\.\d+)(?::\d+)?|\[([^\]]*)\](?::\d+)?)$/.exec(address) ?? [];
  return ipv4 ?? ipv6 ?? address;
}

/**
 * Client address from `X-Forwarded-For` or `Forwarded` (RFC 7239), in the form used for budgets; undefined
 * without such a header.
 *
 * The last entry counts: the nearest proxy added it, and a client can forge only the earlier ones.
 */
export function forwardedClient(headers: IncomingHttpHeaders): string | undefined {
  const { 'x-forwarded-for': list, forwarded } = headers;
  const last = [list ?? forwarded].flat().at(-1)?.split(',').at(-1);
  if (last === undefined) return undefined;
  const named = list === undefined ? /\bfor="?([^";]*)/i.exec(last)?.[1] : last;
  const address = withoutPort(named?.trim() ?? '');
  return isIP(address) === 0 ? UNKNOWN : budgetAddress(address);
}

/**
 * Creates a test for addresses. The unknown address of a reset connection is on no list.
 *
 * @param entries - Valid IP addresses and CIDR ranges. IPv4 entries also match IPv4-mapped IPv6 addresses
 *   (`::ffff:192.0.2.7`), which dual-stack sockets report.
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
