/** A proxy in front of a PostgreSQL server that loses, holds back or delays what the test says. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What becomes of a COMMIT. */
export type CommitFault =
  /** The server commits, and its answer is lost. */
  | 'answer lost'
  /** The server does not hear of it. */
  | 'request lost';

/** What becomes of the connections then. */
export type AfterFault =
  /** That connection ends. */
  | 'end'
  /** That connection stays open on both sides, and passes nothing any more. */
  | 'silence'
  /** All connections end, and no more are taken until `open` is called. */
  | 'cut';

export interface PostgresProxy extends AsyncDisposable {
  readonly port: number;
  /** Does this to the next COMMIT. Resolves when it is done: if the answer is lost, the server has committed. */
  breakNextCommit(fault: CommitFault, after?: AfterFault): Promise<void>;
  /** Ends all connections once clients have sent so many messages; the last one does not arrive. Resolves then. */
  endAfter(numMessages: number): Promise<void>;
  /** Whether the next COMMIT is still to be broken. */
  readonly isToBreak: boolean;
  /** Ends all connections, and takes no more until `open` is called. */
  cut(): void;
  /**
   * Keeps all connections open, and passes nothing over them any more. Those that come before `open` is called are
   * taken, and pass nothing either.
   */
  silence(): void;
  /** Holds back all that comes from either side, as a pulled cable does; `open` lets it through. */
  hold(): void;
  /** Takes connections again, ends `hold`, and breaks nothing that was to be broken. */
  open(): void;
  /** Lets everything arrive so much later, each way. */
  delayBy(ms: number): void;
}

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
  isSilent: boolean;
}

interface PlannedFault {
  readonly fault: CommitFault;
  readonly after: AfterFault;
  readonly done: () => void;
}

/**
 * Starts a proxy.
 *
 * @param host - Address to listen on.
 */
export async function startPostgresProxy(
  serverPort: number,
  host = '127.0.0.1',
): Promise<PostgresProxy> {
  let planned: PlannedFault | undefined;
  let state: 'open' | 'cut' | 'silent' | 'held' = 'open';
  let delayMs = 0;
  let end: { numMessages: number; readonly done: () => void } | undefined;
  const pairs = new Set<Pair>();
  const endPair = ({ client, upstream }: Pair) => {
    client.destroy();
    upstream.destroy();
  };
  const cut = () => {
    state = 'cut';
    for (const pair of pairs) endPair(pair);
  };
  const strike = (pair: Pair, { after, done }: PlannedFault) => {
    if (after === 'silence') pair.isSilent = true;
    else if (after === 'cut') cut();
    else endPair(pair);
    done();
  };
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect(serverPort, '127.0.0.1');
    const pair: Pair = { client, upstream, isSilent: state === 'silent' };
    pairs.add(pair);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      if (state === 'held') socket.pause();
      socket.on('error', () => {});
      socket.on('close', () => {
        // A silent connection does not tell one side that the other has gone.
        if (pair.isSilent) return;
        pairs.delete(pair);
        endPair(pair);
      });
    }
    let awaited: PlannedFault | undefined;
    const toUpstream = passTo(upstream, () => delayMs);
    const toClient = passTo(client, () => delayMs);
    client.on('data', (bytes) => {
      if (pair.isSilent) return;
      if (end !== undefined) end.numMessages -= 1;
      if (end?.numMessages === 0) {
        end.done();
        end = undefined;
        for (const each of pairs) endPair(each);
        return;
      }
      if (planned !== undefined && bytes.includes('COMMIT')) {
        awaited = planned;
        planned = undefined;
        if (awaited.fault === 'request lost') {
          strike(pair, awaited);
          return;
        }
      }
      toUpstream(bytes);
    });
    upstream.on('data', (bytes) => {
      if (pair.isSilent) return;
      if (awaited === undefined) toClient(bytes);
      // Answers to earlier statements are lost, too. The server must not hear of that before it has committed.
      else if (bytes.includes('COMMIT') || bytes.includes('ROLLBACK')) strike(pair, awaited);
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    breakNextCommit(fault, after = 'end') {
      return new Promise((done) => {
        planned = { fault, after, done };
      });
    },
    endAfter(numMessages) {
      return new Promise((done) => {
        end = { numMessages, done };
      });
    },
    get isToBreak() {
      return planned !== undefined;
    },
    cut,
    silence() {
      state = 'silent';
      for (const pair of pairs) pair.isSilent = true;
    },
    hold() {
      state = 'held';
      for (const { client, upstream } of pairs) {
        client.pause();
        upstream.pause();
      }
    },
    open() {
      state = 'open';
      planned = undefined;
      end = undefined;
      for (const { client, upstream } of pairs) {
        client.resume();
        upstream.resume();
      }
    },
    delayBy(ms) {
      delayMs = ms;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
    },
  };
}

/** Passes bytes on, in order, each after the delay of the time when it came. */
function passTo(to: Socket, delayMs: () => number): (bytes: Buffer) => void {
  const waiting: { readonly at: number; readonly bytes: Buffer }[] = [];
  const pump = () => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const early = next.at - performance.now();
      if (early > 0) {
        setTimeout(pump, early);
        return;
      }
      waiting.shift();
      to.write(next.bytes);
    }
  };
  return (bytes) => {
    if (delayMs() === 0 && waiting.length === 0) {
      to.write(bytes);
      return;
    }
    waiting.push({ at: performance.now() + delayMs(), bytes });
    if (waiting.length === 1) pump();
  };
}
