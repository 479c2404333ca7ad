/** Where more load stops paying. */
import type { LoadStep } from './measure-load.ts';

/**
 * The step of the greatest power: throughput by mean latency. Below it more load is answered by more
 * throughput than latency, beyond it by more latency; undefined without steps.
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
