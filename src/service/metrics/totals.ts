/** Makers of metrics, and counters whose totals are kept elsewhere and read at each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';

/** Makers of gauges and counters in a registry: name, help, and the names of the labels. */
export function makersIn(registry: Registry) {
  const registers = [registry];
  return {
    gauge: <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
      new Gauge<L>({ name, help, labelNames, registers }),
    counter: <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
      new Counter<L>({ name, help, labelNames, registers }),
  };
}

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
