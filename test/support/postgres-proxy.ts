/** A proxy in front of a PostgreSQL server that loses what the test says. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What becomes of the connection over which a client sends COMMIT. */
export type CommitFault =
  /** The server commits, and its answer is lost with the connection. */
  | 'answer lost'
  /** The connection is lost before the server hears of it. */
  | 'request lost';

export interface PostgresProxy extends AsyncDisposable {
  readonly port: number;
  /** Does this to the next COMMIT. */
  breakNextCommit(fault: CommitFault): void;
  /** Ends all connections, and takes no more until `open` is called. */
  cut(): void;
  open(): void;
}

export async function startPostgresProxy(serverPort: number): Promise<PostgresProxy> {
  let fault: CommitFault | undefined;
  let isCut = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(serverPort, '127.0.0.1');
    let isAnswerLost = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (fault !== undefined && bytes.includes('COMMIT')) {
        const found = fault;
        fault = undefined;
        if (found === 'request lost') {
          client.destroy();
          return;
        }
        isAnswerLost = true;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (isAnswerLost) client.destroy();
      else client.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    breakNextCommit(next) {
      fault = next;
    },
    cut,
    open() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
    },
  };
}
