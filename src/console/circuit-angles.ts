/** The angles of a circuit for an input, as the deployed model computes them. */
import type { DemoFeature, DemoOperation } from './demo-facts.ts';

/** The feature's range as [-1, 1]; what lies outside is clipped. */
export function scaled({ minimum, maximum }: DemoFeature, value: number): number {
  if (maximum === minimum) return 0;
  const place = (2 * (value - minimum)) / (maximum - minimum) - 1;
  return Math.min(1, Math.max(-1, place));
}

/** Radians; undefined for a gate without an angle. */
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

/** Where an operation's angle comes from; undefined where it is trained alone. */
export function featureOf(
  { angle }: DemoOperation,
  features: readonly DemoFeature[],
): DemoFeature | undefined {
  return angle?.feature === undefined ? undefined : features[angle.feature];
}
