/** Requests, written by hand, of clients that stall. */

/** The first lines of a submission of a circuit, without a key. */
export const HEAD =
  'POST /api/v1/quantum/circuits HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n';

/** What the client does, and the bytes that it sends before it stalls; KEY stands for its key. */
export const HALF_SENT: readonly (readonly [does: string, bytes: string])[] = [
  ['says nothing', ''],
  ['sends half a header', 'GET /api/v1/ HTTP/1.1\r\nHos'],
  ['sends half a body', `${HEAD}X-API-Key: KEY\r\nContent-Length: 100\r\n\r\n{"circuit":[`],
];
