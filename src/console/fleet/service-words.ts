/** Scopes that models, agents and systems need, and their latest states. */
import type { Routes } from '../../client/api-types.ts';
import type { KeyInfo } from '../shell/session.ts';

type Scope = KeyInfo['scopes'][number];
type SystemId = Routes['GET /systems']['data']['systems'][number]['id'];

/** Scope of a key that may use a system. */
export const SYSTEM_SCOPES: Readonly<Record<SystemId, Scope>> = {
  qvm: 'circuits',
  'quantum-os': 'read',
  asi: 'agents',
  llma: 'models',
};

/** Scope that something needs, and whether the key has it: "Needs a key with the scope agents, which yours has." */
export function neededScope(scope: Scope, key: KeyInfo | undefined): string {
  const needed = `Needs a key with the scope ${scope}`;
  if (key === undefined) return `${needed}.`;
  return `${needed}, which yours ${key.scopes.includes(scope) ? 'has' : 'lacks'}.`;
}

/** Fields that `GET /status` repeats. */
interface Live {
  readonly id: string;
  readonly available: boolean;
  readonly reason?: string | undefined;
  readonly checked_at: string;
}

/** Entries with the states of a later status. */
export function withStatus<T extends Live>(
  entries: readonly T[],
  status: readonly Live[] | undefined,
): readonly T[] {
  return entries.map((entry) => {
    const now = status?.find(({ id }) => id === entry.id);
    if (now === undefined) return entry;
    const { reason: _, ...rest } = entry;
    // The cast is safe: the omitted field is optional, and the added ones have the types of the entry.
    return { ...rest, ...now } as T;
  });
}
