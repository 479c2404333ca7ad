/**
 * Rate limits: counts hits per subject in windows of fixed length that start with the subject's first hit,
 * and formats the headers that report them. Callers without a key are counted by their address.
 *
 * A Map keeps its entries in the order of insertion, and all windows are equally long, so ended windows are
 * at its front. Each hit removes them in constant amortized time, and memory holds only subjects of the last
 * window's length.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Window of a subject. */
export interface WindowState {
  readonly openedAt: number;
  readonly endsAt: number;
  /** Hits within the limit. */
  readonly used: number;
}

/** Outcome of a hit. */
interface HitOutcome extends WindowState {
  readonly allowed: boolean;
}

/** Windows of one node, or of all nodes of a cluster. */
export interface RequestWindows {
  /**
   * Counts one hit. A hit above the limit is neither counted nor allowed.
   *
   * @param now - Milliseconds on a monotonic clock.
   * @returns A promise only if the outcome depends on the database.
   * @throws {StorageUnwritableError} if the database is needed and cannot be written now.
   */
  hit(subject: string, limit: number, now: number): HitOutcome | Promise<HitOutcome>;
}

/** Windows of equal length for any number of subjects. Times are milliseconds. */
export class FixedWindows implements RequestWindows {
  readonly #lengthMs: number;
  readonly #maxSubjects: number;
  readonly #windows = new Map<string, { openedAt: number; used: number }>();

  /** @param maxSubjects - Greatest number of windows; beyond it the oldest is dropped. */
  constructor(lengthMs: number, maxSubjects = 100_000) {
    this.#lengthMs = lengthMs;
    this.#maxSubjects = maxSubjects;
  }

  /** Number of subjects with a window. */
  get size(): number {
    return this.#windows.size;
  }

  /**
   * Counts one hit. A hit above the limit is neither counted nor allowed.
   *
   * @param within - Second subject that the hit also counts for, with a limit of its own.
   */
  hit(
    subject: string,
    limit: number,
    now: number,
    within?: { readonly subject: string; readonly limit: number },
  ): HitOutcome {
    this.#forgetEnded(now);
    const wider = within && this.#open(within.subject, now);
    // Checked first: if it is used up, no window is opened for another subject.
    if (within && wider && wider.used >= within.limit) {
      return { allowed: false, ...this.#state(wider) };
    }
    const window = this.#open(subject, now);
    const allowed = window.used < limit;
    if (allowed) {
      window.used++;
      if (wider !== undefined) wider.used++;
    }
    return { allowed, ...this.#state(window) };
  }

  #open(subject: string, now: number): { openedAt: number; used: number } {
    let window = this.#windows.get(subject);
    if (window === undefined) {
      window = { openedAt: now, used: 0 };
      this.#windows.set(subject, window);
    }
    return window;
  }

  #state(window: { openedAt: number; used: number }): WindowState {
    return {
      openedAt: window.openedAt,
      endsAt: window.openedAt + this.#lengthMs,
      used: window.used,
    };
  }

  #forgetEnded(now: number): void {
    for (const [subject, window] of this.#windows) {
      const open = now < window.openedAt + this.#lengthMs;
      if (open && this.#windows.size <= this.#maxSubjects) return;
      this.#windows.delete(subject);
    }
  }
}

/** Length of a rate-limit window, seconds. */
export const WINDOW_S = 60;

/** Whole seconds until the window ends, at least 1 while it is open. */
export function secondsLeft(window: WindowState, now: number): number {
  return Math.max(0, Math.ceil((window.endsAt - now) / 1000));
}

/**
 * Headers RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers), and the older X- headers.
 * X-RateLimit-Reset is in seconds from now, like `t` of RateLimit.
 */
export function rateLimitHeaders(
  policy: string,
  limit: number,
  window: WindowState,
  now: number,
): Record<string, string | number> {
  const remaining = Math.max(0, limit - window.used);
  const reset = secondsLeft(window, now);
  return {
    'ratelimit-policy': `"${policy}";q=${limit};w=${WINDOW_S}`,
    ratelimit: `"${policy}";r=${remaining};t=${reset}`,
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
  };
}

/** Number of budgets that the clients behind an unnamed proxy share. */
const SHARES_OF_PROXY = 10;

/**
 * Client named by the headers of a request that no trusted proxy sent. Undefined if the headers name none, or
 * if a trusted proxy sent the request and `request.ip` is the client.
 */
type UnnamedClient = (request: FastifyRequest) => string | undefined;

/** @param trustedProxies - Addresses and CIDR ranges. */
export function unnamedClientOf(trustedProxies: readonly string[]): UnnamedClient {
  const isTrusted = createAddressList(trustedProxies);
  return ({ headers, socket }) =>
    isTrusted(socket.remoteAddress) ? undefined : forwardedClient(headers);
}

/**
 * Windows of clients that only their addresses tell apart, all of one length.
 *
 * A trusted proxy names its clients. Behind a proxy that the operator has not named, all clients would share
 * one budget, and the first to use it up would lock out the rest. The proxy's header cannot be trusted,
 * because any client may send one, but it can divide the budget: each client that it names has the budget of
 * one address, and all of them together have that of SHARES_OF_PROXY addresses. A client behind such a proxy
 * can use up only its own share, and a client that forges the header gains no more than those shares.
 */
export class ClientWindows {
  readonly #windows: FixedWindows;
  readonly #unnamedClient: UnnamedClient;

  constructor(lengthMs: number, trustedProxies: readonly string[]) {
    this.#windows = new FixedWindows(lengthMs);
    this.#unnamedClient = unnamedClientOf(trustedProxies);
  }

  /** Counts a request of a client whose limit is `limit`; see FixedWindows.hit. */
  hit(request: FastifyRequest, limit: number, now: number): HitOutcome {
    const address = budgetAddress(request.ip);
    const client = this.#unnamedClient(request);
    if (client === undefined) return this.#windows.hit(address, limit, now);
    const all = { subject: `all behind ${address}`, limit: limit * SHARES_OF_PROXY };
    return this.#windows.hit(`${client} behind ${address}`, limit, now, all);
  }
}

/** Slots by subject; subjects without slots take no memory. */
export class Slots {
  readonly #taken = new Map<string, number>();

  /**
   * Takes a slot.
   *
   * @param limit - Number of slots of the subject.
   * @returns Lease of the slot, returned when disposed of; undefined if all slots are taken.
   */
  acquire(subject: string, limit: number): Disposable | undefined {
    const taken = this.#taken.get(subject) ?? 0;
    if (taken >= limit) return undefined;
    this.#taken.set(subject, taken + 1);
    return { [Symbol.dispose]: () => this.#release(subject) };
  }

  #release(subject: string): void {
    const left = (this.#taken.get(subject) ?? 1) - 1;
    if (left > 0) this.#taken.set(subject, left);
    else this.#taken.delete(subject);
  }
}

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
