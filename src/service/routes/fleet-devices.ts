/** Routes of the fleet's devices and their maintenance. */
import type { FleetDevice } from '../../fleet/fleet-device.ts';
import { hasDevices, viewDevice, viewSummary } from '../device-view.ts';
import { DeviceNotFoundError, NoDevicesError } from '../errors.ts';
import { carryOut } from '../maintenance/maintenance-order.ts';
import { callerOf } from '../plugins/authentication.ts';
import { findProcessor } from '../processor-view.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import {
  device,
  deviceList,
  deviceMaintenanceParams,
  deviceParams,
} from '../schemas/fleet-devices.ts';
import { maintenanceBody, processorParams } from '../schemas/processors.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

/** Registers the routes of devices and of their maintenance. */
export function fleetDeviceRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { fleet, devices } = deps;

  /** Refuses an unknown processor, and one without devices. */
  const checkProcessor = (id: string): void => {
    if (hasDevices(findProcessor(fleet, id))) return;
    const owners = fleet.processors.filter(hasDevices).map(({ spec }) => spec.id);
    throw new NoDevicesError(id, owners);
  };
  const find = (id: string): FleetDevice => {
    const found = devices.device(id);
    if (found !== undefined) return found;
    const known = devices.devices();
    throw new DeviceNotFoundError(id, known[0]?.id, known.at(-1)?.id);
  };
  const view = (found: FleetDevice) => viewDevice(found, devices.countedSince);

  app.get(
    '/quantum/processors/:processor_id/devices',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listDevices',
        tags: ['processors'],
        summary: 'List the devices of the fleet',
        description: 'Only `gpu-fleet` has devices; another processor answers 404.',
        params: processorParams,
        response: { 200: successEnvelope(deviceList), ...errorResponses(404) },
      },
    },
    async (request, reply) => {
      checkProcessor(request.params.processor_id);
      return envelopes.send(request, reply, {
        devices: devices.devices().map(view),
        summary: viewSummary(devices),
      });
    },
  );

  app.get(
    '/quantum/processors/:processor_id/devices/:device_id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getDevice',
        tags: ['processors'],
        summary: 'One device of the fleet',
        params: deviceParams,
        response: { 200: successEnvelope(device), ...errorResponses(404) },
      },
    },
    async (request, reply) => {
      checkProcessor(request.params.processor_id);
      return envelopes.send(request, reply, view(find(request.params.device_id)));
    },
  );

  app.post(
    '/admin/fleet/devices/:device_id/maintenance',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'setDeviceMaintenance',
        tags: ['administration'],
        summary: 'Take a device of the fleet out of service, or back',
        description:
          'Running circuits finish, and no new ones are placed on it: they run on other devices. If no device is left, new circuits are answered 503. It lasts over restarts.',
        params: deviceMaintenanceParams,
        body: maintenanceBody,
        response: { 200: successEnvelope(device), ...errorResponses(400, 404) },
      },
    },
    async (request, reply) => {
      const { id } = find(request.params.device_id);
      const actor = callerOf(request).key.id;
      await carryOut(request.body, { kind: 'device', id }, actor, deps, (maintenance) =>
        devices.setMaintenance(id, maintenance),
      );
      return envelopes.send(request, reply, view(find(id)));
    },
  );
}
