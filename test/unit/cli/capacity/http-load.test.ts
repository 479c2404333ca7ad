import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { closedLoop, httpRequest, type Load } from '../../../../src/cli/capacity/http-load.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

async function loadOn(listener: RequestListener): Promise<Load> {
  server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/path`);
  return {
    request: httpRequest('POST', url, { 'x-api-key': 'k' }, '{"shots":1}'),
    verify: () => {},
    numConnections: 4,
    numRequests: 50,
  };
}

describe('a closed loop', () => {
  test('sends each request whole, as many as it was told, on so many connections', async () => {
    const requests: unknown[] = [];
    const ports = new Set<number | undefined>();
    const load = await loadOn(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      ports.add(request.socket.remotePort);
      requests.push([request.method, request.url, request.headers['x-api-key'], body]);
      response.writeHead(201, { 'content-length': 2 }).end('{}');
    });
    expect(await closedLoop(load)).toHaveLength(50);
    expect(requests).toEqual(Array(50).fill(['POST', '/path', 'k', '{"shots":1}']));
    expect(ports.size).toBe(4);
  });

  test('never has more requests under way than connections', async () => {
    let underWay = 0;
    let most = 0;
    const load = await loadOn((_request, response) => {
      most = Math.max(most, ++underWay);
      setImmediate(() => {
        underWay--;
        response.writeHead(201, { 'content-length': 2 }).end('{}');
      });
    });
    await closedLoop(load);
    expect(most).toBeLessThanOrEqual(4);
  });

  test('gives whole bodies to the check, however they arrive', async () => {
    const bodies: string[] = [];
    const load = await loadOn((_request, response) => {
      response.writeHead(201, { 'content-length': 10 });
      response.write('{"a"');
      // The client, in this process too, reads between the two turns.
      setImmediate(() => setImmediate(() => response.end(':12345')));
    });
    await closedLoop({ ...load, verify: (body) => void bodies.push(body) });
    expect(bodies).toEqual(Array(50).fill('{"a":12345'));
  });
});

describe('a closed loop fails', () => {
  test('with the error of a check that an answer did not pass', async () => {
    const load = await loadOn((_request, response) => {
      response.writeHead(201, { 'content-length': 2 }).end('{}');
    });
    let numChecked = 0;
    const verify = () => {
      if (++numChecked === 20) throw new Error('wrong counts');
    };
    await expect(closedLoop({ ...load, verify })).rejects.toThrow('wrong counts');
  });

  test.each([
    ['another status', 200, { 'content-length': 2 }],
    ['more than its length', 201, { 'content-length': 1 }],
  ])('over an answer with %s', async (_what, status, headers) => {
    const load = await loadOn((_request, response) => {
      response.writeHead(status, headers).end('{}');
    });
    await expect(closedLoop(load)).rejects.toMatchObject({ code: 'CLI_LOAD_FAILED' });
  });

  test('when a connection is lost', async () => {
    const load = await loadOn((request) => request.socket.destroy());
    await expect(closedLoop(load)).rejects.toMatchObject({ code: 'CLI_LOAD_FAILED' });
  });

  test('where nobody listens', async () => {
    const load = await loadOn(() => {});
    await new Promise((resolve) => server?.close(resolve));
    await expect(closedLoop(load)).rejects.toMatchObject({ code: 'CLI_LOAD_FAILED' });
  });
});
