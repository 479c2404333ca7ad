/** Suites that run where what they need is present. */
import { describe, inject } from 'vitest';
import type { Facility, Found } from './facilities.ts';

declare module 'vitest' {
  interface ProvidedContext {
    facilities: Found;
  }
  interface TaskMeta {
    /** Of a suite made by `describeWith`. */
    needs?: readonly Facility[];
  }
}

/** Facilities that the set-up of the run found. */
export function foundFacilities(): Found {
  const found = inject('facilities');
  if (found === undefined) {
    throw new Error(
      'The test file needs a facility: say so in a line of its own, "// @needs facilities", "// @needs pages" or "// @needs browser".',
    );
  }
  return found;
}

/** Where a facility is that the suite needs: a driver's description, a browser. */
export function facilityPath(name: Facility): string {
  const facility = foundFacilities()[name];
  if (!facility.isPresent) throw new Error(`unreachable: a suite runs without ${name}`);
  return facility.path;
}

/** Describes what needs all of these; without one of them the suite is skipped, and the run says so. */
export function describeWith(
  needs: readonly Facility[],
  name: string,
  body: () => void | Promise<void>,
): void {
  const found = foundFacilities();
  const isMissing = needs.some((need) => !found[need].isPresent);
  describe.skipIf(isMissing)(name, { meta: { needs } }, body);
}
