/** An OpenAI-compatible upstream on a port of this machine, which answers as a test says. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import { z } from 'zod';

const chatRequest = z.strictObject({
  model: z.string(),
  messages: z.tuple([z.strictObject({ role: z.literal('user'), content: z.string() })]),
  max_tokens: z.number(),
  temperature: z.number().optional(),
  stream: z.literal(false),
});

/** A request for a completion, as it came; one of another form makes the upstream answer 500. */
export interface ReceivedChat extends z.output<typeof chatRequest> {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly input: string;
}

/** How a request is answered; one that does not end its response lets the caller wait. */
export type Reply = (response: ServerResponse, request: ReceivedChat) => void;

/** Answers with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** A good answer in OpenAI's form, with fields that nobody reads. */
export function completion(text: string, changes: object = {}): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'tiny-1b-q4',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text },
        finish_reason: 'stop',
        logprobs: null,
      },
    ],
    usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    ...changes,
  };
}

/** The upstream. */
export class TextUpstreamServer implements AsyncDisposable {
  /** To self-tests, which are told from requests by their input. */
  probeReply: Reply = json(200, completion('ready'));
  /** To everything else. */
  reply: Reply = json(200, completion('Hello there.'));
  /** Answer of `GET /v1/models`. */
  models: unknown = { object: 'list', data: [{ id: 'tiny', object: 'model' }] };
  readonly received: ReceivedChat[] = [];
  readonly #server: Server;
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
  }

  static async open(): Promise<TextUpstreamServer> {
    const upstream = new TextUpstreamServer();
    await upstream.listen();
    return upstream;
  }

  /** Opens, after `close` on the same port. */
  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('unreachable: no port');
    this.#port = address.port;
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get baseUrl(): string {
    return `http://${this.host}/v1`;
  }

  get probes(): readonly ReceivedChat[] {
    return this.received.filter(isProbe);
  }

  get requests(): readonly ReceivedChat[] {
    return this.received.filter((chat) => !isProbe(chat));
  }

  /** Goes there and back several times: what was on its way to the upstream has arrived then. */
  async roundTrips(): Promise<void> {
    for (let i = 0; i < 5; i++) await (await fetch(`${this.baseUrl}/models`)).text();
  }

  /** Stops listening and hangs up. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/v1/models') {
      response.end(JSON.stringify(this.models));
      return;
    }
    const body = chatRequest.parse(await readJson(request));
    const chat = {
      ...body,
      path: request.url,
      authorization: request.headers.authorization,
      input: body.messages[0].content,
    };
    this.received.push(chat);
    const reply = isProbe(chat) ? this.probeReply : this.reply;
    reply(response, chat);
  }
}

function isProbe({ input }: ReceivedChat): boolean {
  return input.startsWith('Reply with');
}
