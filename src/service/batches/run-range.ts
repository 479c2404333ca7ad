/** Runs the points of a range: asks for the circuits of each of its groups, and puts their results together. */
import { inputRows } from '../../circuit/input-columns.ts';
import { requestFor } from '../../circuit/outputs.ts';
import { anglesOf } from '../../compiler/shape.ts';
import type { BatchRunRequest } from '../../fleet/schedule/scheduled-run.ts';
import type { JobPart } from '../../jobs/job.ts';
import { addToSeed } from '../../math/philox.ts';
import { methodRequestOf } from '../circuits/check-method.ts';
import { isEstimable, isEstimated } from '../circuits/check-outputs.ts';
import type { PointGroup } from '../circuits/point-groups.ts';
import { pointsIn } from '../circuits/point-groups.ts';
import type { CheckedProgram } from './batch-program.ts';
import type { Range } from './batch-ranges.ts';
import type { RunShapes } from './circuit-runs.ts';
import type { Estimates } from './estimates.ts';
import { RangeResults } from './range-results.ts';

/** A program whose points are run. */
export interface RunningProgram {
  readonly program: CheckedProgram;
  /** Seed of its first point. */
  readonly seed: number;
  /** Undefined where none of its values is an estimate. */
  readonly estimates: Estimates | undefined;
}

/**
 * Runs the points of a range.
 *
 * @returns Their results.
 * @throws what `run` throws.
 */
export async function runRange(
  { program, seed, estimates }: RunningProgram,
  { program: index, from, to }: Range,
  run: RunShapes,
): Promise<readonly JobPart[]> {
  const results = new RangeResults(program, from, to - from);
  const groups = program.groups.flatMap((group) => {
    const points = pointsIn(group, from, to);
    if (points.length === 0) return [];
    const rows = inputRows(program.inputs, points.list, points.from, points.to);
    const seeds = () => Float64Array.from(points.indices(), (point) => addToSeed(seed, point));
    const request = exactRequest(program, group, { rows, numPoints: points.length, seeds });
    return [{ group, points, rows, seeds, request }];
  });
  const exact = groups.flatMap(({ group, points, request }) =>
    request === undefined ? [] : [{ points, circuit: group.circuit, request }],
  );
  const outputs = exact.length === 0 ? [] : await run(exact);
  for (const [i, { points }] of exact.entries()) results.set(points, outputs[i]!);
  if (estimates !== undefined) {
    for (const { group, points, rows, seeds } of groups) {
      results.setNumbers(points, await estimates.at(group, { rows, seeds: seeds() }, run));
    }
  }
  return results.parts(index);
}

/** Points whose results are exact, or counts. */
interface ExactPoints {
  readonly rows: Float64Array;
  readonly numPoints: number;
  readonly seeds: () => Float64Array;
}

/** Request for the counts and values of some points that are not estimated from counts; undefined where there are none. */
function exactRequest(
  program: CheckedProgram,
  { circuit, formulas }: PointGroup,
  { rows, numPoints, seeds }: ExactPoints,
): BatchRunRequest | undefined {
  const { observables, outputs, shots = 0, method } = program;
  const exact = outputs.filter((name) => !isEstimated(program) || !isEstimable(name));
  if (exact.length === 0) return undefined;
  return {
    numCircuits: numPoints,
    ...(formulas === undefined
      ? { angles: Float64Array.from(anglesOf(circuit)) }
      : { angles: rows, formulas }),
    countsOfSingles: true,
    ...methodRequestOf(program),
    ...((exact.includes('counts') || method === 'trajectories') && { shots, seeds: seeds() }),
    ...requestFor(exact, { observables }),
    ...(exact.includes('gradient') && { gradientInputs: program.gradientInputs }),
  };
}
