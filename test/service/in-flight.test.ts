/** How many circuits of one key may wait or run at once, and when they are expected to start. */
import { describe, expect, test } from 'vitest';
import { LocalPlaces, type Places } from '../../src/jobs/places.ts';
import { StorageUnwritableError } from '../../src/storage/errors.ts';
import { BELL, openTestService, START, settled, type TestService } from './support/test-service.ts';

const ASYNC = { prefer: 'respond-async' };
const limits = { inFlightLimits: { standard: 2, enterprise: 3 } };

/** A service whose processor holds every circuit. */
async function openHolding(): Promise<TestService> {
  const service = await openTestService({ settings: limits });
  service.processor.isHolding = true;
  return service;
}

describe('a key with as many circuits in flight as its tier allows', () => {
  test.each([
    ['standard', 2],
    ['enterprise', 3],
  ] as const)('of the %s tier is answered 429 to one more', async (tier, limit) => {
    await using service = await openHolding();
    const headers = { ...ASYNC, 'x-api-key': await service.createKey(tier) };
    for (let i = 0; i < limit; i++) {
      expect((await service.submit(BELL, headers)).statusCode).toBe(201);
    }
    const refused = await service.submit(BELL, headers);
    expect(refused.statusCode).toBe(429);
    expect(refused.json().error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: [{ path: '', code: 'SERVICE_IN_FLIGHT_LIMIT' }],
    });
    expect(refused.headers['ratelimit-policy']).toContain(tier);
    expect(service.processor.held).toHaveLength(limit);
  });

  test.each([
    [0, '1'],
    [2001, '3'],
  ])('gets Retry-After with the expected wait of %d ms', async (waitMs, seconds) => {
    await using service = await openHolding();
    service.processor.expectedWaitMs = waitMs;
    await service.submit(BELL, ASYNC);
    await service.submit(BELL, ASYNC);
    const refused = await service.submit(BELL);
    expect(refused.headers['retry-after']).toBe(seconds);
  });

  test('may send again once one has ended', async () => {
    await using service = await openHolding();
    await service.submit(BELL, ASYNC);
    await service.submit(BELL, ASYNC);
    service.processor.held[0]?.finish();
    await settled();
    expect((await service.submit(BELL, ASYNC)).statusCode).toBe(201);
  });

  test('may send again once one is cancelled', async () => {
    await using service = await openHolding();
    const { data } = (await service.submit(BELL, ASYNC)).json();
    await service.submit(BELL, ASYNC);
    await service.request({
      method: 'POST',
      url: `/quantum/circuits/${data.circuit_id}/cancel`,
    });
    expect((await service.submit(BELL, ASYNC)).statusCode).toBe(201);
  });

  test('does not hold up another key', async () => {
    await using service = await openHolding();
    await service.submit(BELL, ASYNC);
    await service.submit(BELL, ASYNC);
    const other = { ...ASYNC, 'x-api-key': await service.createKey() };
    expect((await service.submit(BELL, other)).statusCode).toBe(201);
  });

  test('is still answered what a repeated request stands for, which is one circuit', async () => {
    await using service = await openHolding();
    const repeated = { ...ASYNC, 'idempotency-key': 'once' };
    const first = await service.submit(BELL, repeated);
    await service.submit(BELL, repeated);
    await service.submit(BELL, ASYNC);
    const replay = await service.submit(BELL, repeated);
    expect(replay.statusCode).toBe(201);
    expect(replay.json().data).toEqual(first.json().data);
    expect(service.processor.held).toHaveLength(2);
  });

  test('may send a refused request again under the same Idempotency-Key', async () => {
    await using service = await openHolding();
    await service.submit(BELL, ASYNC);
    await service.submit(BELL, ASYNC);
    const repeated = { ...ASYNC, 'idempotency-key': 'refused' };
    expect((await service.submit(BELL, repeated)).statusCode).toBe(429);
    service.processor.held[0]?.finish();
    await settled();
    const answer = await service.submit(BELL, repeated);
    expect(answer.statusCode).toBe(201);
    expect(answer.headers['idempotent-replayed']).toBeUndefined();
  });

  test('is refused for that reason, and not for a processor that is away', async () => {
    await using service = await openHolding();
    await service.submit(BELL, ASYNC);
    await service.submit(BELL, ASYNC);
    service.processor.reason = 'failed its self-test';
    expect((await service.submit(BELL, ASYNC)).statusCode).toBe(503);
  });
});

test('of many requests at once, exactly as many are taken as may be in flight', async () => {
  await using service = await openHolding();
  const answers = await Promise.all(Array.from({ length: 9 }, () => service.submit(BELL, ASYNC)));
  const statuses = answers.map(({ statusCode }) => statusCode).sort();
  expect(statuses).toEqual([201, 201, 429, 429, 429, 429, 429, 429, 429]);
});

describe('places that are drawn from a database', () => {
  /** Places that answer late, with the number of reservations that were not returned. */
  const latePlaces = (limit: number) => {
    const counts = { numJobs: 0, numReserved: 0 };
    const local = new LocalPlaces(() => counts.numJobs);
    const places: Places = {
      reserve: async (kind, keyId, numJobs) => {
        await settled();
        const reserved = local.reserve(kind, keyId, numJobs, limit);
        if (reserved === undefined) return undefined;
        counts.numReserved += 1;
        return {
          [Symbol.dispose]: () => {
            counts.numReserved -= 1;
            reserved[Symbol.dispose]();
          },
        };
      },
      inFlight: async () => 17,
    };
    return { places, counts };
  };

  test('are awaited, and returned once the circuit is counted', async () => {
    const { places, counts } = latePlaces(5);
    await using service = await openTestService({ places });
    service.processor.isHolding = true;
    expect((await service.submit(BELL, ASYNC)).statusCode).toBe(201);
    expect(counts.numReserved).toBe(0);
    counts.numJobs = 5;
    expect((await service.submit(BELL, ASYNC)).statusCode).toBe(429);
    expect(service.processor.held).toHaveLength(1);
  });

  test('are returned if the circuit is not created', async () => {
    const { places, counts } = latePlaces(5);
    const storageFault = () => new StorageUnwritableError('the disk is full');
    await using service = await openTestService({ places, storageFault });
    expect((await service.submit(BELL, ASYNC)).statusCode).toBe(503);
    expect(counts.numReserved).toBe(0);
  });

  test('are told by /keys/info', async () => {
    await using service = await openTestService({ places: latePlaces(5).places });
    expect((await service.get('/keys/info')).json().data.usage.in_flight).toBe(17);
  });

  test('answer 503 while the database cannot be written', async () => {
    const places: Places = {
      reserve: () => Promise.reject(new StorageUnwritableError('PostgreSQL cannot be reached')),
      inFlight: () => 0,
    };
    await using service = await openTestService({ places });
    const answer = await service.submit(BELL, ASYNC);
    expect(answer.statusCode).toBe(503);
    expect(answer.json().error.details).toMatchObject([{ code: 'STORAGE_UNWRITABLE' }]);
  });
});

test('/keys/info tells the limit and what is in flight', async () => {
  await using service = await openHolding();
  const info = async () => (await service.get('/keys/info')).json().data;
  await service.submit(BELL, ASYNC);
  expect(await info()).toMatchObject({ limits: { in_flight: 2 }, usage: { in_flight: 1 } });
  service.processor.held[0]?.finish();
  await settled();
  expect(await info()).toMatchObject({ usage: { in_flight: 0 } });
});

describe('expected_start_at', () => {
  const record = async (service: TestService) => {
    const { data } = (await service.submit(BELL, ASYNC)).json();
    return async () => (await service.get(`/quantum/circuits/${data.circuit_id}`)).json().data;
  };

  test('is in the record while the circuit waits, and not after', async () => {
    await using service = await openHolding();
    service.processor.expectedStartAt = START + 1500;
    const read = await record(service);
    expect(await read()).toMatchObject({
      status: 'queued',
      queue_position: 0,
      expected_start_at: '2026-01-02T03:04:07.178Z',
    });
    const { circuits } = (await service.get('/quantum/circuits')).json().data;
    expect(circuits[0].expected_start_at).toBe('2026-01-02T03:04:07.178Z');
    service.processor.held[0]?.hooks.onStarted?.();
    await settled();
    expect(await read()).not.toHaveProperty('expected_start_at');
  });

  test('is left out where it is not known', async () => {
    await using service = await openHolding();
    const read = await record(service);
    expect(await read()).not.toHaveProperty('expected_start_at');
  });

  test('of a circuit that is late is now', async () => {
    await using service = await openHolding();
    service.processor.expectedStartAt = START - 1;
    const read = await record(service);
    expect((await read()).expected_start_at).toBe('2026-01-02T03:04:05.678Z');
  });
});
