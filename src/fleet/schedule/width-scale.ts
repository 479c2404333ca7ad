/**
 * Scale of the machine that a job needs, by which the nodes of a cluster claim jobs: a job has a place on the scale,
 * and a node has the ranges of places that it takes.
 *
 * A machine may hold fewer qubits by some methods: fewer as trajectories than as one state, and more as a density
 * matrix. A job with runs by several methods needs all of them. Needs that follow from that order are left out; so at
 * most two widths remain, a lesser and a greater one.
 *
 *     0        a state vector            + its qubits
 *     1000     trajectories              + their qubits; likewise stabilizers and matrix product states
 *     2000     a density matrix          + the qubits of its state
 *     3000     a state vector that is wider than trajectories of the same job:    100 × its qubits + theirs
 *     13000    a density matrix that is wider than other states of the same job:  100 × its qubits + theirs
 */
import { isStateMethod, type RunMethod, STATE_METHODS, type StateMethod } from './scheduled-run.ts';

/** More than the qubits of any state. */
const WIDTHS_OF_METHOD = 1000;
/** More than the qubits of any state of a job with several methods; wider states fit nowhere in any case. */
const WIDTHS_OF_MIX = 100;
const MIX_OF = {
  statevector: STATE_METHODS.length * WIDTHS_OF_METHOD,
  density_matrix: STATE_METHODS.length * WIDTHS_OF_METHOD + WIDTHS_OF_MIX ** 2,
} as const;

/** All places. */
export const EVERY_PLACE: ScaleRange = { least: 0, most: 2 ** 15 - 1 };

/** State that a run holds. */
export interface RunState {
  readonly method?: RunMethod;
  /** Qubits of the state, as in RunWork. */
  readonly numQubits: number;
}

/** Places on the scale, from the least to the most. */
export interface ScaleRange {
  readonly least: number;
  readonly most: number;
}

/** Place of a job with these runs; 0 for a job without any. */
export function placeOnScale(runs: readonly RunState[]): number {
  const widest = { statevector: 0, trajectories: 0, density_matrix: 0 };
  for (const { method = 'statevector', numQubits } of runs) {
    // One engine holds the state of another method, as it holds a trajectory.
    const like = isStateMethod(method) ? method : 'trajectories';
    widest[like] = Math.max(widest[like], numQubits);
  }
  const { statevector, trajectories, density_matrix: density } = widest;
  const other = Math.max(statevector, trajectories);
  if (density > other) return placeOf('density_matrix', density, other);
  if (statevector > trajectories) return placeOf('statevector', statevector, trajectories);
  return placeOf(trajectories > 0 ? 'trajectories' : 'statevector', trajectories, 0);
}

function placeOf(method: StateMethod, width: number, lesser: number): number {
  const isMix = lesser > 0 && method !== 'trajectories';
  if (!isMix) return STATE_METHODS.indexOf(method) * WIDTHS_OF_METHOD + width;
  const most = WIDTHS_OF_MIX - 1;
  return MIX_OF[method] + WIDTHS_OF_MIX * Math.min(width, most) + Math.min(lesser, most);
}

/** The widest state of a job, by its place on the scale. */
export function widestOnScale(place: number): RunState {
  for (const method of ['density_matrix', 'statevector'] as const) {
    if (place < MIX_OF[method]) continue;
    return { method, numQubits: Math.floor((place - MIX_OF[method]) / WIDTHS_OF_MIX) };
  }
  const method = STATE_METHODS[Math.floor(place / WIDTHS_OF_METHOD)];
  return { ...(method && { method }), numQubits: place % WIDTHS_OF_METHOD };
}

/** Places of single runs that a machine takes, by the qubits that it holds by each method. */
export function rangesOfRuns(widthFor: (method: StateMethod) => number): readonly ScaleRange[] {
  return STATE_METHODS.map((method) => ({
    least: placeOf(method, 0, 0),
    most: placeOf(method, widthFor(method), 0),
  }));
}

/** Places of jobs with any runs that a machine takes, likewise. */
export function rangesOfJobs(widthFor: (method: StateMethod) => number): readonly ScaleRange[] {
  const lesser = Math.min(widthFor('trajectories'), widthFor('statevector'));
  const mixes = (['statevector', 'density_matrix'] as const).map((method) =>
    rangesOfMix(MIX_OF[method], lesser, widthFor(method)),
  );
  return [...rangesOfRuns(widthFor), ...mixes.flat()];
}

/** One range while the greater width is within both limits, and one for each greater width beyond the lower limit. */
function rangesOfMix(first: number, lesser: number, greater: number): readonly ScaleRange[] {
  const most = Math.min(greater, WIDTHS_OF_MIX - 1);
  const ranges = [{ least: first, most: first + WIDTHS_OF_MIX * Math.min(lesser, most) + lesser }];
  if (lesser === 0) return [];
  for (let width = lesser + 1; width <= most; width++) {
    const least = first + WIDTHS_OF_MIX * width;
    ranges.push({ least, most: least + lesser });
  }
  return ranges;
}
