/** A request as a program in Python: with the project's own package where it has a method, with httpx otherwise. */
import { methodAndPath } from '../../client/routes.ts';
import { type ApiCall, jobRouteOf, KEY } from './call-routes.ts';
import { pythonValue } from './call-values.ts';

/** @param origin - Address of the service, without a trailing slash. */
export function pythonText(call: ApiCall, origin: string): string {
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
      const { circuit, qasm, ...fields } = fieldsOf(call.body);
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
    // The package submits and lists circuits and batches alone.
    if (job.kind !== 'circuits' && job.kind !== 'batches') return undefined;
    if (job.does === 'list') {
      const list = invocation(`client.${job.kind}.list`, [], query);
      return [`for job in ${list}:`, '    print(job)'];
    }
    const { circuit, qasm, programs, target_processor: processor, ...fields } = fieldsOf(body);
    if (job.kind === 'circuits') {
      return printed('client.circuits.run', [circuit ?? qasm], { processor, ...fields });
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
  const { programs, return: all } = fieldsOf(batch);
  const names = (Array.isArray(programs) ? programs : []).flatMap((program) => {
    const { return: own = all, observables } = fieldsOf(program);
    if (Array.isArray(own)) return own.map(String);
    return [observables === undefined ? 'counts' : 'expectation'];
  });
  return [...new Set(names)];
}

/** Fields of a body. */
function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(Object(body)));
}
