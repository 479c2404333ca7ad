/**
 * Test files by what they need. A file that needs more than Node and some seconds says so in a line of its
 * own, such as `// @needs processes`. No list is kept: a file may be moved or renamed.
 */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * `service`: the file asks a running service, which it shares with other such files (`shared-service.ts`).
 * `processes`: it starts child processes. `minutes`: it takes minutes, and `npm run test:long` runs it. `isolation`: it
 * mocks modules, which files without a need share. `facilities`: its suites are described by `describeWith`, because
 * they run on a driver or with Python. `pages`: so are its suites, which visit pages in a browser that such files share.
 * `browser`: so are its suites, and they run in a page themselves.
 */
export const NEEDS = [
  'service',
  'processes',
  'minutes',
  'isolation',
  'facilities',
  'pages',
  'browser',
] as const;

/** See NEEDS. */
export type Need = (typeof NEEDS)[number];

const ROOT = new URL('../../', import.meta.url);
const LINE = /^\/\/ @needs (.*)$/m;

/**
 * The need that a test file declares in its text; undefined if it needs only Node and some seconds.
 *
 * @throws {Error} if it names something that is not in NEEDS.
 */
export function needOf(source: string): Need | undefined {
  const name = LINE.exec(source)?.[1];
  const need = NEEDS.find((each) => each === name);
  if (need === undefined && name !== undefined) {
    throw new Error(`A test file needs "${name}"; it can need ${NEEDS.join(', ')}.`);
  }
  return need;
}

/** Paths of the test files that need one of these, from the repository's root. */
export function testFilesThatNeed(...needs: readonly Need[]): string[] {
  return readdirSync(new URL('test/', ROOT), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => {
      const need = needOf(readFileSync(new URL(path, ROOT), 'utf8'));
      return need !== undefined && needs.includes(need);
    });
}
