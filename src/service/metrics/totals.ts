/** Counters whose totals are kept elsewhere, and read at each scrape. */
import { Counter, type Registry } from 'prom-client';

/** A total, and the labels of its series. */
export type Total<Label extends string> = readonly [
  labels: Readonly<Record<Label, string>>,
  total: number,
];

/** Registers a counter of totals. */
export function registerTotals<Label extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[],
  read: () => Iterable<Total<Label>>,
): void {
  new Counter<Label>({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, total] of read()) this.inc({ ...labels }, total);
    },
  });
}
