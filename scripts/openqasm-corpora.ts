/** Generates the tables at the end of docs/openqasm.md from the results of bench/peers/openqasm. */
import { readFileSync } from 'node:fs';

const DOCUMENT = new URL('../docs/openqasm.md', import.meta.url);
const RESULTS = new URL('../bench/results/openqasm-corpora.json', import.meta.url);
const HEADING = '## Programs of other tools';

interface Refused {
  readonly program: string;
  readonly message: string;
  /** The program's own tool's message, if that refuses it, too. */
  readonly why?: string;
}

interface Corpus {
  readonly corpus: string;
  readonly programs: number;
  readonly equal: number;
  readonly not_compared: Readonly<Record<string, number>>;
  readonly refused: readonly Refused[];
  readonly invalid: readonly Refused[];
  readonly wrong: readonly { readonly program: string; readonly fault: string }[];
}

interface Results {
  readonly date: string;
  readonly max_qubits: number;
  readonly machine: { readonly tools: Readonly<Record<string, string>> };
  readonly corpora: readonly Corpus[];
}

/** docs/openqasm.md with its last section regenerated. */
export function openQasmDocument(): string {
  const text = readFileSync(DOCUMENT, 'utf8');
  const results: Results = JSON.parse(readFileSync(RESULTS, 'utf8'));
  const end = text.indexOf(HEADING);
  const written = end === -1 ? `${text}\n` : text.slice(0, end);
  return `${written}${sectionOf(results)}`;
}

function sectionOf({ date, machine, max_qubits, corpora }: Results): string {
  const tools = Object.entries(machine.tools).map(([name, version]) => `${name} ${version}`);
  const rows = corpora.map((c) => {
    const notCompared = sum(Object.values(c.not_compared));
    const counts = [c.equal, notCompared, c.refused.length, c.invalid.length, c.wrong.length];
    return `| ${c.corpus} | ${c.programs} | ${counts.join(' | ')} |`;
  });
  const all = (count: (corpus: Corpus) => number) => sum(corpora.map(count));
  const totals = [
    all((c) => c.programs),
    all((c) => c.equal),
    all((c) => sum(Object.values(c.not_compared))),
    all((c) => c.refused.length),
    all((c) => c.invalid.length),
    all((c) => c.wrong.length),
  ];
  return `${HEADING}

<!-- Generated from bench/results/openqasm-corpora.json by \`npm run gen\`. -->

\`python bench/peers/openqasm\` reads programs that other tools publish or export, runs them on the CPU engine in double
precision, and compares them with the tool's own simulator: states up to a global phase, to 1e-9, where all measurements come
last; else counts, with a chi-squared test. Aer does not run some dynamic circuits of Qiskit; those are held to an exact
distribution that the script works out branch by branch. The run of ${date.slice(0, 10)} was with
${tools.join(', ')}.

| corpus | programs | equal | read, not compared | refused | refused by its own tool too | wrong |
|---|---|---|---|---|---|---|
${rows.join('\n')}
| **all** | ${totals.map((count) => `**${count}**`).join(' | ')} |

Not compared are programs of more than ${max_qubits} qubits, and those that the tool's simulator does not run or takes too long for.
QASMBench is as far as its files could be had: 234 of 254.

### What is still refused

| message | programs |
|---|---|
${causes(corpora, (c) => c.refused).join('\n')}

### What its own tool refuses too

| message | programs | the tool |
|---|---|---|
${causes(corpora, (c) => c.invalid).join('\n')}
`;
}

/**
 * Rows of a table, one for each message without its names and numbers, with the first program as
 * the example.
 */
function causes(
  corpora: readonly Corpus[],
  of: (corpus: Corpus) => readonly Refused[],
): readonly string[] {
  const groups = new Map<
    string,
    { readonly first: Refused; readonly corpus: string; count: number }
  >();
  for (const corpus of corpora) {
    for (const refused of of(corpus)) {
      const key = refused.message.replaceAll(/"[^"]*"|\d+/g, '');
      const group = groups.get(key) ?? { first: refused, corpus: corpus.corpus, count: 0 };
      group.count++;
      groups.set(key, group);
    }
  }
  return [...groups.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ first, corpus, count }) => {
      const others = count > 1 ? ` and ${count - 1} more` : '';
      const why = first.why === undefined ? '' : ` | ${cell(first.why)}`;
      return `| ${cell(first.message)} | ${corpus}: \`${first.program}\`${others}${why} |`;
    });
}

function cell(text: string): string {
  const short = text.length > 160 ? `${text.slice(0, 160)}…` : text;
  return short.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
