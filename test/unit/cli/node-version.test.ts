// @needs processes
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';

const BIN = new URL('../../../bin/qcs.js', import.meta.url).pathname;

/** Runs `qcs --version` by this Node.js, which states that version. */
function qcsOn(version: string) {
  const stated = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const preload = `data:text/javascript,${encodeURIComponent(stated)}`;
  return spawnSync(process.execPath, ['--import', preload, BIN, '--version'], { encoding: 'utf8' });
}

describe('qcs on an older Node.js', () => {
  test.each(['14.21.3', '20.19.0', '23.11.0'])('says on %s which one it needs', (version) => {
    const { status, stdout, stderr } = qcsOn(version);
    expect(stderr).toMatch(`qcs needs Node.js 24 or later; this is ${version}`);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });

  test('runs on the one that it needs', () => {
    expect(qcsOn('24.0.0')).toMatchObject({ status: 0, stderr: '' });
  });
});
