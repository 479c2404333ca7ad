/** A request to the API as text that a visitor can run elsewhere: for curl, Python and TypeScript. */

import type { Route } from '../../client/client.ts';
import { fieldsOf } from '../../client/json.ts';
import { methodAndPath, type Query } from '../../client/routes.ts';
import { jsonText, pythonValue, scriptValue } from './call-values.ts';

export const LANGUAGES = ['curl', 'Python', 'TypeScript'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * The text of a call. It names the environment variable that holds the key, never a key.
 *
 * @param origin - Address of the service, without a trailing slash.
 */
export function callText(call: ApiCall, language: Language, origin: string): string {
  switch (language) {
    case 'curl':
      return curlText(call, origin);
    case 'Python':
      return pythonText(call, origin);
    case 'TypeScript':
      return typescriptText(call, origin);
  }
}

function curlText({ route, path, query, body, isPublic = false }: ApiCall, origin: string): string {
  const request = methodAndPath(route, path, query);
  const url = quoted(`${origin}/api/v1${request.path}`);
  // With a body, curl sends POST by itself.
  const isPlain = request.method === (body === undefined ? 'GET' : 'POST');
  // The events of a job are shown as they come.
  const isStream = route.endsWith('/events');
  const lines = [
    `curl ${isStream ? '-N ' : ''}${isPlain ? '' : `-X ${request.method} `}${url}`,
    ...(isPublic ? [] : [`-H "X-API-Key: $${KEY}"`]),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(jsonText(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** A word of a shell. */
function quoted(text: string): string {
  return /^[\w/.:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A route, or the events of a job, which answer with no JSON. */
type CallRoute = Route | `GET /${string}/events`;

/** A request to a route. */
export interface ApiCall {
  readonly route: CallRoute;
  /** Parameters of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query;
  /** JSON of the body. */
  readonly body?: unknown;
  /** True if the route needs no key. */
  readonly isPublic?: boolean;
}

/** Environment variable that holds the key in all texts. */
const KEY = 'QCS_API_KEY';

/** Kinds of jobs by the names that the TypeScript client has for them. */
export type JobKind = 'circuits' | 'batches' | 'experiments' | 'tasks' | 'plans' | 'tpuJobs';

/** Role of a route for jobs. */
export type JobRoute =
  | { readonly does: 'submit'; readonly kind: JobKind }
  | { readonly does: 'list'; readonly kind: JobKind }
  | {
      readonly does: 'get' | 'cancel' | 'retry' | 'delete' | 'events';
      readonly kind: JobKind;
      /** Parameter of the path that holds the id. */
      readonly idName: string;
    };

const KINDS: Readonly<Record<string, JobKind>> = {
  '/quantum/circuits': 'circuits',
  '/quantum/batches': 'batches',
  '/quantum/experiments': 'experiments',
  '/tasks': 'tasks',
  '/tpu/jobs': 'tpuJobs',
};

/** Role of a route for jobs; undefined if it is not one of jobs. */
function jobRouteOf(route: CallRoute): JobRoute | undefined {
  if (route === 'POST /agents/{agent_id}/execute') return { does: 'submit', kind: 'tasks' };
  if (route === 'POST /systems/asi/plans') return { does: 'submit', kind: 'plans' };
  const parts = /^(GET|POST|DELETE) ([^{]*?)(?:\/\{(\w+)\}(?:\/(\w+))?)?$/.exec(route);
  const [, method, path = '', idName, action] = parts ?? [];
  const kind = KINDS[path];
  if (kind === undefined) return undefined;
  if (idName === undefined)
    return method === 'GET' ? { does: 'list', kind } : { does: 'submit', kind };
  if (action === undefined) return { does: method === 'GET' ? 'get' : 'delete', kind, idName };
  if (action === 'cancel' || action === 'retry' || action === 'events') {
    return { does: action, kind, idName };
  }
  return undefined;
}

/** @param origin - Address of the service, without a trailing slash. */
function pythonText(call: ApiCall, origin: string): string {
  // The package sends a key with every request.
  const statements = call.isPublic === true ? undefined : packageStatements(call);
  if (statements === undefined) return httpxText(call, origin);
  return [
    'from qcs_client import Client',
    '',
    `client = Client(${JSON.stringify(origin)})`,
    ...statements,
  ].join('\n');
}

/** Statements with the package; undefined if it has no method for the route. */
function packageStatements(call: ApiCall): readonly string[] | undefined {
  const { route, path = {} } = call;
  switch (route) {
    case 'GET /quantum/processors':
      return ['for processor in client.processors():', '    print(processor)'];
    case 'GET /quantum/processors/{processor_id}':
      return [`print(client.processor(${pythonValue(path['processor_id'], 0)}))`];
    case 'GET /quantum/operations':
      return ['for operation in client.operations():', '    print(operation)'];
    case 'GET /keys/info':
      return ['print(client.key_info())'];
    case 'POST /quantum/compile': {
      const { circuit, qasm, ...fields } = fieldsOf(call.body) ?? {};
      return printed('client.compile', [circuit ?? qasm], fields);
    }
    default:
      return jobStatements(call);
  }
}

function jobStatements({ route, path = {}, query = {}, body }: ApiCall) {
  const job = jobRouteOf(route);
  if (job === undefined) return undefined;
  if (job.does === 'submit' || job.does === 'list') {
    // The package submits and lists circuits, batches and experiments alone.
    if (job.kind !== 'circuits' && job.kind !== 'batches' && job.kind !== 'experiments') {
      return undefined;
    }
    if (job.does === 'list') {
      const list = invocation(`client.${job.kind}.list`, [], query);
      return [`for job in ${list}:`, '    print(job)'];
    }
    const {
      circuit,
      qasm,
      programs,
      tasks,
      target_processor: processor,
      ...fields
    } = fieldsOf(body) ?? {};
    if (job.kind === 'circuits') {
      return printed('client.circuits.run', [circuit ?? qasm], { processor, ...fields });
    }
    if (job.kind === 'experiments') {
      const run = invocation('client.experiments.run', [tasks], { processor, ...fields });
      return [`result = ${run}`, 'print(result.csv())'];
    }
    const run = invocation('client.batches.run', [programs], { processor, ...fields });
    const values = resultsOf(body).map((name) => `program.${name}`);
    return [`results = ${run}`, 'for program in results:', `    print(${values.join(', ')})`];
  }
  const named = `client.job(${pythonValue(path[job.idName], 0)})`;
  switch (job.does) {
    case 'events':
      return [`for event in ${named}.events():`, '    print(event)'];
    case 'get':
      return [`print(${named}.record)`];
    case 'retry':
      return [`print(${named}.retry())`];
    case 'cancel':
    case 'delete':
      return [`${named}.${job.does}()`];
  }
}

function printed(method: string, values: readonly unknown[], named: object): readonly string[] {
  return [`result = ${invocation(method, values, named)}`, 'print(result)'];
}

/** A call of a method, on one line if it is short. */
function invocation(method: string, values: readonly unknown[], named: object): string {
  const write = (indent: number) => [
    ...values.map((value) => pythonValue(value, indent)),
    ...Object.entries(named)
      .filter(([, value]) => value !== undefined)
      // `return` is a word of Python.
      .map(
        ([name, value]) => `${name === 'return' ? 'return_' : name}=${pythonValue(value, indent)}`,
      ),
  ];
  const flat = `${method}(${write(0).join(', ')})`;
  if (flat.length <= MAX_LINE && !flat.includes('\n')) return flat;
  return `${method}(\n${write(4)
    .map((line) => `    ${line},\n`)
    .join('')})`;
}

const MAX_LINE = 78;

function httpxText({ route, path, query, body, isPublic = false }: ApiCall, origin: string) {
  const request = methodAndPath(route, path, query);
  return [
    ...(isPublic ? [] : ['import os', '']),
    'import httpx',
    '',
    `answer = httpx.${request.method.toLowerCase()}(`,
    `    ${JSON.stringify(`${origin}/api/v1${request.path}`)},`,
    ...(isPublic ? [] : [`    headers={"X-API-Key": os.environ["${KEY}"]},`]),
    ...(body === undefined ? [] : [`    json=${pythonValue(body, 4)},`]),
    '    timeout=60,',
    ')',
    'answer.raise_for_status()',
    'print(answer.json()["data"])',
  ].join('\n');
}

/** Names of the results that the programs of a batch ask for. */
function resultsOf(batch: unknown): readonly string[] {
  const { programs, return: all } = fieldsOf(batch) ?? {};
  const names = (Array.isArray(programs) ? programs : []).flatMap((program) => {
    const { return: own = all, observables } = fieldsOf(program) ?? {};
    if (Array.isArray(own)) return own.map(String);
    return [observables === undefined ? 'counts' : 'expectation'];
  });
  return [...new Set(names)];
}

/** @param origin - Address of the service, without a trailing slash. */
function typescriptText(call: ApiCall, origin: string): string {
  const key = call.isPublic === true ? '' : `, key: process.env.${KEY}`;
  return [
    `import { QcsClient } from 'quantum-compute-service/client';`,
    '',
    `const client = new QcsClient({ baseUrl: '${origin}'${key} });`,
    ...statements(call),
  ].join('\n');
}

function statements(call: ApiCall): readonly string[] {
  const { route, path = {}, query = {}, body } = call;
  const job = jobRouteOf(route);
  if (job === undefined) return requestStatements(call);
  const jobs = `client.${job.kind}`;
  if (job.does === 'submit') {
    const { agent_id: agent } = path;
    const submission = agent === undefined ? body : { agent, ...Object(body) };
    return [`const result = await ${jobs}.run(${scriptValue(submission, 0)});`, PRINT_RESULT];
  }
  if (job.does === 'list') {
    const { limit, cursor, ...filters } = query;
    // The client reads page after page by itself.
    if (cursor !== undefined) return requestStatements(call);
    const given = { ...(limit !== undefined && { pageSize: limit }), ...filters };
    const options = Object.keys(given).length === 0 ? '' : scriptValue(given, 0);
    return [`for await (const job of ${jobs}.list(${options})) console.log(job);`];
  }
  const id = scriptValue(path[job.idName], 0);
  switch (job.does) {
    case 'events':
      return [`for await (const event of ${jobs}.events(${id})) console.log(event);`];
    case 'delete':
      return [`await ${jobs}.delete(${id});`];
    case 'get':
    case 'cancel':
    case 'retry':
      return [`const job = await ${jobs}.${job.does}(${id});`, 'console.log(job);'];
  }
}

const PRINT_RESULT = 'console.log(result);';

function requestStatements({ route, path, query, body }: ApiCall): readonly string[] {
  const options = {
    ...(path !== undefined && { path }),
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
  };
  const given = Object.keys(options).length === 0 ? '' : `, ${scriptValue(options, 0)}`;
  return [`const data = await client.request('${route}'${given});`, 'console.log(data);'];
}
