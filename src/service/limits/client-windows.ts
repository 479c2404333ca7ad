/**
 * Request windows of clients that only their addresses tell apart.
 *
 * A trusted proxy names its clients. Behind a proxy that the operator has not named, all clients would share
 * one budget, and the first to use it up would lock out the rest. The proxy's header cannot be trusted,
 * because any client may send one, but it can divide the budget: each client that it names has the budget of
 * one address, and all of them together have that of SHARES_OF_PROXY addresses. A client behind such a proxy
 * can use up only its own share, and a client that forges the header gains no more than those shares.
 */
import type { FastifyRequest } from 'fastify';
import { budgetAddress, createAddressList, forwardedClient } from './client-address.ts';
import { FixedWindows, type HitOutcome } from './fixed-windows.ts';

/** Number of budgets that the clients behind an unnamed proxy share. */
export const SHARES_OF_PROXY = 10;

/**
 * Client named by the headers of a request that no trusted proxy sent. Undefined if the headers name none, or
 * if a trusted proxy sent the request and `request.ip` is the client.
 */
export type UnnamedClient = (request: FastifyRequest) => string | undefined;

/** @param trustedProxies - Addresses and CIDR ranges. */
export function unnamedClientOf(trustedProxies: readonly string[]): UnnamedClient {
  const isTrusted = createAddressList(trustedProxies);
  return ({ headers, socket }) =>
    isTrusted(socket.remoteAddress) ? undefined : forwardedClient(headers);
}

/** Windows of equal length for all clients. */
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
