/** Before the suites that need facilities: builds the console, finds the facilities. After the run: says what was skipped. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { type NeedySuite, skippedLines, unmetRequirement } from './facilities.ts';
import { findFacilities } from './find-facilities.ts';

/**
 * Dawn's warnings where a driver allows more than Dawn can use, and where Vulkan is missing, which the
 * last lines of the run say. Dawn writes to the file descriptor of a worker's process, out of reach of
 * its JavaScript; the output of workers passes through here.
 */
const DAWN_WARNING =
  /^Warning: (?:max\w+ artificially reduced from|Couldn't load Vulkan:) .*\n(?:\s+at .*\n)*\n?/gm;

const BUILD_PAGE = fileURLToPath(new URL('../../../scripts/build-page.ts', import.meta.url));

/**
 * For the first of the projects that need facilities; they are found once, for all of them.
 *
 * @returns What is done after the run.
 * @throws if something that the environment requires is missing.
 */
export async function setup({ vitest }: TestProject): Promise<(() => void) | undefined> {
  const root = vitest.getRootProject();
  if (root.getProvidedContext().facilities !== undefined) return undefined;
  // `npx vitest`, unlike `npm test`, has not built it.
  execFileSync(process.execPath, [BUILD_PAGE, '--if-stale']);
  const found = await findFacilities();
  const unmet = unmetRequirement(found, process.env);
  if (unmet !== undefined) throw new Error(unmet);
  root.provide('facilities', found);
  const restoreOutput = dropDawnWarnings();
  return () => {
    restoreOutput();
    const suites = vitest.state.getTestModules().flatMap(({ children }) =>
      [...children.allSuites()].flatMap((suite): readonly NeedySuite[] => {
        const { needs = [] } = suite.meta();
        const numTests = [...suite.children.allTests()].length;
        // Suites within have what their outer suite says of its needs, too.
        const isOuter = suite.parent.type === 'module' || suite.parent.meta().needs === undefined;
        return isOuter && needs.length > 0 ? [{ name: suite.name, needs, numTests }] : [];
      }),
    );
    for (const line of skippedLines(found, suites)) process.stdout.write(`${line}\n`);
  };
}

/** @returns What ends it. */
function dropDawnWarnings(): () => void {
  const { stderr } = process;
  const write = stderr.write.bind(stderr);
  stderr.write = (chunk: string | Uint8Array, ...rest: never[]) => {
    const text = String(chunk).replaceAll(DAWN_WARNING, '');
    return text === '' || write(text, ...rest);
  };
  return () => {
    stderr.write = write;
  };
}
