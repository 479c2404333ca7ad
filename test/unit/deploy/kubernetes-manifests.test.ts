/** The Kubernetes manifests, held to the code and to each other. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { SETTINGS } from '../../../src/config.ts';
import { HEALTH_PATHS } from '../../../src/service/app.ts';
import { imageConfig, ROOT, textOf } from '../../support/image-config.ts';

const MANIFESTS = 'deploy/kubernetes';
const [ALIVE, READY] = HEALTH_PATHS;
const PORT = SETTINGS.QCS_PORT.schema.parse(undefined);
const DATABASE = 'postgres://qcs:secret@db/qcs';

const labels = z.record(z.string(), z.string());
const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const container = z.object({
  image: z.string(),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }) })),
  env: z.array(
    z.object({
      name: z.string(),
      value: z.string().optional(),
      valueFrom: z
        .object({
          fieldRef: z.object({ fieldPath: z.string() }).optional(),
          secretKeyRef: z.object({ name: z.string(), key: z.string() }).optional(),
        })
        .optional(),
    }),
  ),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  lifecycle: z
    .object({
      preStop: z.object({
        exec: z.object({ command: z.tuple([z.literal('sleep'), z.string()]) }),
      }),
    })
    .optional(),
  resources: z.object({
    requests: z.object({ cpu: z.string() }),
    limits: z.object({ memory: z.string() }),
  }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});
const workload = z.object({
  kind: z.enum(['Deployment', 'StatefulSet']),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    serviceName: z.string().optional(),
    selector: z.object({ matchLabels: labels }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([container]),
        volumes: z.array(z.object({ name: z.string() })),
      }),
    }),
  }),
});
const settings = z.object({
  kind: z.literal('ConfigMap'),
  metadata: z.object({ name: z.string() }),
  data: z.record(z.string(), z.string()),
});
const service = z.object({
  kind: z.literal('Service'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({ selector: labels, ports: z.array(z.object({ targetPort: z.string() })) }),
});
const budget = z.object({
  kind: z.literal('PodDisruptionBudget'),
  spec: z.object({ selector: z.object({ matchLabels: labels }) }),
});
const { resources, images } = z
  .object({
    resources: z.array(z.string()),
    images: z.tuple([z.object({ name: z.string(), newTag: z.string() })]),
  })
  .parse(parse(textOf(`${MANIFESTS}/kustomization.yaml`)));
const objects = resources.flatMap((path) =>
  parseAllDocuments(textOf(`${MANIFESTS}/${path}`)).map((each): unknown => each.toJS()),
);
/** The objects that have the form of a kind. */
const ofKind = <Kind extends z.ZodType>(kind: Kind) =>
  objects.flatMap((each) => {
    const parsed = kind.safeParse(each);
    return parsed.success ? [parsed.data] : [];
  });
const configMaps = ofKind(settings);
const services = ofKind(service);
const budgets = ofKind(budget);
const workloads = ofKind(workload);
const byRole = workloads.map((each) => [imageConfig(environmentOf(each)).role, each] as const);

/** The variables of a container, with a database and the name of its first pod. */
function environmentOf({ metadata, spec }: z.output<typeof workload>): Record<string, string> {
  const [{ env, envFrom }] = spec.template.spec.containers;
  const shared = envFrom.flatMap(({ configMapRef }) =>
    configMaps.filter((each) => each.metadata.name === configMapRef.name),
  );
  expect(shared).toHaveLength(envFrom.length);
  const own = env.map(({ name, value, valueFrom }) => [
    name,
    value ?? (valueFrom?.secretKeyRef === undefined ? `${metadata.name}-0` : DATABASE),
  ]);
  return { ...Object.assign({}, ...shared.map(({ data }) => data)), ...Object.fromEntries(own) };
}

test('have no object of another form', () => {
  const known = [configMaps, services, budgets, workloads].flat();
  expect(known).toHaveLength(objects.length);
});

test('are all listed, and have the image and the version of this package', () => {
  const files = readdirSync(new URL(MANIFESTS, ROOT)).filter(
    (name) => name !== 'kustomization.yaml',
  );
  expect(resources.toSorted()).toEqual(files.toSorted());
  expect(images[0].newTag).toBe(JSON.parse(textOf('package.json')).version);
  for (const { spec } of workloads) {
    expect(spec.template.spec.containers[0].image).toBe(images[0].name);
  }
});

test('have a node for requests and a node for jobs, with settings that exist', () => {
  expect(byRole.map(([role, { kind }]) => [role, kind])).toEqual([
    ['api', 'Deployment'],
    ['worker', 'StatefulSet'],
  ]);
  for (const [, each] of byRole) {
    const config = imageConfig(environmentOf(each));
    expect([config.databaseUrl, config.nodeName]).toEqual([DATABASE, `${each.metadata.name}-0`]);
  }
});

test('take the database from a secret and the name of a node from its pod', () => {
  for (const { spec } of workloads) {
    const { env } = spec.template.spec.containers[0];
    const of = (name: string) => env.find((each) => each.name === name);
    expect(of('QCS_DATABASE_URL')).toEqual({
      name: 'QCS_DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'qcs-database', key: 'url' } },
    });
    expect(of('QCS_NODE_NAME')?.valueFrom).toEqual({ fieldRef: { fieldPath: 'metadata.name' } });
  }
});

test('ask the health checks that there are, at the port that the service listens on', () => {
  for (const { spec } of workloads) {
    const { ports, startupProbe, livenessProbe, readinessProbe } = spec.template.spec.containers[0];
    expect(ports).toEqual([{ name: 'http', containerPort: PORT }]);
    expect(startupProbe.httpGet).toEqual({ path: ALIVE, port: 'http' });
    expect(livenessProbe.httpGet).toEqual({ path: ALIVE, port: 'http' });
    expect(readinessProbe.httpGet).toEqual({ path: READY, port: 'http' });
  }
});

test('give nodes more time to stop than they give running circuits', () => {
  for (const each of workloads) {
    const { terminationGracePeriodSeconds, containers } = each.spec.template.spec;
    const waitS = Number(containers[0].lifecycle?.preStop.exec.command[1] ?? 0);
    const graceS = imageConfig(environmentOf(each)).shutdownGraceMs / 1000;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(waitS + graceS);
  }
});

test('send requests to nodes that take them, and to no others', () => {
  const selected = services.map(({ metadata, spec }) => {
    for (const { targetPort } of spec.ports) expect(targetPort).toBe('http');
    return [metadata.name, rolesOf(spec.selector)];
  });
  expect(selected).toEqual([
    ['qcs', ['api']],
    ['qcs-workers', ['worker']],
  ]);
  expect(workloads.map(({ spec }) => spec.serviceName)).toEqual([undefined, 'qcs-workers']);
});

test('have a disruption budget for each', () => {
  const selectors = budgets.map(({ spec }) => spec.selector.matchLabels);
  expect(selectors.map(rolesOf)).toEqual([['api'], ['worker']]);
  for (const { spec } of workloads) {
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
  }
});

test('mount what the service writes to, and use no more than they have', () => {
  for (const each of workloads) {
    const { containers, volumes } = each.spec.template.spec;
    const [{ volumeMounts, resources: has }] = containers;
    const config = imageConfig(environmentOf(each));
    expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual([config.dataDir, '/tmp']);
    expect(volumeMounts.map(({ name }) => name)).toEqual(volumes.map(({ name }) => name));
    if (config.numThreads !== undefined) expect(has.requests.cpu).toBe(`${config.numThreads}`);
    const limitGib = Number(/^(\d+)Gi$/.exec(has.limits.memory)?.[1]);
    expect(config.memoryBytes ?? 0).toBeLessThanOrEqual((limitGib * 2 ** 30) / 2);
  }
});

/** Roles of the nodes that a selector finds. */
function rolesOf(selector: Readonly<Record<string, string>>): readonly string[] {
  return byRole
    .filter(([, { spec }]) =>
      Object.entries(selector).every(
        ([key, value]) => spec.template.metadata.labels[key] === value,
      ),
    )
    .map(([role]) => role);
}
