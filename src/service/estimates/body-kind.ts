/** Kind of job that a body submits, by the list that it has. */
import type { Reading } from '../http/reading/reading.ts';

/** Kinds whose bodies an estimate takes. */
type EstimatedKind = 'circuit' | 'batch' | 'experiment';

/** The list that the bodies of a kind have; a circuit has neither. */
const LISTS = { programs: 'batch', tasks: 'experiment' } as const;

/** Kind of a body, by the first list of a kind that it has; a circuit where there is none. */
export function kindOfBody(body: unknown): EstimatedKind {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'circuit';
  for (const [list, kind] of Object.entries(LISTS)) if (Object.hasOwn(body, list)) return kind;
  return 'circuit';
}

/** Finds the kind of a large body in a process. */
export const BODY_KIND_READING: Reading<unknown, EstimatedKind> = {
  name: 'kind of body',
  read: kindOfBody,
};
