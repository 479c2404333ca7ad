/** What zod finds wrong with a value, in this project's form. */
import type { z } from 'zod';
import { type Fault, MAX_FAULTS } from './coded-error.ts';
import { formatPath } from './fault-path.ts';

/**
 * The faults of a value's form; one a field, also where zod reports several fields together.
 *
 * @param root - Where the value stands.
 */
export function formFaults(error: z.ZodError, root: readonly PropertyKey[] = []): readonly Fault[] {
  const faults: Fault[] = [];
  for (const [i, issue] of error.issues.entries()) {
    if (faults.length >= MAX_FAULTS) break;
    if (isSaidBetter(issue, error.issues[i + 1])) continue;
    const place = [...root, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        faults.push({ path: formatPath([...place, key]), message: 'There is no such field.' });
      }
    } else if (place.length === 0 && issue.code !== 'custom') {
      faults.push({ path: '', message: 'The body must be a JSON object.' });
    } else {
      faults.push({ path: formatPath(place), message: messageOf(issue) });
    }
  }
  return faults;
}

/** An integer beyond 2^53 breaks the bound of all integers, and then that of its field. */
function isSaidBetter(issue: z.core.$ZodIssue, next: z.core.$ZodIssue | undefined): boolean {
  const isOfBound = issue.code === 'too_big' || issue.code === 'too_small';
  return isOfBound && next?.code === issue.code && `${next.path}` === `${issue.path}`;
}

function messageOf(issue: z.core.$ZodIssue): string {
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  if (missing) return `Required: ${expectedOf(issue)}.`;
  return issue.message.endsWith('.') ? issue.message : `${issue.message}.`;
}

function expectedOf(issue: z.core.$ZodIssueInvalidType): string {
  return issue.expected === 'int' ? 'integer' : issue.expected;
}
