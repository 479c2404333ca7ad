/** The level that takes effect. */
import type { JobPriority } from '../../jobs/job.ts';
import type { ApiKey } from '../keys/api-key.ts';

/** `high` is for Enterprise keys. */
export function effectivePriority(key: ApiKey, asked: JobPriority = 'normal'): JobPriority {
  return asked === 'high' && key.tier !== 'enterprise' ? 'normal' : asked;
}
