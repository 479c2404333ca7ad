/** Curves drawn by uPlot, with bars between the bounds of their values. */
import uPlot from 'uplot';
import { rounded } from '../numbers.ts';
import {
  type Axis,
  boundsOf,
  COLOURS,
  dashOf,
  inOrder,
  labelledTicks,
  logarithmicTicks,
  rangeOf,
  type Series,
} from './plot-data.ts';

/** Properties of a drawing that stay while its values change. */
export interface Frame {
  readonly x: Pick<Axis, 'label' | 'isLogarithmic'> & {
    /** Whether the axis has whole numbers alone. */
    readonly isWhole: boolean;
  };
  /** In pixels. */
  readonly height: number;
  readonly isLogarithmic: boolean;
  readonly isJoined: boolean;
}

/** Name of the colour of the curve of a number. */
function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] ?? COLOURS[0];
}

/** Distances of ticks between whole numbers. */
const WHOLE_STEPS = Array.from({ length: 16 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** i)).flat();

const LOGARITHMIC = { distr: 3, log: 10 } as const;
/** Ticks of our own: those of uPlot begin at the edge of the axis. */
const LOGARITHMIC_AXIS = {
  splits: (_: uPlot, __: number, least: number, greatest: number) => [
    ...logarithmicTicks(least, greatest),
  ],
  filter: (_: uPlot, ticks: readonly number[]) => [...labelledTicks(ticks)],
};

/** Range of a logarithmic axis: a little more than its values. uPlot has no values at first. */
function logRange(_: uPlot, least: number | null, greatest: number | null): uPlot.Range.MinMax {
  if (least === null || greatest === null) return [0.1, 1];
  const margin = least === greatest ? 2 : (greatest / least) ** 0.06;
  return [least / margin, greatest * margin];
}

/** Range of the axis: its values. A single one stands in the middle; uPlot would have it begin an axis to 100. */
function rangeOfAxis(_: uPlot, least: number | null, greatest: number | null): uPlot.Range.MinMax {
  if (least === null || greatest === null) return [0, 1];
  return least === greatest ? [least - 1, greatest + 1] : [least, greatest];
}

/** A plot of uPlot that has the width of its element and the colours of the scheme. */
export class DrawnCurves {
  readonly #host: HTMLElement;
  readonly #plot: uPlot;
  readonly #frame: Frame;
  readonly #ends: (() => void)[] = [];
  #series: readonly Series[];
  #order: readonly number[] = [];
  #colours: Readonly<Record<string, string>> = {};

  /** @param onPoint - Receives the position in ascending order of the point that the pointer or a key chose. */
  constructor(
    host: HTMLElement,
    frame: Frame,
    series: readonly Series[],
    onPoint: (at: number | undefined) => void,
  ) {
    this.#host = host;
    this.#frame = frame;
    this.#series = series;
    this.#readColours();
    this.#plot = new uPlot(this.#options(series, onPoint), [[]], host);
    this.#follow();
  }

  /** Draws other values of the same series. */
  show(x: Axis, series: readonly Series[], order: readonly number[]): void {
    this.#series = series;
    this.#order = order;
    const xs = order.map((i) => Number(x.values[i]));
    const isShown = (value: number | null) =>
      value !== null && (!this.#frame.isLogarithmic || value > 0);
    this.#plot.setData([
      xs,
      ...series.map(({ values }) =>
        inOrder(values, order).map((value) => (isShown(value) ? value : null)),
      ),
    ]);
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

  #options(series: readonly Series[], onPoint: (at: number | undefined) => void): uPlot.Options {
    const { x, height, isLogarithmic, isJoined } = this.#frame;
    const colour = (name: string) => () => this.#colours[name] ?? '';
    const axis = {
      stroke: colour('--soft'),
      grid: { stroke: colour('--edge'), width: 1 },
      ticks: { stroke: colour('--edge'), width: 1 },
      // Whole pixels: uPlot scales no others to the screen.
      font: '13px system-ui, sans-serif',
      labelFont: '13px system-ui, sans-serif',
      // A logarithmic axis leaves the labels of some ticks out.
      values: (_: uPlot, ticks: readonly (number | null)[]) =>
        ticks.map((tick) => (tick === null ? null : rounded(tick))),
    };
    return {
      width: Math.max(1, this.#host.clientWidth),
      height,
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: false, y: false },
        // A filled point: one in the colour of the card would hide that of the curve.
        points: { size: 9, fill: (_: uPlot, i: number) => colour(colourOf(i - 1))() },
      },
      scales: {
        x: {
          time: false,
          ...(x.isLogarithmic ? { ...LOGARITHMIC, range: logRange } : { range: rangeOfAxis }),
        },
        y: { ...(isLogarithmic && LOGARITHMIC), range: () => this.#range() },
      },
      axes: [
        {
          ...axis,
          ...(x.isLogarithmic && LOGARITHMIC_AXIS),
          ...(x.isWhole && !x.isLogarithmic && { incrs: WHOLE_STEPS }),
          ...{ label: x.label, labelSize: 20, size: 36 },
        },
        { ...axis, ...(isLogarithmic && LOGARITHMIC_AXIS), size: 62 },
      ],
      series: [
        {},
        ...series.map((each, i) => ({
          label: each.label,
          stroke: colour(colourOf(i)),
          width: 2,
          dash: [...dashOf(i)],
          spanGaps: isJoined,
          points: { ...(isJoined && { show: true }), fill: colour('--card') },
        })),
      ],
      hooks: {
        draw: [(plot) => this.#drawErrors(plot)],
        setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)],
      },
    };
  }

  #range(): uPlot.Range.MinMax {
    const { isLogarithmic } = this.#frame;
    if (isLogarithmic) return logRange(this.#plot, ...(rangeOf(this.#series, true) ?? [0.1, 1]));
    const [least, greatest] = rangeOf(this.#series) ?? [-1, 1];
    return uPlot.rangeNum(least, greatest, 0.1, true);
  }

  /** Draws bars between the bounds of the values. A bar whose lower bound has no place ends at the axis. */
  #drawErrors({ ctx, data: [xs = []], scales, valToPos }: uPlot): void {
    const floor = this.#frame.isLogarithmic ? Number(scales['y']?.min) : -Infinity;
    for (const [k, each] of this.#series.entries()) {
      if (each.errors === undefined && each.intervals === undefined) continue;
      ctx.save();
      ctx.strokeStyle = this.#colours[colourOf(k)] ?? '';
      ctx.lineWidth = devicePixelRatio;
      ctx.setLineDash([]);
      ctx.beginPath();
      for (const [at, index] of this.#order.entries()) {
        const [low, high] = boundsOf(each, index) ?? [];
        if (low === undefined || high === undefined) continue;
        const left = valToPos(Number(xs[at]), 'x', true);
        ctx.moveTo(left, valToPos(Math.max(low, floor), 'y', true));
        ctx.lineTo(left, valToPos(Math.max(high, floor), 'y', true));
      }
      ctx.stroke();
      ctx.restore();
    }
  }

  /** Follows the width of the element and the choice of the colours. */
  #follow(): void {
    const { height } = this.#frame;
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
