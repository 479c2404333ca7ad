/** Errors of a cluster. */
import { coded } from '../errors/coded-error.ts';

/** Another process is the node of this name. */
export class NodeNameInUseError extends coded(
  'CLUSTER_NODE_NAME_IN_USE',
  (name: string) =>
    `Another process is the node ${name} of the cluster. Give each node a name of its own in QCS_NODE_NAME.`,
) {}

/** No node of the cluster can run jobs now. */
export class NoNodeError extends coded('CLUSTER_NO_NODE', () => ({
  message: 'No node of the cluster that runs jobs is up.',
  retryAfterS: 10,
})) {}

/** Another node of the cluster is the node of the fleet that QCS_FLEET_NODES names. */
export class FleetNodeInUseError extends coded(
  'CLUSTER_FLEET_NODE_IN_USE',
  (number: number) =>
    `Another node of the cluster serves node-${number} of the fleet. Name other numbers in QCS_FLEET_NODES, or stop that node.`,
) {}
