/** The TICKs of a timeline by their numbers. */
import type { StimTimeline } from '../live-state/messages.ts';

type Tick = StimTimeline['ticks'][number];

/**
 * The drawn TICK that a number stands for, counted from 0.
 *
 * @returns With the repetition of each REPEAT block around it, outer ones first; undefined if there is none.
 */
export function tickAt(
  ticks: readonly Tick[],
  number: number,
): { readonly tick: Tick; readonly rounds: readonly number[] } | undefined {
  for (const tick of ticks) {
    let rest = number - tick.first;
    const rounds = tick.steps.map(({ by, count }) => {
      const round = Math.max(0, Math.min(count - 1, Math.floor(rest / by)));
      rest -= round * by;
      return round;
    });
    if (rest === 0) return { tick, rounds };
  }
  return undefined;
}

/** Number of a TICK from 1 on, such as `4+3i`: as Stim's diagrams count. */
export function tickName({ first, steps }: Tick): string {
  const terms = steps.map(({ by }, depth) => `+${by === 1 ? '' : by}${letterOf(depth)}`);
  return `${first + 1}${terms.join('')}`;
}

const letterOf = (depth: number): string => String.fromCharCode('i'.charCodeAt(0) + (depth % 12));
