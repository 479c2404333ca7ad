/**
 * Faults of a cluster, one after another, under a mixed load. Which faults, where and when follows from the seed; the
 * load's own progress is the clock between them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, type ClusterNode, startCluster } from '../cluster.ts';
import { logFinals, readFinalsLog, readStoredJobs } from '../finals-log.ts';
import { RandomStream } from '../random-stream.ts';
import { ClusterLoad, type LoadCounts, repeatedNames } from './cluster-load.ts';
import type { Verdict } from './witness.ts';

const CLOCK_SHIFT_MS = 3_600_000;
/** A fault of a COMMIT is taken back if there is none for so long. */
const COMMIT_MS = 5000;
/** Part of the faults that come together with another one. */
const TOGETHER_PART = 0.2;
const LOOK_EVERY_MS = 50;
/** A fault comes after so long, whether or not a job runs on the node. */
const BUSY_MS = 3000;
const AT_REST_MS = 120_000;

/** What a fault does; a node's is one of that node. */
const FAULTS = {
  'kill -9 of a node': async ({ node }) => {
    await node.kill();
    await node.start();
  },
  'a node stopped for two leases': async ({ node, cluster }) => {
    node.freeze();
    await sleep(2 * cluster.leaseMs);
    node.thaw();
  },
  'a node restarted with its clock an hour off': async ({ node, random }) => {
    await node.kill();
    await node.start({ clockShiftMs: random.pick([-CLOCK_SHIFT_MS, CLOCK_SHIFT_MS]) });
  },
  'a crash of PostgreSQL': async ({ cluster: { server } }) => {
    await server.crash();
    await server.start();
  },
  'kill -9 of PostgreSQL': async ({ cluster: { server } }) => {
    await server.kill();
    await server.start();
  },
  'the answer of a COMMIT lost': (scene) => breakCommit(scene, 'answer lost'),
  'a COMMIT lost': (scene) => breakCommit(scene, 'request lost'),
  'connections to the database half-open': async ({ node: { proxy }, cluster }) => {
    proxy.silence();
    await sleep(2 * cluster.leaseMs);
    proxy.open();
  },
  'connections to the database cut': async ({ node: { proxy }, random, cluster }) => {
    proxy.cut();
    await sleep(random.uniform() * 2 * cluster.leaseMs);
    proxy.open();
  },
  'a node parted from the network': async ({ node, cluster }) => {
    await node.part();
    await sleep(2 * cluster.leaseMs);
    await node.join();
  },
} as const satisfies Readonly<Record<string, (scene: Scene) => Promise<void>>>;

type Fault = keyof typeof FAULTS;
const NAMES = Object.keys(FAULTS).filter((name): name is Fault => name in FAULTS);
/** Whether the fault is the database's, and no node's. */
const isOfServer = (name: Fault) => name.endsWith('of PostgreSQL');

interface Scene {
  readonly cluster: Cluster;
  readonly node: ClusterNode;
  readonly random: RandomStream;
}

/** Options of a run. */
export interface FaultRunOptions {
  /** Folder of PostgreSQL's programs. */
  readonly programs: string;
  readonly faults: number;
  /** Jobs that end between two faults, at least. */
  readonly jobsBetween: number;
  readonly seed: number;
  readonly lanes: number;
  readonly leaseS: number;
  readonly roles: readonly ('all' | 'api' | 'worker')[];
  /** Told what happens. */
  readonly onStep?: (text: string) => void;
}

/** Report on a run. */
export interface FaultReport extends Verdict {
  readonly faultsMade: number;
  readonly byKind: Readonly<Record<string, number>>;
  /** Of those, two at once. */
  readonly together: number;
  /** Whether nodes were parted in network namespaces; otherwise proxies held all bytes to the database. */
  readonly partedBy: 'network namespaces' | 'proxies';
  readonly seconds: number;
  readonly load: LoadCounts;
  /** Answers that showed final jobs, and were compared. */
  readonly finalsSeen: number;
  /** Jobs that the database has at the end. */
  readonly stored: number;
  /** Jobs that ran more than once, and were reported once. */
  readonly ranAgain: number;
  readonly mostAttempts: number;
  /** How often a node was given up or started. */
  readonly epochs: number;
  /** Everything that was wrong, in words. */
  readonly wrong: readonly string[];
}

/** Runs it. */
export async function runFaults(options: FaultRunOptions): Promise<FaultReport> {
  const { programs, roles, leaseS, seed, lanes, onStep = () => {} } = options;
  const begun = performance.now();
  await using cluster = await startCluster({
    programs,
    roles,
    leaseS,
    isInNamespaces: true,
    keys: ['standard', 'standard', 'enterprise'],
    onMigrated: logFinals,
  });
  const load = new ClusterLoad(cluster, seed);
  await load.start(lanes);
  const byKind: Record<string, number> = {};
  let [made, together] = [0, 0];
  const random = new RandomStream(seed + 1_000_000);
  const draw = drawFaults(random);
  while (made < options.faults) {
    await load.progress(options.jobsBetween);
    const isTogether = random.uniform() < TOGETHER_PART && made + 2 <= options.faults;
    const names = [draw()];
    // The server has one fault at a time.
    if (isTogether && !names.some(isOfServer)) names.push(draw());
    const nodes = random.shuffled(cluster.nodes);
    if (names.length > 1) together++;
    await untilBusy(cluster, nodes[0]);
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    const told = names.map((name, i) => (isOfServer(name) ? name : `${name} (${nodes[i]?.name})`));
    onStep(`${seconds} s, ${load.counts.ended} jobs ended: ${told.join(' and ')}`);
    await inflict(cluster, names, nodes, random);
    for (const name of names) byKind[name] = (byKind[name] ?? 0) + 1;
    made += names.length;
  }
  await load.progress(options.jobsBetween);
  onStep('no more faults');
  await load.finish();
  await untilAtRest(cluster);
  const [log, stored] = [await readFinalsLog(cluster.url), await readStoredJobs(cluster.url)];
  const verdict = load.witness.judge(log, stored);
  for (const fault of await repeatedNames(cluster)) load.witness.fault(fault);
  const epochs = await cluster.query('SELECT sum(epoch)::int AS epochs FROM nodes');
  return {
    faultsMade: made,
    byKind,
    together,
    partedBy: cluster.isInNamespaces ? 'network namespaces' : 'proxies',
    seconds: Math.round((performance.now() - begun) / 1000),
    ...verdict,
    load: load.counts,
    finalsSeen: load.witness.numSeen,
    stored: stored.length,
    ranAgain: stored.filter(({ attempts }) => attempts > 1).length,
    mostAttempts: Math.max(0, ...stored.map(({ attempts }) => attempts)),
    epochs: Number(epochs[0]?.['epochs'] ?? 0),
    wrong: load.witness.faults,
  };
}

/** Each kind comes once before any comes again. */
function drawFaults(random: RandomStream): () => Fault {
  let left: Fault[] = [];
  return () => {
    if (left.length === 0) left = [...random.shuffled(NAMES)];
    const next = left.pop();
    if (next === undefined) throw new Error('unreachable: there are faults');
    return next;
  };
}

/** Makes faults at once, each at a node of its own, and resolves once all nodes are ready again. */
async function inflict(
  cluster: Cluster,
  names: readonly Fault[],
  nodes: readonly ClusterNode[],
  random: RandomStream,
): Promise<void> {
  await Promise.all(
    names.map((name, i) => {
      const node = nodes[i];
      if (node === undefined) throw new Error('unreachable: there are as many nodes as faults');
      return FAULTS[name]({ cluster, node, random });
    }),
  );
  for (const node of cluster.nodes) await node.untilReady();
}

async function breakCommit(
  { node: { proxy }, random }: Scene,
  fault: 'answer lost' | 'request lost',
): Promise<void> {
  const broken = proxy.breakNextCommit(fault, random.pick(['end', 'silence']));
  await Promise.race([broken, sleep(COMMIT_MS)]);
  if (proxy.isToBreak) proxy.open();
}

/** Resolves once a job runs on a node, so that the fault meets it. */
async function untilBusy(cluster: Cluster, node: ClusterNode | undefined): Promise<void> {
  const begun = performance.now();
  while (performance.now() - begun < BUSY_MS) {
    const running = await cluster.query(
      `SELECT 1 FROM jobs WHERE status = 'running' AND owner = '${node?.name}' LIMIT 1`,
    );
    if (running.length > 0) return;
    await sleep(LOOK_EVERY_MS / 5);
  }
}

/** Resolves once no job waits or runs: of jobs whose callers were not answered, some still do. */
async function untilAtRest(cluster: Cluster): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const open = await cluster.query(
      `SELECT id FROM jobs WHERE status IN ('queued', 'running') LIMIT 1`,
    );
    // What does not end is the judge's to report.
    if (open.length === 0 || performance.now() - begun > AT_REST_MS) return;
    await sleep(LOOK_EVERY_MS);
  }
}
