/** What a procedure tells of itself, told of its job. */
import type { JobHooks } from '../../jobs/job-handler.ts';
import type { ProcedureHooks } from '../../workloads/procedures/procedure-call.ts';

/** The one as the other. */
export function procedureHooks(hooks: JobHooks): ProcedureHooks {
  return {
    onStarted: () => hooks.started(),
    onProgress: (fraction, message) => hooks.progress(fraction, message),
    onStartedOver: () => hooks.startedOver(),
    readmitted: hooks.readmitted,
  };
}
