/** Rows that cannot be read: each fails by itself, and whoever runs the service is told of it. */
import type { SQLOutputValue } from 'node:sqlite';

/** A row as SQLite gives it; read with big integers, for one too large would fail all rows beside it. */
export type StoredRow = Readonly<Record<string, SQLOutputValue>>;

/** Tables whose rows are checked as they are read. */
export const DAMAGED_TABLES = ['api_keys', 'idempotency', 'jobs', 'maintenance'] as const;

/** A row that cannot be read. */
export interface DamagedRecord {
  readonly table: (typeof DAMAGED_TABLES)[number];
  readonly id: string;
  /** What is wrong with it: `its status is "x"`. */
  readonly what: string;
}

/** Told of a row that cannot be read, every time that somebody tries. */
export type OnDamaged = (record: DamagedRecord) => void;

/** The latest time that a date can show, milliseconds since 1970 UTC. */
export const LAST_TIME = 8.64e15;

/** So many damaged records are told apart; of more, some are told again. */
const MAX_TOLD = 10_000;

/** Tells of each record once. */
export function toldOnce(tell: OnDamaged): OnDamaged {
  const told = new Set<string>();
  return (record) => {
    const name = `${record.table} ${record.id}`;
    if (told.has(name)) return;
    if (told.size >= MAX_TOLD) told.clear();
    told.add(name);
    tell(record);
  };
}

/** A whole number from 0 to `last`; undefined for anything else, and for none. */
export function storedNumber(value: SQLOutputValue | undefined, last: number): number | undefined {
  if (typeof value !== 'bigint' && typeof value !== 'number') return undefined;
  return value >= 0 && value <= last ? Number(value) : undefined;
}
