/** The jumps that shots take at a site of noise: drawn by their weights, and parted so that the shots of one stay together. */
import { uniformDraw } from '../math/philox.ts';
import { type DrawSource, numUpTo, type OrderedShots, someShots } from './passage.ts';

/** Shots in the order of their jumps. */
export interface ChosenJumps {
  readonly shots: OrderedShots;
  /** The jump of each shot, ascending. */
  readonly choices: Uint16Array;
}

/** Shots with the same jump, a range of the list. */
export interface ChoiceRun {
  readonly choice: number;
  readonly from: number;
  readonly count: number;
}

/**
 * Draws the jump of every shot. A single possible jump takes no draw.
 *
 * @param weights - Relative probabilities of the jumps, not all 0.
 * @param numJumps - Jumps of the shots so far.
 */
export function chooseJumps(
  { numbers, keys }: OrderedShots,
  weights: ArrayLike<number>,
  numJumps: number,
  { seed, event, rounds }: DrawSource,
): ChosenJumps {
  const cumulative = Float64Array.from(weights);
  for (let i = 1; i < cumulative.length; i++) cumulative[i]! += cumulative[i - 1]!;
  const total = cumulative.at(-1)!;
  // By rounding, a draw times the sum may reach the sum.
  const last = cumulative.indexOf(total);
  const position = 2 * numJumps + 1;
  const chosen = new Uint16Array(numbers.length);
  // Where the shots of each choice begin.
  const starts = new Uint32Array(cumulative.length + 1);
  for (let i = 0; i < chosen.length; i++) {
    const shot = numbers[i]!;
    const u = cumulative.length === 1 ? 0 : uniformDraw(seed, shot, event, position, rounds);
    const choice = Math.min(last, numUpTo(cumulative, u * total));
    chosen[i] = choice;
    starts[choice + 1]!++;
  }
  for (let choice = 1; choice < starts.length; choice++) starts[choice]! += starts[choice - 1]!;
  const shots = { numbers: new Uint32Array(chosen.length), keys: new Float64Array(chosen.length) };
  const choices = new Uint16Array(chosen.length);
  for (let i = 0; i < chosen.length; i++) {
    const choice = chosen[i]!;
    const at = starts[choice]!++;
    shots.numbers[at] = numbers[i]!;
    shots.keys[at] = keys[i]!;
    choices[at] = choice;
  }
  return { shots, choices };
}

/** The jump that the fewest shots take, the first of several. */
export function rarestChoice(choices: Uint16Array): ChoiceRun {
  let best: ChoiceRun = { choice: choices[0]!, from: 0, count: choices.length };
  for (let from = 0; from < choices.length; ) {
    const choice = choices[from]!;
    let to = from + 1;
    while (to < choices.length && choices[to] === choice) to++;
    if (to - from < best.count) best = { choice, from, count: to - from };
    from = to;
  }
  return best;
}

/** The shots of one jump, and the others. */
export function partedByChoice(
  shots: OrderedShots,
  choices: Uint16Array,
  { from, count }: ChoiceRun,
): readonly [ChosenJumps, ChosenJumps] {
  const to = from + count;
  const without = <T extends Uint16Array | Uint32Array | Float64Array>(all: T): T => {
    const rest = all.slice(count) as T;
    rest.set(all.subarray(0, from));
    return rest;
  };
  return [
    { shots: someShots(shots, from, to), choices: choices.slice(from, to) },
    {
      shots: { numbers: without(shots.numbers), keys: without(shots.keys) },
      choices: without(choices),
    },
  ];
}
