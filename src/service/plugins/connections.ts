/**
 * Bounds what one connection, one address and all of them together may take.
 *
 * Node's server reads and starts every pipelined request at once and gathers the answers; here each waits
 * for the answer before it, so that one connection costs no more than one request at a time. Connections
 * are counted, and ended when their client stops sending a request or reading an answer.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { budgetAddress, createAddressList } from '../limits/client-address.ts';
import { Slots } from '../limits/slots.ts';
import type { ServiceSettings } from '../service-deps.ts';

/** Requests of one connection that may wait for the answers before them. */
const MAX_PIPELINED = 100;
/** Looks for requests that did not arrive in time, in one time limit. */
const LOOKS = 12;

/** Settings of the server under which connections end that are silent, or send or read too slowly. */
export function connectionTimeouts(requestTimeoutMs: number) {
  return {
    // Without a byte in either direction; `leaveWaiting` says which connections stay all the same.
    connectionTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    http: {
      // Here, too: Node holds the limit of headers to it before Fastify has set it.
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.max(100, Math.floor(requestTimeoutMs / LOOKS)),
    },
  };
}

/** Bounds what connections take; to be called before any other hook is added. */
export function registerConnections(
  app: FastifyInstance,
  { maxConnections, maxConnectionsOfAddress, trustedProxies, requestTimeoutMs }: ServiceSettings,
): void {
  boundConnections(app.server, maxConnections, maxConnectionsOfAddress, trustedProxies);
  passOverExpectations(app.server);
  inTurn(app);
  leaveWaiting(app, requestTimeoutMs);
}

/** Ends connections above the limits as they come; proxies bring those of many clients. */
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
 * Takes requests whose `Expect` header asks for something unknown as if they had none, which RFC 9110
 * allows (section 10.1.1). Node itself would answer them 417, which is no answer of this service.
 */
function passOverExpectations(server: Server): void {
  server.on('checkExpectation', (request, answer) => server.emit('request', request, answer));
}

/** A request that is not answered yet. */
interface Unanswered {
  readonly request: IncomingMessage;
  readonly answer: ServerResponse;
  /** Has it go on. */
  readonly begin: () => void;
}

/** Requests of each connection, in order of arrival; the first is being answered. */
const lines = new WeakMap<Duplex, Unanswered[]>();

/** The request of a connection that is under way; undefined between requests. */
export function requestUnderWay(socket: Duplex): Unanswered | undefined {
  return lines.get(socket)?.[0];
}

/** Has each request wait until the one before it on its connection has been answered. */
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
      // A request is not begun after a last answer, nor for a client that has gone.
      if (socket.writable) own[0]?.begin();
    });
    if (own.push({ request, answer, begin }) === 1) begin();
    else if (own.length > MAX_PIPELINED) socket.destroy();
  });
}

/** Leaves silent connections that wait for an answer; those with an answer that is not read end. */
function leaveWaiting(app: FastifyInstance, limitMs: number): void {
  app.addHook('onRequest', ({ raw: { socket } }, { raw: answer }, done) => {
    // Without a listener Node ends the connection.
    answer.on('timeout', () => {
      if (socket.writableLength > 0) socket.destroy();
      else socket.setTimeout(limitMs);
    });
    done();
  });
}
