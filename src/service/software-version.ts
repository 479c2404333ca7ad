/** Which software this is, for answers, documents and the command line. */
import { readFileSync } from 'node:fs';

/** The software's version, from package.json. */
export function version(): string {
  // Checked by npm: a package has a version.
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
