/**
 * Forecast of a cluster of six nodes on one PostgreSQL, from what two nodes cost on one machine. It is modelled: a
 * circuit is taken to cost as much processor time as it was measured to, and nothing else to be scarce.
 */
import { z } from 'zod';
import { readBenchResults } from './bench-results.ts';

const NODES = 6;
const DATABASE_CORES = 8;
const US_PER_S = 1e6;

const way = z.object({
  best: z.object({ perSecond: z.number() }),
  cost: z.object({
    databaseUs: z.number().positive(),
    nodesUs: z.record(z.string(), z.object({ main: z.number().nonnegative() })),
  }),
});
/** The part of the results file of `npm run bench -- cluster` that is read here. */
const benchResults = z.object({
  date: z.string(),
  machine: z.object({ cores: z.int() }),
  figures: z.object({ atOnce: way, queued: way }),
});

/** Small circuits on one way through a cluster. */
export interface ClusterWay {
  readonly name: 'at once' | 'queued';
  /** Measured with client, nodes and database on one machine. */
  readonly measuredPerSecond: number;
  /** Processor time of a circuit in the main threads of nodes, and in PostgreSQL; microseconds. */
  readonly mainUs: number;
  readonly databaseUs: number;
  /** Modelled: the most that six nodes do. */
  readonly perSecond: number;
  readonly limit: 'main threads of the nodes' | 'processors of the database';
}

export interface ClusterForecast {
  readonly numNodes: number;
  readonly databaseCores: number;
  /** Empty if no cluster was measured. */
  readonly ways: readonly ClusterWay[];
  /** Measurements behind the forecast, a sentence. */
  readonly explanation: string;
}

/**
 * Predicts six nodes with a database machine of eight cores.
 *
 * @param path - Results file; it may be missing.
 * @throws {FileUnreadableError} if the file is not a results file.
 */
export function forecastCluster(path: string): ClusterForecast {
  const facts = { numNodes: NODES, databaseCores: DATABASE_CORES };
  const results = readBenchResults(path, benchResults);
  if (results === undefined) {
    return { ...facts, ways: [], explanation: `No cluster was measured: there is no ${path}.` };
  }
  const { date, machine, figures } = results;
  return {
    ...facts,
    ways: [predicted('at once', figures.atOnce), predicted('queued', figures.queued)],
    explanation: `Processor time of a Bell circuit as measured on ${date.slice(0, 10)} on ${machine.cores} cores, client, nodes and database together; each node has one main thread, and PostgreSQL is taken to use all its cores.`,
  };
}

function predicted(
  name: ClusterWay['name'],
  { best, cost: { databaseUs, nodesUs } }: z.output<typeof way>,
): ClusterWay {
  // Nodes of all roles together: each of the six does both parts of the work.
  const mainUs = Object.values(nodesUs).reduce((sum, { main }) => sum + main, 0);
  const ofNodes = (NODES * US_PER_S) / mainUs;
  const ofDatabase = (DATABASE_CORES * US_PER_S) / databaseUs;
  return {
    name,
    measuredPerSecond: best.perSecond,
    mainUs,
    databaseUs,
    perSecond: Math.min(ofNodes, ofDatabase),
    limit: ofNodes < ofDatabase ? 'main threads of the nodes' : 'processors of the database',
  };
}
