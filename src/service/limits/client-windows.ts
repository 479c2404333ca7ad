/**
 * Windows of requests by client, where only addresses tell clients apart.
 *
 * A trusted proxy names its clients. One that the operator has not named would make all its clients one,
 * and the first of them to use up the budget would lock out the rest. Its header cannot be believed, for
 * any client may write one, but it can be used to share: each client that it names has the budget of an
 * address, and all of them together have that of a few. So a client behind it uses up its own share, and
 * one that writes the header itself gains no more than those few.
 */
import type { FastifyRequest } from 'fastify';
import { budgetAddress, createAddressList, forwardedClient } from './client-address.ts';
import { FixedWindows, type HitOutcome } from './fixed-windows.ts';

/** Budgets that the clients behind an unnamed proxy have together. */
export const SHARES_OF_PROXY = 10;

/**
 * The client that the request's headers name although no trusted proxy sent it; undefined where they name
 * none, or a trusted proxy did and `request.ip` is the client.
 */
export type UnnamedClient = (request: FastifyRequest) => string | undefined;

/** @param trustedProxies - Addresses and CIDR ranges. */
export function unnamedClientOf(trustedProxies: readonly string[]): UnnamedClient {
  const isTrusted = createAddressList(trustedProxies);
  return ({ headers, socket }) =>
    isTrusted(socket.remoteAddress) ? undefined : forwardedClient(headers);
}

/** Windows of one length for all clients. */
export class ClientWindows {
  readonly #windows: FixedWindows;
  readonly #unnamedClient: UnnamedClient;

  constructor(lengthMs: number, trustedProxies: readonly string[]) {
    this.#windows = new FixedWindows(lengthMs);
    this.#unnamedClient = unnamedClientOf(trustedProxies);
  }

  /** Counts a request of a client that may send `limit`; see FixedWindows.hit. */
  hit(request: FastifyRequest, limit: number, now: number): HitOutcome {
    const address = budgetAddress(request.ip);
    const client = this.#unnamedClient(request);
    if (client === undefined) return this.#windows.hit(address, limit, now);
    const all = { subject: `all behind ${address}`, limit: limit * SHARES_OF_PROXY };
    return this.#windows.hit(`${client} behind ${address}`, limit, now, all);
  }
}
