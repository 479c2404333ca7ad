/** A proxy in front of a PostgreSQL server that loses what the test says. */
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
  /** Ends all connections, and takes no more until `open` is called. */
  cut(): void;
  /**
   * Keeps all connections open, and passes nothing over them any more. Those that come before `open` is called are
   * taken, and pass nothing either.
   */
  silence(): void;
  /** Takes connections again, and breaks nothing that was to be broken. */
  open(): void;
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

export async function startPostgresProxy(serverPort: number): Promise<PostgresProxy> {
  let planned: PlannedFault | undefined;
  let state: 'open' | 'cut' | 'silent' = 'open';
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
      socket.on('error', () => {});
      socket.on('close', () => {
        // A silent connection does not tell one side that the other has gone.
        if (pair.isSilent) return;
        pairs.delete(pair);
        endPair(pair);
      });
    }
    let awaited: PlannedFault | undefined;
    client.on('data', (bytes) => {
      if (pair.isSilent) return;
      if (planned !== undefined && bytes.includes('COMMIT')) {
        awaited = planned;
        planned = undefined;
        if (awaited.fault === 'request lost') {
          strike(pair, awaited);
          return;
        }
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (pair.isSilent) return;
      if (awaited === undefined) client.write(bytes);
      else strike(pair, awaited);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    breakNextCommit(fault, after = 'end') {
      return new Promise((done) => {
        planned = { fault, after, done };
      });
    },
    cut,
    silence() {
      state = 'silent';
      for (const pair of pairs) pair.isSilent = true;
    },
    open() {
      state = 'open';
      planned = undefined;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
    },
  };
}
