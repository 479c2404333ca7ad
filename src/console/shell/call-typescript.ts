/** A request as a program in TypeScript with the project's own client. */
import { type ApiCall, jobRouteOf, KEY } from './call-routes.ts';
import { scriptValue } from './call-values.ts';

/** @param origin - Address of the service, without a trailing slash. */
export function typescriptText(call: ApiCall, origin: string): string {
  const key = call.isPublic === true ? '' : `, key: process.env.${KEY}`;
  return [
    `import { QcsClient } from 'quantum-compute-service/client';`,
    '',
    `const client = new QcsClient({ baseUrl: '${origin}'${key} });`,
    ...statements(call),
  ].join('\n');
}

function statements(call: ApiCall): readonly string[] {
  const { route, path = {}, query = {}, body } = call;
  const job = jobRouteOf(route);
  if (job === undefined) return requestStatements(call);
  const jobs = `client.${job.kind}`;
  if (job.does === 'submit') {
    const { agent_id: agent } = path;
    const submission = agent === undefined ? body : { agent, ...Object(body) };
    return [`const result = await ${jobs}.run(${scriptValue(submission, 0)});`, PRINT_RESULT];
  }
  if (job.does === 'list') {
    const { limit, cursor, ...filters } = query;
    // The client reads page after page by itself.
    if (cursor !== undefined) return requestStatements(call);
    const given = { ...(limit !== undefined && { pageSize: limit }), ...filters };
    const options = Object.keys(given).length === 0 ? '' : scriptValue(given, 0);
    return [`for await (const job of ${jobs}.list(${options})) console.log(job);`];
  }
  const id = scriptValue(path[job.idName], 0);
  switch (job.does) {
    case 'events':
      return [`for await (const event of ${jobs}.events(${id})) console.log(event);`];
    case 'delete':
      return [`await ${jobs}.delete(${id});`];
    case 'get':
    case 'cancel':
    case 'retry':
      return [`const job = await ${jobs}.${job.does}(${id});`, 'console.log(job);'];
  }
}

const PRINT_RESULT = 'console.log(result);';

function requestStatements({ route, path, query, body }: ApiCall): readonly string[] {
  const options = {
    ...(path !== undefined && { path }),
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
  };
  const given = Object.keys(options).length === 0 ? '' : `, ${scriptValue(options, 0)}`;
  return [`const data = await client.request('${route}'${given});`, 'console.log(data);'];
}
