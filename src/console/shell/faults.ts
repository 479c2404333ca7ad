/** Faults of a visitor's entries, by field. */
import { ApiError } from '../../client/client.ts';

export interface Fault {
  /** Path in the request, such as `programs[0].inputs.a`. */
  readonly path: string;
  readonly message: string;
}

/** The page found faults before it asked the service. */
export class FieldError extends Error {
  readonly details: readonly Fault[];

  constructor(details: readonly Fault[]) {
    super(details.map(({ message }) => message).join(' '));
    this.name = 'FieldError';
    this.details = details;
  }
}

/** Messages of the faults whose path is one of the given ones or lies below it, such as `scopes[0]` below `scopes`. */
export function faultsAt(error: unknown, ...paths: readonly string[]): readonly string[] {
  return [...new Set(faultsBelow(error, ...paths).map(({ message }) => message))];
}

/** The faults whose path is one of the given ones or lies below it. */
export function faultsBelow(error: unknown, ...paths: readonly string[]): readonly Fault[] {
  if (!(error instanceof ApiError || error instanceof FieldError)) return [];
  return error.details.filter(({ path }) => paths.some((each) => isBelow(path, each)));
}

function isBelow(path: string, parent: string): boolean {
  return path.startsWith(parent) && /^([.[]|$)/.test(path.slice(parent.length));
}
