/**
 * Builds the page at `/` into the given folder: its modules without types, and static files. Only
 * for the npm package; in a checkout the service reads src/console itself.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';

const SOURCES = 'src/console';
const PLAIN = ['.html', '.css', '.svg'];

const [output] = process.argv.slice(2);
if (output === undefined) throw new Error('Name the folder that the page is made in.');
mkdirSync(output, { recursive: true });
execFileSync('tsc', ['-p', join(SOURCES, 'tsconfig.build.json'), '--outDir', output], {
  stdio: 'inherit',
});
for (const name of readdirSync(SOURCES).filter((each) => PLAIN.includes(extname(each)))) {
  copyFileSync(join(SOURCES, name), join(output, name));
}
