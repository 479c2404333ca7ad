/** compose.yaml and its load balancer, held to the code and to each other. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { SETTINGS } from '../../../src/config.ts';
import { HEALTH_PATHS } from '../../../src/service/app.ts';
import { METRICS_PATH } from '../../../src/service/metrics/metrics-routes.ts';
import { imageConfig, imageEnvironment, ROOT, textOf } from '../../support/image-config.ts';

const [ALIVE, READY] = HEALTH_PATHS;
const PORT = SETTINGS.QCS_PORT.schema.parse(undefined);

test('the image sets what the service knows, and exposes the port that it listens on', () => {
  expect(Object.keys(imageEnvironment())).toContain('QCS_DATA_DIR');
  expect(imageConfig({}).port).toBe(PORT);
  expect(textOf('Dockerfile')).toContain(`EXPOSE ${PORT}\n`);
});

const service = z.object({
  image: z.string(),
  build: z.string().optional(),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  stop_grace_period: z.string().optional(),
  healthcheck: z.object({ test: z.array(z.string()).optional() }),
  depends_on: z
    .record(z.string(), z.object({ condition: z.literal('service_healthy') }))
    .default({}),
});
const file = z
  .object({
    services: z.record(z.string(), service),
    networks: z.object({
      default: z.object({
        ipam: z.object({ config: z.tuple([z.object({ subnet: z.string() })]) }),
      }),
    }),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(textOf('compose.yaml'), { merge: true }));
const nodes = Object.entries(file.services).filter(([, { build }]) => build !== undefined);

/** The variables of a service, with a password and the defaults of other variables. */
const environmentOf = (name: string) =>
  Object.fromEntries(
    Object.entries(file.services[name]?.environment ?? {}).map(([variable, value]) => [
      variable,
      value.replace(/\$\{\w+:([-?])([^}]*)\}/g, (_, kind, text) =>
        kind === '-' ? text : 'secret',
      ),
    ]),
  );

test('has two nodes with names of their own and settings that exist', () => {
  expect(nodes).toHaveLength(2);
  for (const [name] of nodes) {
    const config = imageConfig(environmentOf(name));
    expect([config.role, config.nodeName, config.host]).toEqual(['all', name, '0.0.0.0']);
    const { username, password, hostname, pathname } = new URL(config.databaseUrl ?? '');
    const database = environmentOf('postgres');
    expect({ hostname, username, password, pathname }).toEqual({
      hostname: 'postgres',
      username: database['POSTGRES_USER'],
      password: database['POSTGRES_PASSWORD'],
      pathname: `/${database['POSTGRES_DB']}`,
    });
  }
});

test('has no secret in it', () => {
  for (const { environment } of Object.values(file.services)) {
    for (const [name, value] of Object.entries(environment)) {
      if (/PASSWORD|DATABASE_URL/.test(name)) expect(value).toContain('${POSTGRES_PASSWORD:?');
    }
  }
});

test('builds the image from what is there, and mounts what is there', () => {
  for (const [, { build = '' }] of nodes)
    expect(existsSync(new URL(`${build}/Dockerfile`, ROOT))).toBe(true);
  const sources = Object.values(file.services).flatMap(({ volumes }) =>
    volumes.map((volume) => volume.split(':')[0] ?? ''),
  );
  const [paths, names] = [true, false].map((isPath) =>
    sources.filter((source) => source.startsWith('.') === isPath),
  );
  for (const path of paths ?? [])
    expect([path, existsSync(new URL(path, ROOT))]).toEqual([path, true]);
  expect(names?.toSorted()).toEqual(Object.keys(file.volumes).toSorted());
  for (const [name, { volumes }] of nodes) {
    expect(volumes).toContain(`${name}:${imageConfig(environmentOf(name)).dataDir}`);
  }
});

test('gives nodes more time to stop than they give running circuits', () => {
  for (const [name, { stop_grace_period = '' }] of nodes) {
    expect(stop_grace_period).toMatch(/^\d+s$/);
    const { shutdownGraceMs } = imageConfig(environmentOf(name));
    expect(Number.parseInt(stop_grace_period, 10) * 1000).toBeGreaterThan(shutdownGraceMs);
  }
});

test('starts each part after those that it needs are healthy', () => {
  for (const [, { depends_on }] of nodes) expect(Object.keys(depends_on)).toEqual(['postgres']);
  expect(Object.keys(file.services['balancer']?.depends_on ?? {})).toEqual(
    nodes.map(([name]) => name),
  );
  // Those of the nodes are in the image.
  expect(file.services['postgres']?.healthcheck.test).toContain('pg_isready');
  expect(file.services['balancer']?.healthcheck.test?.at(-1)).toBe(
    `http://127.0.0.1:${PORT}${READY}`,
  );
  expect(textOf('Dockerfile')).toContain(ALIVE);
});

test('has a load balancer that the nodes trust, and that asks them whether they are ready', () => {
  const caddy = textOf('deploy/compose/Caddyfile');
  const [, upstreams = ''] = /reverse_proxy (.+) \{/.exec(caddy) ?? [];
  expect(upstreams.split(' ')).toEqual(nodes.map(([name]) => `${name}:${PORT}`));
  expect(caddy).toContain(`health_uri ${READY}\n`);
  expect(caddy).toContain(`respond ${METRICS_PATH} 404\n`);
  const [, mib] = /max_size (\d+)MiB/.exec(caddy) ?? [];
  for (const [name] of nodes) {
    const { bodyLimitBytes, trustedProxies } = imageConfig(environmentOf(name));
    expect(Number(mib) * 2 ** 20).toBeGreaterThan(bodyLimitBytes);
    expect(trustedProxies).toEqual([file.networks.default.ipam.config[0].subnet]);
  }
});
