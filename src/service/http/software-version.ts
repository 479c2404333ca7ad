/** Version of this software, for answers, documents and the command line. */
import { readFileSync } from 'node:fs';

/** The version in package.json. */
export function version(): string {
  // The cast is safe: npm requires a version.
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
    .version;
}
