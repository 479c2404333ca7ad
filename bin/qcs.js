#!/usr/bin/env node
/**
 * `qcs`: from its sources in a checkout, so that nothing has to be built; the published package has none.
 *
 * Syntax and imports are those of Node.js 14, so that an older Node.js than the package needs says so.
 */
import { existsSync, readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = /\d+/.exec(engines.node)[0];

if (Number.parseInt(process.versions.node, 10) < Number(needed)) {
  process.stderr.write(
    `qcs needs Node.js ${needed} or later; this is ${process.versions.node} (${process.execPath}).\n`,
  );
  process.exitCode = 1;
} else {
  const source = new URL('../src/cli.ts', import.meta.url);
  const built = new URL('../dist/cli.js', import.meta.url);
  import('node:module').then(({ enableCompileCache }) => {
    // Half of a short command's time is compiling what it loads.
    enableCompileCache();
    return import((existsSync(source) ? source : built).href);
  });
}
