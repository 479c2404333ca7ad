/** Textbook classifiers, written the plain way, that the published baselines are held to. */

type Rows = readonly (readonly number[])[];
/** Above 0 it says class 1. */
type Decision = (row: readonly number[]) => number;

/** Solves A·x = b by elimination with row pivoting. */
function solve(matrix: Rows, right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  for (let col = 0; col < rows.length; col++) {
    const rest = rows.slice(col);
    const best = rest.reduce((a, b) => (Math.abs(b[col]!) > Math.abs(a[col]!) ? b : a));
    rows.splice(rows.indexOf(best), 1);
    rows.splice(col, 0, best);
    for (const [i, row] of rows.entries()) {
      if (i === col) continue;
      const factor = row[col]! / best[col]!;
      for (let j = col; j < row.length; j++) row[j]! -= factor * best[j]!;
    }
  }
  return rows.map((row, i) => row.at(-1)! / row[i]!);
}

function meanRow(rows: Rows): readonly number[] {
  return rows[0]!.map((_, f) => rows.reduce((sum, row) => sum + row[f]!, 0) / rows.length);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

/** Fisher's discriminant for classes of equal size. */
export function plainDiscriminant(rows: Rows, labels: readonly number[]): Decision {
  const of = (label: number) => rows.filter((_, i) => labels[i] === label);
  const [low, high] = [meanRow(of(0)), meanRow(of(1))];
  const scatter = low.map((_, a) =>
    low.map((_, b) =>
      rows.reduce((sum, row, i) => {
        const middle = labels[i] === 1 ? high : low;
        return sum + ((row[a]! - middle[a]!) * (row[b]! - middle[b]!)) / rows.length;
      }, 0),
    ),
  );
  const weights = solve(
    scatter,
    high.map((value, f) => value - low[f]!),
  );
  const middle = low.map((value, f) => (value + high[f]!) / 2);
  return (row) => dot(weights, row) - dot(weights, middle);
}

/** Minimises Σ log loss + ½|w|², the intercept free, by Newton's method. */
export function plainLogistic(rows: Rows, labels: readonly number[]): Decision {
  const extended = rows.map((row) => [...row, 1]);
  let weights: readonly number[] = extended[0]!.map(() => 0);
  const penalty = weights.map((_, f) => (f < weights.length - 1 ? 1 : 0));
  for (let step = 0; step < 50; step++) {
    const chances = extended.map((row) => 1 / (1 + Math.exp(-dot(weights, row))));
    const slope = weights.map(
      (weight, a) =>
        penalty[a]! * weight +
        extended.reduce((sum, row, i) => sum + (chances[i]! - labels[i]!) * row[a]!, 0),
    );
    const curvature = weights.map((_, a) =>
      weights.map((_, b) =>
        extended.reduce(
          (sum, row, i) => sum + chances[i]! * (1 - chances[i]!) * row[a]! * row[b]!,
          a === b ? penalty[a]! : 0,
        ),
      ),
    );
    const move = solve(curvature, slope);
    weights = weights.map((weight, f) => weight - move[f]!);
  }
  return (row) => dot(weights, [...row, 1]);
}

/** The same on features of mean 0 and variance 1 in training. */
export function plainStandardisedLogistic(rows: Rows, labels: readonly number[]): Decision {
  const means = meanRow(rows);
  const spreads = means.map((mean, f) =>
    Math.sqrt(rows.reduce((sum, row) => sum + (row[f]! - mean) ** 2, 0) / rows.length),
  );
  const scale = (row: readonly number[]) =>
    row.map((value, f) => (value - means[f]!) / spreads[f]!);
  const decide = plainLogistic(rows.map(scale), labels);
  return (row) => decide(scale(row));
}
