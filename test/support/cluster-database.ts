/** Databases of nodes that tests play, on one server. */
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';

/** Connections of several nodes to one database. */
export interface ClusterDatabase extends AsyncDisposable {
  readonly url: string;
  /** Connections of each node. */
  readonly nodes: readonly PostgresDatabase[];
}

/** Connects nodes to a database, and creates its tables. */
export async function openClusterDatabase(url: string, numNodes: number): Promise<ClusterDatabase> {
  const nodes: PostgresDatabase[] = [];
  for (let i = 0; i < numNodes; i++) {
    nodes.push(await PostgresDatabase.open({ url, role: 'command' }));
  }
  return {
    url,
    nodes,
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.close()));
    },
  };
}
