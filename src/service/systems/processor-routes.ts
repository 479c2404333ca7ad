/** Routes of processors and of the devices of the fleet. */
import type { FastifyRequest } from 'fastify';
import type { FleetDevice } from '../../fleet/fleet-device.ts';
import type { Processor } from '../../fleet/processor.ts';
import { callerOf } from '../http/authentication.ts';
import { errorResponses, successEnvelope } from '../http/envelope.ts';
import { DeviceNotFoundError, NoDevicesError } from '../http/errors.ts';
import { type RouteContext, type ServiceApp, showRoute } from '../http/route-context.ts';
import { carryOut } from './maintenance.ts';
import {
  device,
  deviceList,
  deviceMaintenanceParams,
  deviceParams,
  maintenanceBody,
  processor,
  processorList,
  processorParams,
} from './processor-schema.ts';
import {
  findProcessor,
  hasDevices,
  viewDevice,
  viewProcessor,
  viewSummary,
} from './processor-view.ts';

/** Registers the routes of processors and of their maintenance. */
export function processorRoutes(app: ServiceApp, context: RouteContext): void {
  const { deps, envelopes } = context;
  const { fleet, devices, readers } = deps;
  const find = (id: string) => findProcessor(fleet, id);
  const view = (found: Processor, request: FastifyRequest) =>
    viewProcessor(found, devices, readers.expectedWaitMs(callerOf(request).key.id));

  showRoute(app, context, {
    path: '/quantum/processors',
    operationId: 'listProcessors',
    tag: 'processors',
    summary: 'List processors with their availability now',
    answer: processorList,
    view: (_, request) => ({
      processors: fleet.processors.map((each) => view(each, request)),
    }),
  });

  showRoute(app, context, {
    path: '/quantum/processors/:processor_id',
    operationId: 'getProcessor',
    tag: 'processors',
    summary: 'One processor',
    params: processorParams,
    answer: processor,
    view: ({ processor_id }, request) => view(find(processor_id), request),
  });

  app.post(
    '/admin/processors/:processor_id/maintenance',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'setProcessorMaintenance',
        tags: ['administration'],
        summary: 'Take a processor out of service, or back',
        description:
          'Running circuits finish, waiting ones keep waiting, and new ones are answered 503. It lasts over restarts.',
        params: processorParams,
        body: maintenanceBody,
        response: { 200: successEnvelope(processor), ...errorResponses(400, 404) },
      },
    },
    async (request, reply) => {
      const target = find(request.params.processor_id);
      const actor = callerOf(request).key.id;
      const subject = { kind: 'processor', id: target.spec.id } as const;
      await carryOut(request.body, subject, actor, deps, (maintenance) =>
        target.setMaintenance(maintenance),
      );
      return envelopes.send(request, reply, view(target, request));
    },
  );
}

/** Registers the routes of devices and of their maintenance. */
export function fleetDeviceRoutes(app: ServiceApp, context: RouteContext): void {
  const { deps, envelopes } = context;
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

  showRoute(app, context, {
    path: '/quantum/processors/:processor_id/devices',
    operationId: 'listDevices',
    tag: 'processors',
    summary: 'List the devices of the fleet',
    description: 'Only `gpu-fleet` has devices; another processor answers 404.',
    params: processorParams,
    answer: deviceList,
    view: ({ processor_id }) => {
      checkProcessor(processor_id);
      return {
        devices: devices.devices().map(view),
        summary: viewSummary(devices),
      };
    },
  });

  showRoute(app, context, {
    path: '/quantum/processors/:processor_id/devices/:device_id',
    operationId: 'getDevice',
    tag: 'processors',
    summary: 'One device of the fleet',
    params: deviceParams,
    answer: device,
    view: ({ processor_id, device_id }) => {
      checkProcessor(processor_id);
      return view(find(device_id));
    },
  });

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
