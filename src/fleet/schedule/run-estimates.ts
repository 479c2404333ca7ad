/**
 * Estimates of run times before runs start: a model of the work, corrected by measurements.
 *
 * The model says how times grow with qubits, gates and shots; how fast a lane really is comes from the
 * runs it has made. A circuit like one that has run before (same qubits, gates and cost, about as many
 * shots) is expected to take as long again. Otherwise the model is scaled by its error for circuits of the
 * width. If none has run, its two parts are scaled separately, the time that does not depend on the width
 * and the time that grows with the amplitudes, because a wide circuit says nothing about the start time of
 * a lane. A method that has not run yet is scaled by the error for all others. Ratios are averaged as
 * logarithms, so a run that took ten times as long and one that took a tenth cancel.
 *
 * Batch runs are learned separately: a batch takes a fraction of the time that its circuits take one by one,
 * so neither says anything about the other.
 *
 * Lanes of the same kind share measurements. Otherwise runs would wait for a lane whose last few runs
 * happened to be fast while others are idle, and a lane with slow ones would get no run to correct that.
 */
import { isNarrow } from '../run-together.ts';
import type { LaneId } from './lane.ts';
import { BRANCHES, type RunWork } from './scheduled-run.ts';

/** Weight of the newest run, once there are enough. */
const NEWEST_WEIGHT = 0.2;
/** Runs of a width before its own ratio is believed. */
const ENOUGH = 3;
/** Kinds of circuit remembered for a lane; the one unused for longest goes first. */
const MAX_KINDS = 1024;

/**
 * Milliseconds on the machine of the cost model. Rough: runs correct them within a few circuits.
 * `perShot` is drawing and counting, `perOperation` compiling, `pass` a trip through 2^26 amplitudes.
 */
const MODEL = { perOperation: 0.015, perShot: 5e-5, pass: 28, gatesPerPass: 40 };
/** Threads of that machine; a lane's speed is its number of threads by these. */
export const MODEL_THREADS = 2;
/**
 * Of each circuit of a batch, milliseconds: for a shot, for an outcome that may occur, and from the second circuit on, for
 * beginning and for an operation. Fitted to processor times of 120 runs of 2 to 16 qubits (`bench/estimates.ts`).
 */
const BATCH = {
  together: { perShot: 1.5e-5, perOutcome: 3e-5, perCircuit: 0, perOperation: 4e-5 },
  oneByOne: { perShot: MODEL.perShot, perOutcome: 0, perCircuit: 0.1, perOperation: 5e-3 },
};
/** To begin, where nothing else is said. */
const FIXED_MS = 0.1;
const MODEL_AMPLITUDES = 2 ** 26;
/** Bounds of an estimate, milliseconds: ratios of such times neither overflow nor vanish. */
const MIN_MS = 1e-3;
const MAX_MS = 1e12;
/**
 * Additional time of trajectories, milliseconds, and factors on their evolution, fitted to 144 runs of 4 to 10 qubits
 * and 36 of 12 to 16. A part of the circuit is compiled when an error first needs it, and soon all parts are.
 * If norms of states are needed, the engine tries parts on copies.
 */
const TRAJECTORIES = {
  perOperation: 0.12,
  perShot: 0.0002,
  /** Errors by which most parts are compiled. */
  enough: 20,
  known: { perState: 0.04, evolving: 1.4 },
  byNorms: { perState: 0.165, evolving: 3.5 },
};

interface Average {
  mean: number;
  count: number;
}

/** The model of a run, in its two parts. Milliseconds. */
interface Model {
  /** Beginning, compiling, drawing. */
  readonly fixed: number;
  /** The part that grows with the amplitudes. */
  readonly onStates: number;
}

interface LaneTimes {
  readonly fixed: Average;
  readonly onStates: Average;
  readonly byWidth: Map<number, Average>;
  readonly byKind: Map<string, Average>;
}

/** Speed of a lane, against the machine of the cost model. */
interface LaneSpeed {
  /** For work on amplitudes; above 0. */
  readonly speed: number;
  /** To begin, whatever the circuit, milliseconds. */
  readonly fixedMs: number;
  /** Adapters only: speed at which a thread draws undecided shots again in double precision. */
  readonly exactSpeed: number | undefined;
}

/** Run times of lanes. */
export class RunEstimates {
  readonly #times = new Map<string, LaneTimes>();
  readonly #overalls = new Map<string, Average>();
  readonly #speeds = new Map<string, LaneSpeed>();
  readonly #models = new Map<LaneId, string>();
  /** The last answer: the same question comes for each of many alike lanes. */
  #last: { readonly name: string; readonly work: RunWork; readonly ms: number } | undefined;

  /**
   * Sets the model of a lane, before `setSpeed`; lanes of one model are expected to take equally long.
   *
   * @param model - Such as the name of an adapter; no lane's id.
   */
  setModel(lane: LaneId, model: string): void {
    this.#models.set(lane, model);
    this.#last = undefined;
  }

  /**
   * Sets how fast a lane, and those of its model, are before they have run anything.
   *
   * @param speed - As in `LaneSpeed`, and `more`.
   */
  setSpeed(lane: LaneId, speed: number, more: Partial<Omit<LaneSpeed, 'speed'>> = {}): void {
    const { fixedMs = FIXED_MS, exactSpeed } = more;
    if (!(speed > 0 && fixedMs >= 0)) throw new Error(`unreachable: a speed of ${speed}`);
    this.#speeds.set(this.#nameOf(lane), { speed, fixedMs, exactSpeed });
    this.#last = undefined;
  }

  /** Milliseconds that the lane is expected to take; above 0 and finite. */
  expectedMs(lane: LaneId, work: RunWork): number {
    const name = this.#nameOf(lane);
    if (this.#last?.work === work && this.#last.name === name) return this.#last.ms;
    const ms = within(this.#estimate(name, work));
    this.#last = { name, work, ms };
    return ms;
  }

  #estimate(name: string, work: RunWork): number {
    const times = this.#times.get(timesName(name, work));
    const model = this.#modelMs(name, work);
    if (times === undefined) return totalOf(model) * Math.exp(this.#overall(name, work).mean);
    const known = times.byKind.get(kindOf(work));
    if (known !== undefined) return known.mean;
    const width = times.byWidth.get(work.numQubits);
    if (width !== undefined && width.count >= ENOUGH) return totalOf(model) * Math.exp(width.mean);
    return totalOf(scaled(model, times));
  }

  /** Learns from a run; nothing from a time that is none. */
  observe(lane: LaneId, work: RunWork, ms: number): void {
    if (!(ms >= 0)) return;
    this.#last = undefined;
    const name = this.#nameOf(lane);
    const ownName = timesName(name, work);
    let times = this.#times.get(ownName);
    if (times === undefined) {
      const { mean } = this.#overall(name, work);
      times = {
        fixed: { mean, count: 0 },
        onStates: { mean, count: 0 },
        byWidth: new Map(),
        byKind: new Map(),
      };
      this.#times.set(ownName, times);
    }
    const measured = within(ms);
    const model = this.#modelMs(name, work);
    learn(times, model, measured);
    add(this.#overall(name, work), Math.log(measured / totalOf(model)));
    let width = times.byWidth.get(work.numQubits);
    if (width === undefined) {
      width = newAverage();
      times.byWidth.set(work.numQubits, width);
    }
    add(width, Math.log(measured / totalOf(model)));
    const kind = kindOf(work);
    const known = times.byKind.get(kind) ?? newAverage();
    add(known, measured);
    times.byKind.delete(kind);
    times.byKind.set(kind, known);
    if (times.byKind.size <= MAX_KINDS) return;
    const [oldest] = times.byKind.keys();
    if (oldest !== undefined) times.byKind.delete(oldest);
  }

  /** Error of the model for all runs on a lane, whatever their method: that of its machine, to begin with. */
  #overall(name: string, { numCircuits }: RunWork): Average {
    const key = numCircuits === undefined ? name : `batches on ${name}`;
    let overall = this.#overalls.get(key);
    if (overall === undefined) {
      overall = newAverage();
      this.#overalls.set(key, overall);
    }
    return overall;
  }

  #modelMs(name: string, work: RunWork): Model {
    const { undecided = 0 } = work;
    const { speed = 1, fixedMs = FIXED_MS, exactSpeed } = this.#speeds.get(name) ?? {};
    const { compiling, drawing, evolving } = modelOf(work);
    // Shots that an adapter leaves undecided run a second time, at the speed of the thread that runs them.
    const again = exactSpeed === undefined ? 0 : undecided;
    return {
      fixed: within(fixedMs + compiling + (1 + again) * drawing),
      onStates: within(evolving / speed + (again * evolving) / (exactSpeed ?? speed), 1e-9),
    };
  }

  #nameOf(lane: LaneId): string {
    return this.#models.get(lane) ?? lane;
  }
}

/** Milliseconds of work on the machine of the cost model, before anything was measured. */
export function modelMs(work: RunWork): number {
  const { compiling, drawing, evolving } = modelOf(work);
  return compiling + drawing + evolving;
}

/** Parts of the model, milliseconds. */
function modelOf(work: RunWork) {
  const { numQubits, numOperations, gateCost, isBranching, shots, numReadouts } = work;
  const { numCircuits = 1, trajectories, method, methodMs, hasGradients } = work;
  if (methodMs !== undefined) {
    const ms = numCircuits * methodMs;
    // A gradient holds a qubit more. On wide states it has all threads of a lane; the other runs have one, whatever it has.
    const hasAllThreads = hasGradients && !isNarrow(numQubits - 1);
    return hasAllThreads
      ? { compiling: 0, drawing: 0, evolving: ms / MODEL_THREADS }
      : { compiling: ms, drawing: 0, evolving: 0 };
  }
  const passes = 1 + numOperations / MODEL.gatesPerPass + numReadouts;
  const amplitudes = 2 ** numQubits / MODEL_AMPLITUDES;
  const evolution = amplitudes * (gateCost + passes * MODEL.pass);
  const compiling = numOperations * MODEL.perOperation;
  if (trajectories === undefined) {
    const evolving = numCircuits * (isBranching ? BRANCHES : 1) * evolution;
    if (work.numCircuits === undefined) {
      return { compiling, drawing: shots * MODEL.perShot, evolving };
    }
    const areTogether = method === undefined && isNarrow(numQubits) && !isBranching;
    const ofEach = areTogether ? BATCH.together : BATCH.oneByOne;
    const each = shots * ofEach.perShot + Math.min(shots, 2 ** numQubits) * ofEach.perOutcome;
    const further = ofEach.perCircuit + numOperations * ofEach.perOperation;
    const drawing = numCircuits * each + Math.max(0, numCircuits - 1) * further;
    return { compiling, drawing, evolving };
  }
  const { numStates, numEvolutions, needsNorms } = trajectories;
  const { perState, evolving } = needsNorms ? TRAJECTORIES.byNorms : TRAJECTORIES.known;
  const compiled = -Math.expm1((1 - numStates) / TRAJECTORIES.enough);
  return {
    compiling: compiling + numOperations * TRAJECTORIES.perOperation * compiled,
    drawing: numCircuits * (shots * TRAJECTORIES.perShot + numStates * perState),
    evolving: numCircuits * numEvolutions * evolving * evolution,
  };
}

/** Name under which times of such work are learned: methods are learned apart, as batches, gradients and decoders are. */
function timesName(name: string, { numCircuits, method, decoder, hasGradients }: RunWork): string {
  const what = decoder ?? (hasGradients ? 'gradients' : undefined);
  const ofWork = what === undefined ? name : `${what} on ${name}`;
  const ofMethod = method === undefined ? ofWork : `${method} on ${ofWork}`;
  return numCircuits === undefined ? ofMethod : `batches on ${ofMethod}`;
}

function within(ms: number, least: number = MIN_MS): number {
  return Math.min(MAX_MS, Math.max(least, ms));
}

function totalOf({ fixed, onStates }: Model): number {
  return fixed + onStates;
}

function scaled(model: Model, { fixed, onStates }: LaneTimes): Model {
  return {
    fixed: model.fixed * Math.exp(fixed.mean),
    onStates: model.onStates * Math.exp(onStates.mean),
  };
}

/** A run says something of the part that it mostly consists of, the other part being as expected. */
function learn(times: LaneTimes, model: Model, measured: number): void {
  const expected = scaled(model, times);
  const isOnStates = expected.onStates > expected.fixed;
  const [part, other] = isOnStates
    ? ([times.onStates, expected.fixed] as const)
    : ([times.fixed, expected.onStates] as const);
  // The part has at least a tenth of the time, however wrong the other part is.
  const left = Math.max(measured - other, measured / 10);
  add(part, Math.log(left / (isOnStates ? model.onStates : model.fixed)));
}

function newAverage(): Average {
  return { mean: 0, count: 0 };
}

/** The plain mean of the first few, then an exponential one. */
function add(average: Average, value: number): void {
  average.count++;
  average.mean += (value - average.mean) * Math.max(NEWEST_WEIGHT, 1 / average.count);
}

/** Key that circuits of about the same time have in common. */
function kindOf(work: RunWork): string {
  const { numQubits, numOperations, gateCost, isBranching, shots, numReadouts, numCircuits } = work;
  const { numStates = 1 } = work.trajectories ?? {};
  const ofMethod = work.methodMs === undefined ? '' : ` ${Math.fround(work.methodMs)}`;
  const facts = `${numQubits} ${numOperations} ${Math.fround(gateCost)} ${isBranching} ${classOf(shots)} ${numReadouts} ${classOf(numStates)}${ofMethod}`;
  return numCircuits === undefined ? facts : `${facts} ${classOf(numCircuits)}`;
}

/** Class of a count; counts within a fifth of each other mostly share one. */
function classOf(count: number): number {
  return Math.round(2 * Math.log2(1 + count));
}
