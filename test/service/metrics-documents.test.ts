/** Documents of the metrics, docs/operations.md and the dashboard, are held to a scrape. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ERROR_TABLE } from '../../src/service/http/error-table.ts';
import type { ClusterFigures } from '../../src/service/metrics/cluster-metrics.ts';
import { ServiceMetrics } from '../../src/service/metrics/service-metrics.ts';
import { Workloads } from '../../src/workloads/workloads.ts';
import { metricOf, parseScrape, type Scrape } from '../support/prometheus-text.ts';
import { InProcessPool } from './support/in-process-pool.ts';
import { openModelService } from './support/model-service.ts';
import { BELL, START, settled } from './support/test-service.ts';

const DOCUMENT = readFileSync('docs/operations.md', 'utf8');
const METRIC_NAME = /\b(?:qcs|nodejs|process)_[a-z0-9_]+/g;
/** Those that Prometheus itself adds. */
const ADDED_LABELS = ['le', 'instance', 'job'];
/** In a cluster every sample has it; the tables leave it out. */
const NODE_LABEL = 'node';

const dashboard = z
  .object({
    uid: z.string(),
    templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.unknown() })) }),
    panels: z.array(
      z.object({
        id: z.number(),
        type: z.string(),
        title: z.string(),
        gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
        targets: z.array(z.object({ expr: z.string() })).default([]),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('docs/grafana/qcs-dashboard.json', 'utf8')));
const EXPRESSIONS = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

interface Row {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** The rows of the document's tables. */
function documentedMetrics(): readonly Row[] {
  const rows = DOCUMENT.matchAll(/^\| `([a-z0-9_]+)` \| (\w+) \| ([^|]*)\| [^|]+ \|$/gm);
  return [...rows].map(([, name = '', type = '', labels = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  }));
}

const CLUSTER: ClusterFigures = {
  nodes: ['up'],
  leaseAgeMs: 400,
  numClaims: 0,
  numGivenUp: 0,
  queuedJobs: new Map([['circuits', 3]]),
  notifications: { sent: 0, received: 0 },
};

/** A scrape after something of everything has happened. */
async function scrapeAfterLoad(): Promise<Scrape> {
  const workloads = new Workloads({
    processors: [],
    pool: new InProcessPool(),
    queueLimit: 4,
    now: () => START,
  });
  await workloads.start();
  const settings = { metricsAddresses: ['127.0.0.1'] };
  const metrics = new ServiceMetrics(() => 0);
  metrics.setCluster({ node: 'a', figures: () => CLUSTER });
  await using models = await openModelService({ settings, workloads, metrics });
  const { service } = models;
  await service.submit(BELL);
  await service.submit({ ...BELL, noise: { readout: [{ p1_given_0: 0.1, p0_given_1: 0.1 }] } });
  await service.submit({});
  await service.request({
    method: 'POST',
    url: '/models/qnn-hybrid/inference',
    payload: { input: [6.1, 2.9, 4.7, 1.4] },
  });
  await service.request({
    method: 'POST',
    url: '/agents/computation/execute',
    payload: { task: 'evaluate', input: { expression: '1' } },
  });
  while (workloads.agents.get('computation')?.statistics().completed === 0) await settled();
  await workloads.close();
  return parseScrape((await service.app.inject({ url: '/metrics' })).body);
}

const scraped = await scrapeAfterLoad();

function labelsOf(metric: string): readonly string[] {
  const samples = scraped.samples.filter(({ name }) => metricOf(name, scraped.types) === metric);
  const names = new Set(samples.flatMap(({ labels }) => Object.keys(labels)));
  for (const added of ['le', NODE_LABEL]) names.delete(added);
  return [...names].sort();
}

describe('docs/operations.md', () => {
  test('lists every metric there is with its type, and no other', () => {
    const documented = documentedMetrics().map(({ name, type }) => `${name} ${type}`);
    const existing = [...scraped.types].map(([name, type]) => `${name} ${type}`);
    expect(documented.toSorted()).toEqual(existing.toSorted());
  });

  test('names the labels of each', () => {
    for (const { name, labels } of documentedMetrics()) {
      const found = labelsOf(name);
      // Of a pause for garbage collection nobody can be sure; without one there is no label to see.
      if (found.length === 0 && name === 'nodejs_gc_duration_seconds') continue;
      // The processors of this test are no fleet with GPUs.
      if (found.length === 0 && name === 'qcs_processor_physical_gpus') continue;
      expect([name, ...labels.toSorted()]).toEqual([name, ...found]);
    }
  });

  test('speaks of no metric that is not there', () => {
    for (const [name] of DOCUMENT.matchAll(METRIC_NAME)) {
      expect(scraped.types.has(metricOf(name, scraped.types)), name).toBe(true);
    }
  });

  test('speaks of no error code that is not there', () => {
    const codes = [...DOCUMENT.matchAll(/`((?:SERVICE|FLEET)_[A-Z_]+)`/g)];
    expect(codes.length).toBeGreaterThan(5);
    for (const [, code = ''] of codes) expect(ERROR_TABLE).toHaveProperty(code);
  });
});

describe('the dashboard', () => {
  test('asks for no series that is not there', () => {
    expect(EXPRESSIONS.length).toBeGreaterThan(30);
    const asked = [...EXPRESSIONS, JSON.stringify(dashboard.templating)];
    for (const [name] of asked.flatMap((text) => [...text.matchAll(METRIC_NAME)])) {
      const metric = metricOf(name, scraped.types);
      expect(scraped.types.has(metric), name).toBe(true);
      // A histogram has no series of its own name, and nothing else has its suffixes.
      expect(scraped.types.get(name), name).not.toBe('histogram');
    }
  });

  test('shows every metric', () => {
    const shown = new Set(
      EXPRESSIONS.flatMap((text) => [...text.matchAll(METRIC_NAME)]).map(([name]) =>
        metricOf(name, scraped.types),
      ),
    );
    expect([...shown].toSorted()).toEqual([...scraped.types.keys()].toSorted());
  });

  test('groups and filters by labels that its metrics have', () => {
    const documented = new Map(documentedMetrics().map(({ name, labels }) => [name, labels]));
    for (const expression of EXPRESSIONS) {
      const known = new Set([
        ...ADDED_LABELS,
        NODE_LABEL,
        ...[...expression.matchAll(METRIC_NAME)].flatMap(
          ([name]) => documented.get(metricOf(name, scraped.types)) ?? [],
        ),
      ]);
      const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)];
      const filtered = [...expression.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)];
      const used = [...grouped, ...filtered].flatMap(([, names = '']) => names.split(', '));
      expect(used.length).toBeGreaterThan(0);
      for (const label of used) expect(known.has(label), `${label} in ${expression}`).toBe(true);
    }
  });

  test('lays its panels out side by side, each once', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const taken = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
          expect(taken.has(`${x} ${y}`), title).toBe(false);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });
});
