/** Knee of a load curve: the point beyond which more load does not pay. */
import type { LoadStep } from './measure-load.ts';

/**
 * Finds the step with the greatest power, which is throughput divided by mean latency. Below it more load
 * mainly raises throughput; beyond it, latency. Returns undefined without steps.
 *
 * @see Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer
 *   communications", 1979.
 */
export function kneeOf(steps: readonly LoadStep[]): LoadStep | undefined {
  const [first, ...others] = steps.filter(({ latency }) => latency.count > 0);
  if (first === undefined) return undefined;
  const power = ({ perSecond, latency }: LoadStep) => perSecond / latency.mean;
  return others.reduce((best, step) => (power(step) > power(best) ? step : best), first);
}
