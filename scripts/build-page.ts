/**
 * Builds the page at `/` into the folder console/ of the given one: its modules without types, and static files;
 * and the client, which it imports, into client/. Only for the npm package; in a checkout the service reads the
 * sources themselves.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';

const SOURCES = 'src/console';
const PLAIN = ['.html', '.css', '.svg'];

const [output] = process.argv.slice(2);
if (output === undefined) throw new Error('Name the folder that the page is made in.');
execFileSync('tsc', ['-p', join(SOURCES, 'tsconfig.build.json'), '--outDir', output], {
  stdio: 'inherit',
});
for (const name of readdirSync(SOURCES).filter((each) => PLAIN.includes(extname(each)))) {
  copyFileSync(join(SOURCES, name), join(output, 'console', name));
}
