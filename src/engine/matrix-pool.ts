/** The matrices that a program is lowered with: its own, or those of its shape. */
import type { Kernel, ProgramShape, Step } from '../compiler/program.ts';
import { type Complex, type Formula, imaginaryPart, type Real, realPart } from './complex.ts';

/** Matrices in one list. */
export interface MatrixPool {
  /** Interleaved re, im. */
  readonly matrices: Float64Array;
  /** Set where dense kernels may be any matrices. */
  readonly isUnitary?: false;
  /** Absent where a program is lowered for itself alone. */
  readonly trace?: Trace;
}

/** Rotations between two applications of scales. */
export interface RotationSegment {
  /** Range (`gain.ts`) of the rotations that do not depend on angles. */
  readonly constant: number;
  /** Tangents of the others: of a rotation twice the same, of a pair both. */
  readonly tangents: readonly (readonly [Real, Real])[];
}

/** Places and formulas of matrix entries, kept while a shape is lowered. */
export interface Trace {
  /**
   * For each entry, in complex numbers, its place in the pool of a program of the shape if it depends on angles,
   * else −1.
   */
  readonly origins: Int32Array;
  /** Origins of entries of matrices that are no smooth functions of the angles. */
  readonly fragile: ReadonlySet<number>;
  /** The set that formulas of this lowering share. */
  readonly leftOut: Set<Formula>;
  /** The segments with tangents that depend on angles. */
  readonly segments: RotationSegment[];
}

/** The matrices of a shape. */
export function poolOfShape(
  steps: readonly Step[],
  shape: ProgramShape,
): MatrixPool & { readonly trace: Trace } {
  const { matrices, parametric } = shape;
  const fragile = new Set<number>();
  const origins = new Int32Array(matrices.length / 2).fill(-1);
  for (const step of steps) {
    if (step.kind !== 'sweep') continue;
    for (const kernel of step.kernels) {
      if (kernel.kind === 'probe' || !parametric.has(kernel.offset)) continue;
      const end = kernel.offset + numEntries(kernel);
      for (let index = kernel.offset; index < end; index++) {
        origins[index] = index;
        if (shape.fragile.has(kernel.offset)) fragile.add(index);
      }
    }
  }
  return { matrices, trace: { origins, fragile, leftOut: new Set(), segments: [] } };
}

function numEntries({ kind, targets }: Kernel): number {
  return (kind === 'dense' ? 4 : 2) ** targets.length;
}

/** An entry, by its index in complex numbers. */
export function entryAt({ matrices, trace }: MatrixPool, index: number): Complex {
  const re = matrices[2 * index]!;
  const im = matrices[2 * index + 1]!;
  if (trace === undefined) return { re, im };
  const origin = trace.origins[index]!;
  if (origin < 0) return { re, im };
  const { fragile, leftOut } = trace;
  const isFragile = fragile.size > 0 && fragile.has(origin);
  return { re, im, formula: { kind: 'entry', index: origin, isFragile, leftOut, place: origin } };
}

/** Entries from an index on, interleaved re, im. */
export function realsAt(pool: MatrixPool, index: number, count: number): ArrayLike<Real> {
  const { matrices, trace } = pool;
  if (trace === undefined || trace.origins[index]! < 0) {
    return matrices.subarray(2 * index, 2 * (index + count));
  }
  return Array.from({ length: count }, (_, i) => entryAt(pool, index + i)).flatMap((entry) => [
    realPart(entry),
    imaginaryPart(entry),
  ]);
}
