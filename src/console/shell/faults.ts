/** Faults of a request by the fields that they are about. */
import { ApiError } from '../../client/client.ts';

/** Messages of the faults whose path is one of the given ones or lies below it, such as `scopes[0]` below `scopes`. */
export function faultsAt(error: unknown, ...paths: readonly string[]): readonly string[] {
  if (!(error instanceof ApiError)) return [];
  return error.details
    .filter(({ path }) => paths.some((each) => isBelow(path, each)))
    .map(({ message }) => message);
}

/** Whether the error is about one of the fields. Others are shown beside the form. */
export function isAbout(error: unknown, ...paths: readonly string[]): boolean {
  return faultsAt(error, ...paths).length > 0;
}

function isBelow(path: string, parent: string): boolean {
  return path.startsWith(parent) && /^([.[]|$)/.test(path.slice(parent.length));
}
