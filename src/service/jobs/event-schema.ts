/** Schemas of the events of jobs: what the `data` of each is. */
import { z } from 'zod';
import { JOB_STATUSES } from '../../jobs/job.ts';
import { isoTimestamp } from '../http/envelope.ts';
import { WAITING_FOR } from './job-schema.ts';

const status = z.enum(JOB_STATUSES);
const attempt = z
  .int()
  .min(1)
  .describe('Number of the run, from 1; it grows when the service crashes under the job');
const error = z
  .strictObject({ code: z.string(), message: z.string() })
  .optional()
  .describe('Error of a failed job');

/** `data` of the event `status`. */
export const statusData = z
  .strictObject({
    status,
    at: isoTimestamp.describe('When the job was created, started or finished'),
    attempt,
    queue_position: z
      .int()
      .optional()
      .describe('Number of jobs that start before this one, while it is queued'),
    expected_start_at: isoTimestamp.optional(),
    waiting_for: z.string().optional().describe(WAITING_FOR),
    error,
  })
  .meta({ id: 'StatusEvent' });
export type StatusData = z.output<typeof statusData>;

/** `data` of the event `progress`. */
export const progressData = z
  .strictObject({
    progress: z
      .number()
      .min(0)
      .max(1)
      .describe('Completed part of the work, rounded down to a thousandth'),
    percent: z.int().min(0).max(100),
    attempt,
    message: z
      .string()
      .optional()
      .describe('Current step of a task or TPU job; circuits have none'),
  })
  .meta({ id: 'ProgressEvent' });
export type ProgressData = z.output<typeof progressData>;

/** `data` of the event `done`. */
export const doneData = z
  .strictObject({
    status,
    at: isoTimestamp,
    location: z.string().describe('Path of the job record, which has the result'),
    error,
  })
  .meta({ id: 'DoneEvent' });
export type DoneData = z.output<typeof doneData>;

/** Schemas of the `data` of each event, by the event's name. */
const EVENT_DATA = { status: statusData, progress: progressData, done: doneData } as const;

/**
 * A stream, whole; clients read it event by event. OpenAPI 3.1 has no word for the schemas of events
 * (3.2 has), so they stand in an extension.
 */
export const eventStream = z.string().meta({
  description:
    'Server-Sent Events until the event `done`. Each has `event`, `id` and `data`. `data` is JSON; `x-event-data` has its schema for each event',
  'x-event-data': Object.fromEntries(
    Object.entries(EVENT_DATA).map(([event, data]) => [
      event,
      { $ref: `#/components/schemas/${data.meta()?.id}` },
    ]),
  ),
  examples: [
    [
      'retry: 1000',
      '',
      'id: 1.queued',
      'event: status',
      'data: {"status":"queued","at":"2026-01-02T03:04:05.678Z","attempt":1,"queue_position":0}',
      '',
      'id: 1.running.1767323046678',
      'event: status',
      'data: {"status":"running","at":"2026-01-02T03:04:06.678Z","attempt":1}',
      '',
      'id: 1.progress.1767323046678.250',
      'event: progress',
      'data: {"progress":0.25,"percent":25,"attempt":1}',
      '',
      'id: 1.final.1767323047678',
      'event: status',
      'data: {"status":"completed","at":"2026-01-02T03:04:07.678Z","attempt":1}',
      '',
      'id: 1.done.1767323047678',
      'event: done',
      'data: {"status":"completed","at":"2026-01-02T03:04:07.678Z","location":"/api/v1/quantum/circuits/circ_0199f3a2c5d87c3e9b1f2a4d6c8e0b35"}',
      '',
      '',
    ].join('\n'),
  ],
});

/** Headers of a request for a stream; others pass. */
export const eventHeaders = z.looseObject({
  'last-event-id': z
    .string()
    .optional()
    .describe(
      'Id of the last event that the client received. The stream continues after it; with an unknown id it starts at the beginning',
    ),
});
