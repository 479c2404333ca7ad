/** A request to the API as text that a visitor can run elsewhere: for curl, Python and TypeScript. */

import type { Route } from '../../client/client.ts';
import { methodAndPath, type Query } from '../../client/routes.ts';

/** A request to a route. */
export interface ApiCall {
  readonly route: Route;
  /** Parameters of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query;
  /** JSON of the body. */
  readonly body?: unknown;
  /** True if the route needs no key. */
  readonly isPublic?: boolean;
}

export const LANGUAGES = ['curl', 'Python', 'TypeScript'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Environment variable that holds the key in all texts. */
const KEY = 'QCS_API_KEY';

/**
 * The text of a call.
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
  const url = `${origin}/api/v1${request.path}`;
  const lines = [
    `curl ${request.method === 'GET' ? '' : `-X ${request.method} `}${quoted(url)}`,
    ...(isPublic ? [] : [`-H "Authorization: Bearer $${KEY}"`]),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** A word of a shell. */
function quoted(text: string): string {
  return /^[\w/.:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function pythonText(call: ApiCall, origin: string): string {
  const { route, path, query, body, isPublic = false } = call;
  const request = methodAndPath(route, path, query);
  const needed = [
    ...(isPublic ? [] : [`    headers={"Authorization": f"Bearer {os.environ['${KEY}']}"},`]),
    ...(body === undefined ? [] : [`    json=${pythonValue(body, 4)},`]),
  ];
  return [
    ...(isPublic ? [] : ['import os', '']),
    'import httpx',
    '',
    `answer = httpx.${request.method.toLowerCase()}(`,
    `    ${JSON.stringify(`${origin}/api/v1${request.path}`)},`,
    ...needed,
    '    timeout=60,',
    ')',
    'answer.raise_for_status()',
    'print(answer.json()["data"])',
  ].join('\n');
}

function typescriptText({ route, path, query, body, isPublic = false }: ApiCall, origin: string) {
  const options = [
    ...(path === undefined ? [] : [`  path: ${scriptValue(path, 2)},`]),
    ...(query === undefined ? [] : [`  query: ${scriptValue(query, 2)},`]),
    ...(body === undefined ? [] : [`  body: ${scriptValue(body, 2)},`]),
  ];
  const key = isPublic ? '' : `, key: process.env.${KEY}`;
  return [
    `import { QcsClient } from 'quantum-compute-service/client';`,
    '',
    `const client = new QcsClient({ baseUrl: '${origin}'${key} });`,
    options.length === 0
      ? `const data = await client.request('${route}');`
      : [`const data = await client.request('${route}', {`, ...options, '});'].join('\n'),
    'console.log(data);',
  ].join('\n');
}

const MAX_LINE = 88;

/** A JSON value as an expression, on one line if it is short. */
function expression(
  value: unknown,
  indent: number,
  step: number,
  words: (value: string | number | boolean | null) => string,
  name: (key: string) => string,
): string {
  if (typeof value !== 'object' || value === null) {
    return words(value as string | number | boolean | null);
  }
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => [undefined, each] as const)
    : Object.entries(value).filter(([, each]) => each !== undefined);
  const write = (inner: number) =>
    parts.map(
      ([key, each]) =>
        `${key === undefined ? '' : `${name(key)}: `}${expression(each, inner, step, words, name)}`,
    );
  const [open, close] = isList ? '[]' : '{}';
  const flat = `${open}${write(0).join(', ')}${close}`;
  if (flat.length + indent <= MAX_LINE && !flat.includes('\n')) return flat;
  const inner = ' '.repeat(indent + step);
  const lines = write(indent + step).map((part) => `${inner}${part},`);
  return `${open}\n${lines.join('\n')}\n${' '.repeat(indent)}${close}`;
}

function pythonValue(value: unknown, indent: number): string {
  const words = (each: string | number | boolean | null) => {
    if (each === null) return 'None';
    if (typeof each === 'boolean') return each ? 'True' : 'False';
    return JSON.stringify(each);
  };
  return expression(value, indent, 4, words, (key) => JSON.stringify(key));
}

function scriptValue(value: unknown, indent: number): string {
  const name = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key));
  return expression(value, indent, 2, (each) => JSON.stringify(each), name);
}
