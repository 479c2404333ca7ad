/** The path of a fault, as a caller would write it: `circuit[3].qubit`. */

/** Longest name of an unknown field that an answer repeats. */
const MAX_NAME = 64;

/** Joins the parts of a path; a name that is no identifier stands in brackets and quotes. */
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
