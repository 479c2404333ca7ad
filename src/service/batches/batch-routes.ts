/** Routes of batches. */

import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { jobRecordRoutes, submissionRoute } from '../jobs/record-routes.ts';
import { JobSubmissions } from '../jobs/submit-job.ts';
import { batchBody } from './batch-schema.ts';

/** Registers the routes below `/quantum/batches`. */
export function batchRoutes(app: ServiceApp, context: RouteContext): void {
  const { deps, envelopes } = context;
  const { batch: batches } = deps.kinds;
  const submissions = new JobSubmissions(deps, envelopes, batches);

  submissionRoute(app, batches.definition, submissions, {
    path: '/quantum/batches',
    operationId: 'submitBatch',
    tag: 'batches',
    summary: 'Submit many programs, or sweeps of their inputs, and wait for the results',
    description:
      'Each program is a circuit with inputs. Inputs that are arrays make a sweep, whose points are compiled once and run together. The answer comes when all points have run, unless the header Prefer asks otherwise. Results are in the order program, point, observable, input.',
    schema: batchBody,
    body: () => batches.body,
  });

  jobRecordRoutes(app, context, batches, submissions);
}
