/** Errors of a cluster. */
import { CodedError } from '../errors/coded-error.ts';

/** Another process is the node of this name. */
export class NodeNameInUseError extends CodedError {
  readonly code = 'CLUSTER_NODE_NAME_IN_USE';

  constructor(name: string) {
    super(
      `Another process is the node ${name} of the cluster. Give each node a name of its own in QCS_NODE_NAME.`,
    );
  }
}

/** No node of the cluster can run jobs now. */
export class NoNodeError extends CodedError {
  readonly code = 'CLUSTER_NO_NODE';
  readonly retryAfterS = 10;

  constructor() {
    super('No node of the cluster that runs jobs is up.');
  }
}
