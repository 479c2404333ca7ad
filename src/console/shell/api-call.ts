/** A request to the API as text that a visitor can run elsewhere: for curl, Python and TypeScript. */

import { methodAndPath } from '../../client/routes.ts';
import { pythonText } from './call-python.ts';
import { type ApiCall, KEY } from './call-routes.ts';
import { typescriptText } from './call-typescript.ts';
import { jsonText } from './call-values.ts';

export type { ApiCall } from './call-routes.ts';

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
