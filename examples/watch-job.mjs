/**
 * Submits a circuit without waiting, follows it by its events, and prints the histogram. Needs only
 * Node 20 or later, or a browser with a server of its own:
 *
 *     QCS_API_KEY=qcs_… node examples/watch-job.mjs
 *
 * `QCS_URL` is the address of the service, by default http://127.0.0.1:8080. `EventSource` cannot send a key, so the
 * stream is read with `fetch`.
 */
const service = process.env.QCS_URL ?? 'http://127.0.0.1:8080';
const headers = { 'x-api-key': process.env.QCS_API_KEY ?? '' };

/** A GHZ state of ten qubits. */
const circuit = [
  { gate: 'H', qubit: 0 },
  ...Array.from({ length: 9 }, (_, control) => ({ gate: 'CX', control, target: control + 1 })),
  { gate: 'M', qubits: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] },
];

const submitted = await fetch(`${service}/api/v1/quantum/circuits`, {
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json', prefer: 'respond-async' },
  body: JSON.stringify({ circuit, target_processor: 'statevector-sim', shots: 2000, seed: 7 }),
});
const location = submitted.headers.get('location');
if (location === null) throw new Error(`refused: ${await submitted.text()}`);
console.log(`submitted ${location}`);

for await (const { event, data } of eventsOf(`${service}${location}/events`)) {
  if (event === 'status') console.log(`status ${data.status}`);
  if (event === 'done') break;
}

const { data: record } = await (await fetch(`${service}${location}`, { headers })).json();
for (const [outcome, count] of Object.entries(record.counts)) {
  console.log(`${outcome} ${String(count).padStart(5)} ${'█'.repeat(count / 40)}`);
}

/** Server-Sent Events: blocks of lines `name: value`, each block ended by an empty line. */
async function* eventsOf(url) {
  const response = await fetch(url, { headers });
  let unread = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (unread + text).split('\n\n');
    unread = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/)));
      if (fields.data !== undefined) yield { event: fields.event, data: JSON.parse(fields.data) };
    }
  }
}
