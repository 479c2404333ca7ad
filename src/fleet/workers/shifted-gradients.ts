/**
 * Gradients of batch runs by the parameter-shift rule, where that is faster than the adjoint method, by methods other
 * than state vectors, and on engines that have no adjoint gradients. Channels are linear in the state, so the rule
 * holds under noise, too.
 *
 * The adjoint method takes one trip there and one back, but a program for each circuit: some 3 µs an operation. The
 * shifted circuits of a small circuit with few angles run together in an engine's batch. On 4 qubits with 8 angles a
 * gradient takes 6 µs by shifts and 36 µs by the adjoint method; on 8 qubits with 16 angles both take 60 µs.
 */
import { AngleDerivatives, dependentAngles } from '../../circuit/angle-formulas.ts';
import {
  type DynamicCircuit,
  isStatic,
  withAngles,
  withoutPreparedState,
} from '../../circuit/circuit.ts';
import { withoutNoise } from '../../circuit/noise/noise-facts.ts';
import {
  type AngleShift,
  angleShifts,
  shiftedAngles,
  shiftedGradient,
} from '../../compiler/gradient/shift-rule.ts';
import type { Engine } from '../../engine/engine.ts';
import { OutputNeedsFinalStateError } from '../../engine/errors.ts';
import { isNarrow } from '../run-together.ts';
import { gradientMs } from '../schedule/gradient-cost.ts';
import type { BatchRunRequest } from '../schedule/scheduled-run.ts';
import { RecentlyUsed } from './recently-used.ts';
import { numOperationsOfSent, readCircuit } from './sent-circuit.ts';
import type { RunOutcome, SentBatch } from './worker-messages.ts';

/** Angles of shifted circuits that are in memory at a time, about. */
const MAX_ANGLES = 2 ** 18;
/** Shapes whose shifts are remembered. */
const MAX_SHAPES = 16;

/** Runs the shifted circuits. */
type RunBatch = (run: SentBatch) => Promise<RunOutcome>;

interface KnownShifts {
  readonly text: string;
  readonly isOpen: Uint8Array;
  readonly shifts: readonly AngleShift[];
}

/** Gradients by shifts on one engine. */
export class ShiftedGradients {
  readonly #hasAdjoint: boolean;
  readonly #known = new RecentlyUsed<KnownShifts>(MAX_SHAPES);

  constructor(engine: Engine) {
    this.#hasAdjoint = engine.prepare.gradient !== undefined;
  }

  /**
   * Runs a batch run that asks for gradients.
   *
   * @param run - Its request has the angles of the circuits.
   * @param rows - As in `SingleRuns.run`.
   * @param runBatch - Runs circuits of the shape without gradients.
   * @returns Undefined where the adjoint method is faster.
   * @throws {GateNotDifferentiableError} if there is no rule for an angle that depends on an input.
   * @throws what `runBatch` throws.
   */
  async run(
    run: SentBatch,
    rows: Float64Array,
    runBatch: RunBatch,
  ): Promise<RunOutcome | undefined> {
    const { gradients: _, formulas, ...request } = run.request;
    const startedAt = performance.now();
    const hasAdjoint = this.#hasAdjoint && (request.method ?? 'statevector') === 'statevector';
    if (hasAdjoint && !isNarrow(run.circuit.numQubits)) return undefined;
    const shifts = this.#shiftsOf(run);
    if (hasAdjoint && !isFaster(run, shifts.length)) return undefined;
    const readMs = performance.now() - startedAt;
    const { numCircuits, angles, observables = [] } = request;
    const plain = await runBatch({ ...run, request });
    let { compileMs, executionMs, ownMs } = plain;
    const numAngles = numCircuits === 0 ? 0 : angles.length / numCircuits;
    const numInputs = formulas?.numInputs ?? numAngles;
    const derivatives = formulas && new AngleDerivatives(formulas);
    const gradients = new Float64Array(numCircuits * observables.length * numInputs);
    const byAngle = new Float64Array(numAngles);
    const perRun = Math.max(1, Math.floor(MAX_ANGLES / Math.max(1, shifts.length * numAngles)));
    const toInputs = (count: number, from: number, values: Float64Array) => {
      for (let k = 0; k < count; k++) {
        derivatives?.setRow(rows, (from + k) * numInputs);
        for (let o = 0; o < observables.length; o++) {
          shiftedGradient(values, k, o, observables.length, shifts, byAngle);
          const at = ((from + k) * observables.length + o) * numInputs;
          gradients.set(derivatives?.toInputs(byAngle) ?? byAngle, at);
        }
      }
    };
    for (let from = 0; from < numCircuits && shifts.length > 0; from += perRun) {
      const count = Math.min(perRun, numCircuits - from);
      const shifted = {
        numCircuits: count * shifts.length,
        angles: shiftedAngles(angles, numAngles, from, count, shifts),
        observables,
        ...(request.method !== undefined && { method: request.method }),
        ...(request.bonds !== undefined && { bonds: request.bonds }),
        ...(request.paulis !== undefined && { paulis: request.paulis }),
      };
      const outcome = await runBatch({ ...run, request: shifted });
      compileMs += outcome.compileMs;
      executionMs += outcome.executionMs;
      ownMs += outcome.ownMs;
      toInputs(count, from, outcome.outputs.expectations!);
    }
    const outputs = { ...plain.outputs, gradients };
    return { outputs, compileMs: compileMs + readMs, executionMs, ownMs };
  }

  #shiftsOf({ circuit: shape, request }: SentBatch): readonly AngleShift[] {
    const isOpen = openAngles(request);
    if (!('shape' in shape))
      return shiftsOf(withAngles(shape, new Float64Array(isOpen.length)), isOpen);
    const known = this.#known.take(
      ({ text, isOpen: other }) =>
        text === shape.shape && isOpen.every((open, i) => open === other[i]),
    );
    const entry = known ?? {
      text: shape.shape,
      isOpen,
      shifts: shiftsOf(readCircuit(shape), isOpen),
    };
    this.#known.keep(entry);
    return entry.shifts;
  }
}

/** For each angle of a batch run 1 if a derivative by it is needed. */
export function openAngles({
  formulas,
  angles,
  numCircuits,
  gradientInputs,
}: BatchRunRequest): Uint8Array {
  if (formulas !== undefined) return dependentAngles(formulas, gradientInputs);
  return new Uint8Array(numCircuits === 0 ? 0 : angles.length / numCircuits).fill(1);
}

function shiftsOf(noisy: DynamicCircuit, isOpen: Uint8Array) {
  const circuit = withoutPreparedState(withoutNoise(noisy));
  if (!isStatic(circuit)) throw new OutputNeedsFinalStateError('A gradient');
  return angleShifts(circuit, (angle) => isOpen[angle] === 1);
}

function isFaster({ circuit, request: { observables = [] } }: SentBatch, numShifts: number) {
  const { numQubits } = circuit;
  const numOperations = numOperationsOfSent(circuit);
  const { byShifts, adjoint } = gradientMs({ numQubits, numOperations, observables }, numShifts);
  return byShifts < adjoint;
}
