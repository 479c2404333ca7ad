/**
 * Limits of one connection, of one address and of all connections.
 *
 * Node's server starts every pipelined request at once and collects the answers. Here each waits for the
 * answer before it, so one connection costs no more than one request at a time. Connections are counted, and
 * closed if their client stops sending a request or reading an answer. The work of a request is aborted if its
 * caller disconnects.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceSettings } from '../service-deps.ts';
import { callerOf } from './authentication.ts';
import { CallerGoneError } from './errors.ts';
import { LARGE_BODY_BYTES } from './json-body.ts';
import { budgetAddress, createAddressList, Slots } from './limits.ts';
import type { ReadingCaller } from './reading/readers.ts';

/** Greatest number of pipelined requests that wait on one connection. */
const MAX_PIPELINED = 100;
/** Checks for late requests per time limit. */
const LOOKS = 12;

/** Server settings that close connections that are silent, or send or read too slowly. */
export function connectionTimeouts(requestTimeoutMs: number) {
  return {
    // Time without a byte in either direction; `leaveWaiting` makes exceptions.
    connectionTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    http: {
      // Set here too: Node applies its limit of headers before Fastify has set it.
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.max(100, Math.floor(requestTimeoutMs / LOOKS)),
    },
  };
}

/** Limits connections. Call it before any other hook is added. */
export function registerConnections(
  app: FastifyInstance,
  { maxConnections, maxConnectionsOfAddress, trustedProxies, requestTimeoutMs }: ServiceSettings,
): void {
  boundConnections(app.server, maxConnections, maxConnectionsOfAddress, trustedProxies);
  passOverExpectations(app.server);
  inTurn(app);
  leaveWaiting(app, requestTimeoutMs);
}

/**
 * Closes connections above the limits when they open. Trusted proxies are exempt from the limit per address.
 */
function boundConnections(
  server: Server,
  most: number,
  mostOfAddress: number,
  proxies: readonly string[],
): void {
  server.maxConnections = most;
  const isProxy = createAddressList(proxies);
  const slots = new Slots();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    const limit = isProxy(remoteAddress) ? most : mostOfAddress;
    const slot = slots.acquire(budgetAddress(remoteAddress), limit);
    if (slot === undefined) socket.destroy();
    else socket.once('close', () => slot[Symbol.dispose]());
  });
}

/**
 * Ignores unknown `Expect` headers, which RFC 9110 allows (section 10.1.1). Node would answer 417 outside the
 * envelope.
 */
function passOverExpectations(server: Server): void {
  server.on('checkExpectation', (request, answer) => server.emit('request', request, answer));
}

/** Request that is not answered yet. */
interface Unanswered {
  readonly request: IncomingMessage;
  readonly answer: ServerResponse;
  /** Continues the request. */
  readonly begin: () => void;
}

/** Requests of each connection in order of arrival; the first one is being answered. */
const lines = new WeakMap<Duplex, Unanswered[]>();

/** Request that a connection is answering; undefined between requests. */
export function requestUnderWay(socket: Duplex): Unanswered | undefined {
  return lines.get(socket)?.[0];
}

/** Delays each request until the previous one on its connection is answered. */
function inTurn(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: request }, { raw: answer }, begin) => {
    const { socket } = request;
    let line = lines.get(socket);
    if (line === undefined) {
      line = [];
      lines.set(socket, line);
    }
    const own = line;
    answer.once('close', () => {
      own.shift();
      // No request starts after a last answer, or for a client that has disconnected.
      if (socket.writable) own[0]?.begin();
    });
    if (own.push({ request, answer, begin }) === 1) begin();
    else if (own.length > MAX_PIPELINED) socket.destroy();
  });
}

/** Keeps silent connections open that wait for an answer; closes those that do not read theirs. */
function leaveWaiting(app: FastifyInstance, limitMs: number): void {
  app.addHook('onRequest', ({ raw: { socket } }, { raw: answer }, done) => {
    // Without a listener, Node closes the connection.
    answer.on('timeout', () => {
      if (socket.writableLength > 0) socket.destroy();
      else socket.setTimeout(limitMs);
    });
    done();
  });
}

/**
 * Creates a signal that aborts with CallerGoneError if the connection closes before the answer is sent.
 *
 * It listens to the answer and not to the connection, which is kept for many requests and would collect a
 * listener from each.
 */
export function callerSignal({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (raw.writableEnded) return;
    controller.abort(new CallerGoneError());
  });
  return controller.signal;
}

/** Caller of a body to read. A chunked body counts as the smallest large one. */
export function readingCaller(request: FastifyRequest, reply: FastifyReply): ReadingCaller {
  const numBytes = Number(request.headers['content-length'] ?? LARGE_BODY_BYTES);
  return { keyId: callerOf(request).key.id, numBytes, signal: callerSignal(reply) };
}
