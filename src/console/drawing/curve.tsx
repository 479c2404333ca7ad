/** Curves over one axis, drawn by uPlot, with their values in words and as a table. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { rounded } from '../numbers.ts';
import './curve.css';
import { ValuesTable } from '../shell/table.tsx';
import {
  type Axis,
  ascending,
  curvesInWords,
  inOrder,
  pointInWords,
  rangeOf,
  type Series,
  valueInWords,
} from './plot-data.ts';

const COLOURS = ['--class-1', '--class-0', '--ink'] as const;
/** Curves differ by their dashes, too: eleven of them have a pair of their own. */
const DASHES: readonly (readonly number[])[] = [[], [9, 5], [2, 4], [12, 4, 2, 4]];

interface CurveProps {
  /** Title, such as "Energy by angle". */
  readonly label: string;
  readonly x: Axis;
  readonly series: readonly Series[];
  /** Height of the drawing in pixels. */
  readonly height?: number;
}

/**
 * Draws one curve or several. New values may be given at any time; NaN leaves a gap. The arrow keys, Home and End
 * go from point to point.
 */
export function Curve({ label, x, series, height = 260 }: CurveProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<Drawn>(undefined);
  const [at, setAt] = useState<number>();
  const order = useMemo(() => ascending(x), [x.values]);
  const shape = JSON.stringify([x.label, series.map((each) => each.label), height]);

  useEffect(() => {
    if (host.current === null) return;
    const drawn = new Drawn(host.current, x.label, series, height, setAt);
    plot.current = drawn;
    return () => drawn.end();
  }, [shape]);
  useEffect(() => plot.current?.show(x, series, order), [shape, x, series]);

  const last = order.length - 1;
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: (at ?? 1) - 1,
      ArrowRight: (at ?? -1) + 1,
      Home: 0,
      End: last,
    };
    const next = steps[event.key];
    if (next === undefined || last < 0) return;
    event.preventDefault();
    plot.current?.pointAt(Math.max(0, Math.min(last, next)));
  };
  const index = at === undefined ? undefined : order[at];
  const words = curvesInWords(x, series);
  const point = index === undefined ? undefined : pointInWords(x, series, index);
  return (
    <figure class="curve">
      {series.length > 1 && <Legend series={series} />}
      <div
        ref={host}
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={`${label}. ${words}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={at ?? 0}
        aria-valuetext={point ?? 'No point is chosen. Use the arrow keys.'}
        onKeyDown={move}
      />
      <figcaption aria-hidden="true">
        {point ?? 'Point at the drawing, or use the arrow keys, to read values.'}
      </figcaption>
      <ValuesTable
        label={label}
        columns={[x.label, ...series.map((each) => each.label)]}
        numRows={x.values.length}
        cellsOf={(i) => [
          rounded(Number(x.values[i])),
          ...series.map((each) => valueInWords(each, i)),
        ]}
      />
    </figure>
  );
}

function Legend({ series }: Pick<CurveProps, 'series'>) {
  return (
    <ul class="legend">
      {series.map((each, i) => (
        <li key={each.label}>
          <svg width="34" height="8" aria-hidden="true" data-colour={i % COLOURS.length}>
            <line x1="1" x2="33" y1="4" y2="4" stroke-dasharray={dashOf(i).join(' ')} />
          </svg>
          {each.label}
        </li>
      ))}
    </ul>
  );
}

function dashOf(index: number): readonly number[] {
  return DASHES[index % DASHES.length] ?? [];
}

/** A plot of uPlot that has the width of its element and the colours of the scheme. */
class Drawn {
  readonly #host: HTMLElement;
  readonly #plot: uPlot;
  readonly #ends: (() => void)[] = [];
  #series: readonly Series[];
  #order: readonly number[] = [];
  #colours: Readonly<Record<string, string>> = {};

  /** @param onPoint - Receives the position in ascending order of the point that the pointer or a key chose. */
  constructor(
    host: HTMLElement,
    xLabel: string,
    series: readonly Series[],
    height: number,
    onPoint: (at: number | undefined) => void,
  ) {
    this.#host = host;
    this.#series = series;
    this.#readColours();
    this.#plot = new uPlot(this.#options(xLabel, series, height, onPoint), [[]], host);
    this.#follow(height);
  }

  /** Draws other values of the same series. */
  show(x: Axis, series: readonly Series[], order: readonly number[]): void {
    this.#series = series;
    this.#order = order;
    const xs = order.map((i) => Number(x.values[i]));
    this.#plot.setData([xs, ...series.map(({ values }) => inOrder(values, order))]);
  }

  /** Chooses a point by its position in ascending order. */
  pointAt(at: number): void {
    const value = this.#plot.data[0]?.[at];
    if (value === undefined || value === null) return;
    const { height } = this.#plot.over.getBoundingClientRect();
    this.#plot.setCursor({ left: this.#plot.valToPos(value, 'x'), top: height / 2 });
  }

  end(): void {
    for (const end of this.#ends) end();
    this.#plot.destroy();
  }

  #options(
    xLabel: string,
    series: readonly Series[],
    height: number,
    onPoint: (at: number | undefined) => void,
  ): uPlot.Options {
    const colour = (name: string) => () => this.#colours[name] ?? '';
    const axis = {
      stroke: colour('--soft'),
      grid: { stroke: colour('--edge'), width: 1 },
      ticks: { stroke: colour('--edge'), width: 1 },
      // Whole pixels: uPlot scales no others to the screen.
      font: '13px system-ui, sans-serif',
      labelFont: '13px system-ui, sans-serif',
      values: (_: uPlot, ticks: readonly number[]) => ticks.map(rounded),
    };
    return {
      width: Math.max(1, this.#host.clientWidth),
      height,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: () => this.#range() } },
      axes: [
        { ...axis, label: xLabel, labelSize: 20, size: 36 },
        { ...axis, size: 62 },
      ],
      series: [
        {},
        ...series.map((each, i) => ({
          label: each.label,
          stroke: colour(COLOURS[i % COLOURS.length] ?? COLOURS[0]),
          width: 2,
          dash: [...dashOf(i)],
          points: { fill: colour('--card') },
        })),
      ],
      hooks: {
        draw: [(plot) => this.#drawErrors(plot)],
        setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)],
      },
    };
  }

  #range(): uPlot.Range.MinMax {
    const [least, greatest] = rangeOf(this.#series) ?? [-1, 1];
    return uPlot.rangeNum(least, greatest, 0.1, true);
  }

  #drawErrors({ ctx, data: [xs = []], valToPos }: uPlot): void {
    for (const [k, { values, errors }] of this.#series.entries()) {
      if (errors === undefined) continue;
      ctx.save();
      ctx.strokeStyle = this.#colours[COLOURS[k % COLOURS.length] ?? COLOURS[0]] ?? '';
      ctx.lineWidth = devicePixelRatio;
      ctx.setLineDash([]);
      ctx.beginPath();
      for (const [at, index] of this.#order.entries()) {
        const [value, error] = [Number(values[index]), Number(errors[index])];
        if (!Number.isFinite(value) || !Number.isFinite(error)) continue;
        const left = valToPos(Number(xs[at]), 'x', true);
        ctx.moveTo(left, valToPos(value - error, 'y', true));
        ctx.lineTo(left, valToPos(value + error, 'y', true));
      }
      ctx.stroke();
      ctx.restore();
    }
  }

  /** Follows the width of the element and the choice of the colours. */
  #follow(height: number): void {
    const redraw = () => {
      this.#readColours();
      this.#plot.redraw(false);
    };
    const sizes = new ResizeObserver(() => {
      const width = this.#host.clientWidth;
      if (width > 0 && width !== this.#plot.width) this.#plot.setSize({ width, height });
    });
    sizes.observe(this.#host);
    const choices = new MutationObserver(redraw);
    choices.observe(document.documentElement, { attributeFilter: ['data-scheme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', redraw);
    this.#ends.push(
      () => sizes.disconnect(),
      () => choices.disconnect(),
      () => system.removeEventListener('change', redraw),
    );
  }

  /** Computes the colours: a variable of CSS that depends on the scheme has a value only where it is used. */
  #readColours(): void {
    const probe = document.createElement('span');
    this.#host.append(probe);
    const names = [...COLOURS, '--soft', '--edge', '--card'];
    this.#colours = Object.fromEntries(
      names.map((name) => {
        probe.style.color = `var(${name})`;
        return [name, getComputedStyle(probe).color];
      }),
    );
    probe.remove();
  }
}
