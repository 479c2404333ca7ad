/** Paths of faults, as a caller would write them: `circuit[3].qubit`. */
import type { Fault } from './coded-error.ts';

/** Characters of an unknown field's name that an answer repeats. */
const MAX_NAME = 64;

/** Joins the parts of a path. A name that is not an identifier is put in brackets and quotes. */
export function formatPath(parts: readonly PropertyKey[]): string {
  let path = '';
  for (const part of parts) {
    if (typeof part === 'number') {
      path += `[${part}]`;
      continue;
    }
    const name = String(part);
    const shown = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
    if (!/^[A-Za-z_$][\w$-]*…?$/.test(shown)) path += `[${JSON.stringify(shown)}]`;
    else path += path === '' ? shown : `.${shown}`;
  }
  return path;
}

/** Path of a field below a path. */
export function pathOf(path: string, field: string): string {
  const name = formatPath([field]);
  return name.startsWith('[') ? `${path}${name}` : `${path}.${name}`;
}

/** Writes a fault as one sentence that says where: `circuit[3].theta must be …`, `circuit[3]: …`. */
export function faultSentence({ path, message }: Pick<Fault, 'path' | 'message'>): string {
  if (path === '') return message;
  const [name = ''] = message.split(' ', 1);
  // The message often begins with the last part of the path, which is then not repeated.
  const isNamed = path === name || path.endsWith(`.${name}`);
  if (isNamed) return `${path}${message.slice(name.length)}`;
  return /^(?:has|is|must)$/.test(name) ? `${path} ${message}` : `${path}: ${message}`;
}
