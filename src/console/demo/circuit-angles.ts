/** Computes the angles of a circuit for an input, as the deployed model does. */
import type { DemoFeature, DemoOperation } from './demo-facts.ts';

/** Scales a feature to [-1, 1], clipping values outside its range. */
export function scaled({ minimum, maximum }: DemoFeature, value: number): number {
  if (maximum === minimum) return 0;
  const place = (2 * (value - minimum)) / (maximum - minimum) - 1;
  return Math.min(1, Math.max(-1, place));
}

/** Angle in radians; undefined for a gate without an angle. */
export function angleOf(
  { angle }: DemoOperation,
  features: readonly DemoFeature[],
  input: readonly number[],
): number | undefined {
  if (angle === undefined) return undefined;
  const index = angle.feature;
  const feature = index === undefined ? undefined : features[index];
  if (index === undefined || feature === undefined) return angle.offset;
  return angle.factor * scaled(feature, input[index] ?? feature.typical) + angle.offset;
}

/** The feature that an operation's angle encodes; undefined if the angle is only trained. */
export function featureOf(
  { angle }: DemoOperation,
  features: readonly DemoFeature[],
): DemoFeature | undefined {
  return angle?.feature === undefined ? undefined : features[angle.feature];
}
