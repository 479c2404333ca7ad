/** Damaged rows: one that cannot be read fails alone, and is reported to the operator. */
import type { SQLOutputValue } from 'node:sqlite';

/**
 * A row as SQLite returns it. Rows are read with big integers, because a number that is too large would fail
 * the whole query.
 */
export type StoredRow = Readonly<Record<string, SQLOutputValue>>;

/** Tables whose rows are checked when read. */
export const DAMAGED_TABLES = ['api_keys', 'idempotency', 'jobs', 'maintenance'] as const;

/** A row that cannot be read. */
export interface DamagedRecord {
  readonly table: (typeof DAMAGED_TABLES)[number];
  readonly id: string;
  /** Problem with the row: `its status is "x"`. */
  readonly what: string;
}

/** Callback for a row that cannot be read, called at every attempt to read it. */
export type OnDamaged = (record: DamagedRecord) => void;

/** Latest time that a Date can hold, in milliseconds since 1970 UTC. */
export const LAST_TIME = 8.64e15;

/** Records remembered as reported. After this many the list is cleared, and some are reported again. */
const MAX_REMEMBERED = 10_000;

/** Wraps a callback so that it reports each record once. */
export function reportOnce(report: OnDamaged): OnDamaged {
  const reported = new Set<string>();
  return (record) => {
    const name = `${record.table} ${record.id}`;
    if (reported.has(name)) return;
    if (reported.size >= MAX_REMEMBERED) reported.clear();
    reported.add(name);
    report(record);
  };
}

/** Reads a whole number from 0 to `last`; undefined for any other value and for null. */
export function storedNumber(value: SQLOutputValue | undefined, last: number): number | undefined {
  if (typeof value !== 'bigint' && typeof value !== 'number') return undefined;
  return value >= 0 && value <= last ? Number(value) : undefined;
}
