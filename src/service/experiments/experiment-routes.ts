/** Routes of experiments. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../http/authentication.ts';
import { errorResponses } from '../http/envelope.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { EXPERIMENTS } from '../jobs/job-resources.ts';
import { jobParams } from '../jobs/job-schema.ts';
import { jobRecordRoutes, ownJob, submissionRoute } from '../jobs/record-routes.ts';
import { JobSubmissions } from '../jobs/submit-job.ts';
import { experimentBody } from './experiment-schema.ts';
import { CSV_HEADER, csvRow, type StoredTask } from './stored-task.ts';

/** Registers the routes below `/quantum/experiments`. */
export function experimentRoutes(app: ServiceApp, context: RouteContext): void {
  const { deps, envelopes } = context;
  const { experiment: experiments } = deps.kinds;
  const submissions = new JobSubmissions(deps, envelopes, experiments);
  const { kind, path, idName, scope, tag } = EXPERIMENTS;

  submissionRoute(app, experiments.definition, submissions, {
    path,
    operationId: 'submitExperiment',
    tag,
    summary: 'Count logical errors of many circuits',
    description:
      'Each task is a circuit with detectors and logical observables. Its shots are sampled and decoded until it has taken max_shots, counted max_errors, or knows its logical error rate well enough. The answer comes at once; the record and the events have the counts so far.',
    schema: experimentBody,
    body: () => experiments.body,
  });

  jobRecordRoutes(app, context, experiments, submissions);

  app.get(
    `${path}/:${idName}/csv`,
    {
      config: { scope },
      schema: {
        operationId: 'getExperimentCsv',
        tags: [tag],
        summary: "The counts of an experiment as Sinter's table",
        description:
          'Rows of the tasks that have shots, with the columns that Sinter writes: `sinter.stats_from_csv_files` and `sinter plot` read them. Tasks whose shots are stratified are left out: their rate is not errors by shots.',
        params: jobParams(EXPERIMENTS),
        response: {
          200: { description: 'The table', content: { 'text/csv': { schema: csv } } },
          ...errorResponses(400, 404),
        },
      },
    },
    async (request, answer) => {
      const reply: FastifyReply = answer;
      const job = await ownJob(
        { id: request.params[idName] ?? '', kind, keyId: callerOf(request).key.id },
        (each) => deps.jobs.get(each),
        (each) => each.keyId,
      );
      const text = csvText(experiments.tasksOf(job));
      return reply.type('text/csv; charset=utf-8').send(Readable.from(text, { objectMode: false }));
    },
  );
}

const csv = z.string().meta({
  examples: [`${CSV_HEADER}\n102400,1021,0,0.125,none,3b0c…,"{""d"":3,""p"":0.1}",\n`],
});

async function* csvText(tasks: AsyncIterable<StoredTask>): AsyncGenerator<string, void, undefined> {
  yield `${CSV_HEADER}\n`;
  for await (const task of tasks) {
    // Sinter takes errors by shots as the rate, which they are not where shots are stratified.
    if (task.counted.shots > 0 && task.stratified === undefined) yield `${csvRow(task)}\n`;
  }
}
