/** Observables as a visitor writes them, one a line: sums of Pauli strings, with a name if one is given. */

/** A Pauli string with its coefficient, as the service takes it. */
interface Term {
  readonly pauli: string;
  readonly coefficient: number;
}

export interface Observable {
  readonly label: string;
  readonly terms: readonly Term[];
}

const NAMED = /^\s*([\p{L}_][\p{L}\w]*)\s*=\s*(.*)$/u;
const TERM =
  /\s*([+-]?)\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)\s*\*?\s*)?((?:[XYZ]\s*\d+\s*|I\s*(?:\d+\s*)?)*)/iy;
const LONGEST_LABEL = 28;

/**
 * Reads lines such as `Z0 Z1`, `0.5*X0 - 0.25*Z0 Z1 + 1` and `energy = …`. Empty lines are left out.
 *
 * @throws {SyntaxError} that names the first line that is no such sum, or a label that stands twice.
 */
export function observablesOf(text: string): readonly Observable[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const observables = lines.map((line, i) => {
    const [, name, sum = line] = NAMED.exec(line) ?? [];
    const short = sum.trim().length <= LONGEST_LABEL ? sum.trim() : `observable ${i + 1}`;
    return { label: name ?? short, terms: termsOf(sum) };
  });
  const labels = observables.map(({ label }) => label);
  const twice = labels.find((label, i) => labels.indexOf(label) < i);
  if (twice !== undefined) throw new SyntaxError(`"${twice}" stands twice.`);
  return observables;
}

function termsOf(sum: string): readonly Term[] {
  const terms: Term[] = [];
  TERM.lastIndex = 0;
  for (let at = 0; at < sum.trimEnd().length; at = TERM.lastIndex) {
    const [whole = '', sign, number, paulis = ''] = TERM.exec(sum) ?? [];
    const hasSign = sign !== '' || terms.length === 0;
    if (whole.trim() === '' || !hasSign || (number === undefined && paulis.trim() === '')) {
      throw noSum(sum);
    }
    const factors = paulis.toUpperCase().match(/[XYZ]\s*\d+/g) ?? ['I'];
    terms.push({
      pauli: factors.map((factor) => factor.replace(/\s+/g, '')).join(' '),
      coefficient: (sign === '-' ? -1 : 1) * Number(number ?? 1),
    });
  }
  if (terms.length === 0) throw noSum(sum);
  return terms;
}

function noSum(text: string): SyntaxError {
  return new SyntaxError(
    `"${text.trim()}" is not a sum of Pauli strings, such as "0.5*Z0 Z1 - X0".`,
  );
}
