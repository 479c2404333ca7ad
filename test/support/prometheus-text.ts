/** Prometheus' text format, read strictly: what is not in the format throws. */

/** One figure. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Contents of one scrape. */
export interface Scrape {
  /** Type by the metric's name. */
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];
  /** The one figure with at least those labels; 0 where there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number;
  /** All figures of that name with at least those labels. */
  all(name: string, labels?: Readonly<Record<string, string>>): readonly Sample[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/** Reads one scrape. */
export function parseScrape(text: string): Scrape {
  if (!text.endsWith('\n')) throw new Error('The last line does not end.');
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') helped.add(name);
    else if (keyword === 'TYPE') {
      if (types.has(name)) throw new Error(`${name} is declared twice.`);
      if (!['counter', 'gauge', 'histogram'].includes(rest)) throw new Error(`No type: ${line}`);
      types.set(name, rest);
    } else samples.push(parseSample(line));
  }
  for (const name of types.keys()) if (!helped.has(name)) throw new Error(`${name} has no help.`);
  const seen = new Set<string>();
  for (const { name, labels } of samples) {
    if (!types.has(metricOf(name, types))) throw new Error(`${name} has no type.`);
    const series = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(series)) throw new Error(`${series} is there twice.`);
    seen.add(series);
  }
  const all: Scrape['all'] = (name, labels = {}) =>
    samples.filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  return {
    types,
    samples,
    all,
    value(name, labels) {
      const found = all(name, labels);
      if (found.length > 1) throw new Error(`${found.length} figures of ${name}.`);
      return found[0]?.value ?? 0;
    },
  };
}

/** The metric that a sample's name is of. */
export function metricOf(name: string, types: ReadonlyMap<string, string>): string {
  const base = name.replace(/_(?:bucket|sum|count)$/, '');
  return types.get(base) === 'histogram' ? base : name;
}

function parseSample(line: string): Sample {
  const [, name, labelText = '', valueText = ''] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw new Error(`No sample: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < labelText.length) {
    const [, label = '', value = ''] = LABEL.exec(labelText) ?? [];
    if (label === '' || label in labels) throw new Error(`No labels: ${line}`);
    labels[label] = value;
  }
  const value = valueText === '+Inf' ? Number.POSITIVE_INFINITY : Number(valueText);
  // What is not known is left out rather than told as NaN.
  if (Number.isNaN(value)) throw new Error(`No figure: ${line}`);
  return { name, labels, value };
}
