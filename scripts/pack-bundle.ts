/**
 * `npm run pack:bundle [-- --output FILE] [DEB …]`: packs what stage-bundle.ts puts together as one
 * .tar.xz for a GPU host without network. Debian packages named after it, such as the Vulkan loader's
 * for hosts that have a driver and no loader, are unpacked beside. docs/gpu-hosts.md says how it is used.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stageBundle } from './stage-bundle.ts';

const MIB = 2 ** 20;
/** Limit of hosts that take a single file. */
const MAX_MIB = 60;
const NAME = 'qcs-gpu';

const { values, positionals } = parseArgs({
  options: { output: { type: 'string', default: `dist/${NAME}-linux-x64.tar.xz` } },
  allowPositionals: true,
});
const root = join(import.meta.dirname, '..');
const output = resolve(values.output);
const work = mkdtempSync(join(tmpdir(), 'qcs-bundle-'));
try {
  stageBundle(join(work, NAME), { root, debs: positionals.map((deb) => resolve(deb)) });
  mkdirSync(dirname(output), { recursive: true });
  const owner = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner'];
  execFileSync('tar', [...owner, '-C', work, '-cJf', output, NAME], {
    env: { ...process.env, XZ_OPT: '-9e -T1' },
    stdio: 'inherit',
  });
} finally {
  rmSync(work, { recursive: true });
}
const size = statSync(output).size / MIB;
process.stdout.write(`${output}: ${size.toFixed(1)} MiB\n`);
if (size > MAX_MIB) {
  process.stderr.write(`That is more than ${MAX_MIB} MiB.\n`);
  process.exitCode = 1;
}
