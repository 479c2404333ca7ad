/** Requests to routes, and those of jobs among them, for which the clients have methods of their own. */
import type { Route } from '../../client/client.ts';
import type { Query } from '../../client/routes.ts';

/** A route, or the events of a job, which answer with no JSON. */
type CallRoute = Route | `GET /${string}/events`;

/** A request to a route. */
export interface ApiCall {
  readonly route: CallRoute;
  /** Parameters of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query;
  /** JSON of the body. */
  readonly body?: unknown;
  /** True if the route needs no key. */
  readonly isPublic?: boolean;
}

/** Environment variable that holds the key in all texts. */
export const KEY = 'QCS_API_KEY';

/** Kinds of jobs by the names that the TypeScript client has for them. */
export type JobKind = 'circuits' | 'batches' | 'tasks' | 'plans' | 'tpuJobs';

/** What a route does with jobs. */
export type JobRoute =
  | { readonly does: 'submit'; readonly kind: JobKind }
  | { readonly does: 'list'; readonly kind: JobKind }
  | {
      readonly does: 'get' | 'cancel' | 'retry' | 'delete' | 'events';
      readonly kind: JobKind;
      /** Parameter of the path that holds the id. */
      readonly idName: string;
    };

const KINDS: Readonly<Record<string, JobKind>> = {
  '/quantum/circuits': 'circuits',
  '/quantum/batches': 'batches',
  '/tasks': 'tasks',
  '/tpu/jobs': 'tpuJobs',
};

/** What a route does with jobs; undefined if it is not one of jobs. */
export function jobRouteOf(route: CallRoute): JobRoute | undefined {
  if (route === 'POST /agents/{agent_id}/execute') return { does: 'submit', kind: 'tasks' };
  if (route === 'POST /systems/asi/plans') return { does: 'submit', kind: 'plans' };
  const parts = /^(GET|POST|DELETE) ([^{]*?)(?:\/\{(\w+)\}(?:\/(\w+))?)?$/.exec(route);
  const [, method, path = '', idName, action] = parts ?? [];
  const kind = KINDS[path];
  if (kind === undefined) return undefined;
  if (idName === undefined)
    return method === 'GET' ? { does: 'list', kind } : { does: 'submit', kind };
  if (action === undefined) return { does: method === 'GET' ? 'get' : 'delete', kind, idName };
  if (action === 'cancel' || action === 'retry' || action === 'events') {
    return { does: action, kind, idName };
  }
  return undefined;
}
