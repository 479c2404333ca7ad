/** Numbers over a swept input as a line chart of plain characters. */

/** A line of the chart. */
export interface ChartLine {
  readonly label: string;
  /** NaN where there is none: the line has a gap. */
  readonly values: readonly number[];
  /** Standard error of each value. */
  readonly errors?: readonly number[];
}

/** Values of the input, one for each value of a line. */
export interface ChartAxis {
  readonly name: string;
  readonly values: readonly number[];
}

/** Symbols of the lines: distinguishable without colour, and in fonts with few characters. */
const SYMBOLS = '*o+x#@';
/** Most lines that a chart can distinguish. */
export const MAX_LINES = SYMBOLS.length;

/** Between two points, a straight line. */
const BETWEEN = '·';
const ERROR_BAR = '|';
/** Rows of the plot, about; there is a whole number of them between two ticks. */
const ROWS = 16;
/** Intervals between the ticks beside the plot, at most. */
const MOST_INTERVALS = 6;
const FEWEST_COLUMNS = 20;
/** Columns of the plot for each number below it, about. */
const COLUMNS_PER_TICK = 12;
/** Most quarters of π that are written as such; larger numbers are written in decimal. */
const MOST_QUARTERS = 4000;
/** A value may lie past a tick by this part of a step. */
const TICK_TOLERANCE = 1e-6;
/** A range narrower than this part of its numbers is rounding. */
const FLAT = 1e-9;

/** Numbers along an axis, and how they are written. */
interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
}

/**
 * Draws lines over an axis: a symbol at each point, dots between points that are some columns apart, and a bar for each
 * standard error that is larger than the symbol. Where lines meet, their symbols take turns. Points are placed by the
 * values of the axis if these rise or fall all the way, otherwise by their number.
 *
 * @param lines - At most MAX_LINES, each with a value for every value of the axis, of which there are two at least.
 * @param columns - Greatest width.
 */
export function lineChart(axis: ChartAxis, lines: readonly ChartLine[], columns: number): string {
  const vertical = verticalScale(lines);
  const margin = Math.max(...vertical.ticks.map(({ label }) => label.length)) + 2;
  const width = Math.max(FEWEST_COLUMNS, columns - margin);
  const numIntervals = vertical.ticks.length - 1;
  const rowsPerTick = Math.max(2, Math.round(ROWS / numIntervals));
  const plot = new Plot(width, numIntervals * rowsPerTick + 1, vertical);
  const { name, values } = isMonotonic(axis.values)
    ? axis
    : { name: 'point', values: axis.values.map((_, i) => i) };
  const [first, last] = [values[0]!, values.at(-1)!];
  const place = (value: number) => ((value - first) / (last - first)) * (width - 1);
  const places = values.map(place);
  for (const [i, { values: ofLine, errors }] of lines.entries()) {
    plot.draw(i, places, ofLine, errors);
  }
  const rows = plot.rows.map((row, r) => {
    const tick = r % rowsPerTick === 0 ? vertical.ticks.at(-1 - r / rowsPerTick) : undefined;
    return `${(tick?.label ?? '').padStart(margin - 2)} ${tick === undefined ? '│' : '┤'}${row}`;
  });
  return [
    ...legend(lines, columns),
    ...rows,
    ...bottom(name, horizontalScale(values, width), place, { margin, width }),
  ]
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Symbols and labels of the lines, on as many lines of text as they take. */
function legend(lines: readonly ChartLine[], columns: number): readonly string[] {
  const texts: string[] = [];
  for (const [i, { label }] of lines.entries()) {
    const entry = `${SYMBOLS[i]} ${label}`;
    const longer = `${texts.at(-1) ?? ''}   ${entry}`;
    if (i > 0 && longer.length <= columns) texts[texts.length - 1] = longer;
    else texts.push(entry.slice(0, columns));
  }
  return texts;
}

/** A grid of characters. */
class Plot {
  readonly #width: number;
  readonly #height: number;
  readonly #scale: Scale;
  /** For each cell, a bit for each line with a point there. */
  readonly #points: Uint8Array;
  readonly #background: string[];

  constructor(width: number, height: number, scale: Scale) {
    this.#width = width;
    this.#height = height;
    this.#scale = scale;
    this.#points = new Uint8Array(width * height);
    this.#background = Array.from({ length: width * height }, () => ' ');
  }

  /** Draws a line through points whose columns need not be whole. */
  draw(
    line: number,
    columns: readonly number[],
    values: readonly number[],
    errors: readonly number[] | undefined,
  ): void {
    let before: readonly [column: number, row: number] | undefined;
    const isDense = columns.length > this.#width / 2;
    const mark = (cell: number) => {
      this.#points[cell]! |= 1 << line;
    };
    const dot = (cell: number) => {
      if (this.#background[cell] === ' ') this.#background[cell] = BETWEEN;
    };
    for (const [i, value] of values.entries()) {
      if (Number.isNaN(value)) {
        before = undefined;
        continue;
      }
      const at = [columns[i]!, this.#rowOf(value)] as const;
      if (before !== undefined) this.#connect(before, at, isDense ? mark : dot);
      const error = errors?.[i] ?? 0;
      if (error > 0) this.#bar(at[0], this.#rowOf(value + error), this.#rowOf(value - error));
      mark(this.#cell(at[0], at[1]));
      before = at;
    }
  }

  /** From the top to the bottom. */
  get rows(): readonly string[] {
    return Array.from({ length: this.#height }, (_, row) => {
      let text = '';
      for (let column = 0; column < this.#width; column++) {
        const cell = row * this.#width + column;
        const there = [...SYMBOLS].filter((_, line) => (this.#points[cell]! >> line) & 1);
        text += there[column % there.length] ?? this.#background[cell]!;
      }
      return text;
    });
  }

  #rowOf(value: number): number {
    const { low, high } = this.#scale;
    const row = ((high - value) / (high - low)) * (this.#height - 1);
    return Math.max(0, Math.min(this.#height - 1, row));
  }

  #cell(column: number, row: number): number {
    return Math.round(row) * this.#width + Math.round(column);
  }

  #connect(
    [fromColumn, fromRow]: readonly [number, number],
    [toColumn, toRow]: readonly [number, number],
    mark: (cell: number) => void,
  ): void {
    const [columns, rows] = [toColumn - fromColumn, toRow - fromRow];
    const numSteps = Math.ceil(Math.max(Math.abs(columns), Math.abs(rows)));
    for (let step = 1; step < numSteps; step++) {
      const part = step / numSteps;
      mark(this.#cell(fromColumn + part * columns, fromRow + part * rows));
    }
  }

  #bar(column: number, top: number, bottom: number): void {
    for (let row = Math.round(top); row <= Math.round(bottom); row++) {
      this.#background[this.#cell(column, row)] = ERROR_BAR;
    }
  }
}

/** Lines below the plot: the axis, its numbers, and its name. */
function bottom(
  name: string,
  { ticks }: Scale,
  place: (value: number) => number,
  { margin, width }: { readonly margin: number; readonly width: number },
): readonly string[] {
  const rule = Array.from({ length: width }, () => '─');
  const numbers = Array.from({ length: margin + width }, () => ' ');
  let free = 0;
  for (const { value, label } of ticks) {
    const column = Math.round(place(value));
    const middle = margin + column - Math.floor(label.length / 2);
    const start = Math.max(0, Math.min(margin + width - label.length, middle));
    if (start < free) continue;
    rule[column] = '┬';
    for (const [i, character] of [...label].entries()) numbers[start + i] = character;
    free = start + label.length + 1;
  }
  const shown = name.slice(0, width);
  const indent = ' '.repeat(margin + Math.floor((width - shown.length) / 2));
  return [`${' '.repeat(margin - 1)}└${rule.join('')}`, numbers.join(''), `${indent}${shown}`];
}

/** Scale that begins and ends with a tick and holds all values. */
function verticalScale(lines: readonly ChartLine[]): Scale {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { values } of lines) {
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) [low, high] = [0, 0];
  if (high - low <= FLAT * Math.max(1, Math.abs(low), Math.abs(high))) {
    [low, high] = [Math.min(-1, low), Math.max(1, high)];
  }
  const coarse = niceStep((high - low) / 2);
  const scales = [coarse, niceStep(coarse / 2.5), niceStep(coarse / 5)]
    .map((step) => ({
      step,
      first: Math.floor(low / step + TICK_TOLERANCE),
      last: Math.ceil(high / step - TICK_TOLERANCE),
    }))
    .filter(({ first, last }) => last - first <= MOST_INTERVALS);
  // The finest step fits most tightly.
  const { step, first, last } = scales.at(-1)!;
  return { low: first * step, high: last * step, ticks: ticksOf(first, last, step) };
}

/** Scale with ticks at round numbers between the ends, or at parts of π if the ends are such. */
function horizontalScale(values: readonly number[], width: number): Scale {
  const [from, to] = [values[0]!, values.at(-1)!];
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  const numTicks = Math.max(2, Math.floor(width / COLUMNS_PER_TICK));
  const inPi = [low, high].every((end) => isQuarterOfPi(end));
  if (inPi) {
    const quarters = (4 * (high - low)) / Math.PI;
    const step = 2 ** Math.max(0, Math.ceil(Math.log2(quarters / numTicks) - FLAT));
    const [first, last] = [Math.round((4 * low) / Math.PI), Math.round((4 * high) / Math.PI)];
    const ticks = [];
    for (let n = Math.ceil(first / step) * step; n <= last; n += step) {
      ticks.push({ value: (n * Math.PI) / 4, label: quarterOfPi(n) });
    }
    return { low, high, ticks: from <= to ? ticks : ticks.reverse() };
  }
  const least = values.every(Number.isInteger) ? 1 : 0;
  const step = niceStep(Math.max(least, (high - low) / numTicks));
  const ticks = ticksOf(
    Math.ceil(low / step - TICK_TOLERANCE),
    Math.floor(high / step + TICK_TOLERANCE),
    step,
  );
  return { low, high, ticks: from <= to ? ticks : ticks.toReversed() };
}

function isQuarterOfPi(value: number): boolean {
  const quarters = (4 * value) / Math.PI;
  return Math.abs(quarters) <= MOST_QUARTERS && Math.abs(quarters - Math.round(quarters)) < FLAT;
}

/** `quarters`·π/4 as a fraction in lowest terms: `-3π/4`, `π/2`, `2π`. */
function quarterOfPi(quarters: number): string {
  const divisor = quarters % 4 === 0 ? 1 : quarters % 2 === 0 ? 2 : 4;
  const factor = (quarters * divisor) / 4;
  if (factor === 0) return '0';
  const sign = factor < 0 ? '-' : '';
  const number = Math.abs(factor) === 1 ? '' : `${Math.abs(factor)}`;
  return `${sign}${number}π${divisor === 1 ? '' : `/${divisor}`}`;
}

/** The least of 1, 2, 5 times a power of ten that is no less than a number. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least) + FLAT);
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= least * (1 - FLAT)) ?? 10;
  return factor * power;
}

/** Ticks at whole multiples of a step. */
function ticksOf(first: number, last: number, step: number): Scale['ticks'] {
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + FLAT));
  const most = Math.max(Math.abs(first), Math.abs(last)) * step;
  const isPlain = decimals <= 6 && most < 1e7;
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const value = (first + i) * step;
    return { value, label: isPlain ? value.toFixed(decimals) : `${Number(value.toPrecision(6))}` };
  });
}

function isMonotonic(values: readonly number[]): boolean {
  const isRising = values[1]! > values[0]!;
  return values.every(
    (value, i) => i === 0 || (isRising ? value > values[i - 1]! : value < values[i - 1]!),
  );
}
