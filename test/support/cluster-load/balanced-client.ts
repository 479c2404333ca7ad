/**
 * A client behind a load balancer: its requests go to the nodes in turn, and pass over a node that has just failed.
 * It sends a request again only if it may: one that reads, one with an Idempotency-Key, a cancel, a deletion.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { ClusterNode } from '../cluster.ts';

/** Answers to which a client sends its request again. */
const PASSING = [502, 503, 504];
/** A node that failed gets no requests for so long. */
const DOWN_MS = 500;
const AGAIN_MS = 40;
/** A request that nobody answers for so long fails the run. */
const GIVE_UP_MS = 180_000;

const envelope = z.looseObject({ data: z.unknown().optional() });

/** Chooses nodes in turn, for all clients. */
export class LoadBalancer {
  readonly #nodes: readonly ClusterNode[];
  readonly #downUntil = new Map<ClusterNode, number>();
  #next = 0;

  constructor(nodes: readonly ClusterNode[]) {
    this.#nodes = nodes;
  }

  /** The next node that runs and has not just failed; undefined if there is none. */
  pick(): ClusterNode | undefined {
    for (let i = 0; i < this.#nodes.length; i++) {
      const node = this.#nodes[this.#next++ % this.#nodes.length];
      if (node === undefined || !node.isRunning) continue;
      if ((this.#downUntil.get(node) ?? 0) <= performance.now()) return node;
    }
    return undefined;
  }

  failed(node: ClusterNode): void {
    this.#downUntil.set(node, performance.now() + DOWN_MS);
  }
}

/** An answer of a node. */
export interface NodeAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly isReplay: boolean;
  readonly data: unknown;
  readonly text: string;
  readonly node: string;
  /** Of the attempt that was answered, by performance.now(). */
  readonly sentAt: number;
  /** Attempts. */
  readonly tries: number;
}

/** Options of a request. */
export interface SendOptions {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** It is sent again until it is answered. */
  readonly isRepeatable: boolean;
  /** Longest wait for an answer. */
  readonly waitMs?: number;
}

/** Numbers of a client. */
export interface RequestCounts {
  requests: number;
  /** Attempts after the first. */
  again: number;
  readonly answersOf: Record<string, number>;
}

/** One key's client. */
export class BalancedClient {
  readonly key: string;
  readonly #balancer: LoadBalancer;
  readonly #counts: RequestCounts;

  constructor(balancer: LoadBalancer, key: string, counts: RequestCounts) {
    this.#balancer = balancer;
    this.key = key;
    this.#counts = counts;
  }

  /**
   * Sends a request.
   *
   * @param path - Below /api/v1, or whole.
   * @returns Undefined if it may not be repeated and was not answered, or was answered that the service cannot now.
   * @throws if a request that may be repeated is not answered for minutes.
   */
  async send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    options: SendOptions,
  ): Promise<NodeAnswer | undefined> {
    const begun = performance.now();
    const failures: string[] = [];
    for (let tries = 1; ; tries++) {
      if (performance.now() - begun > GIVE_UP_MS) {
        throw new Error(`${method} ${path} is not answered: ${failures.slice(-5).join('; ')}`);
      }
      const node = this.#balancer.pick();
      if (node === undefined) {
        await sleep(AGAIN_MS);
        continue;
      }
      const answer = await this.#try(node, method, path, options, tries).catch((error) => {
        failures.push(`${node.name}: ${error instanceof Error ? error.message : error}`);
      });
      if (answer !== undefined && !PASSING.includes(answer.status)) return answer;
      if (answer !== undefined) failures.push(`${node.name}: ${answer.text.slice(0, 200)}`);
      this.#balancer.failed(node);
      if (!options.isRepeatable) return undefined;
      await sleep(AGAIN_MS);
    }
  }

  /** A GET, whatever it takes. */
  async get(path: string): Promise<NodeAnswer> {
    const answer = await this.send('GET', path, { isRepeatable: true });
    if (answer === undefined) throw new Error('unreachable: a GET is repeated');
    return answer;
  }

  /** Opens a stream of events at the next node; undefined if that fails. */
  async events(location: string, lastId: string | undefined): Promise<Response | undefined> {
    const node = this.#balancer.pick();
    if (node === undefined) return undefined;
    try {
      const response = await fetch(`${node.origin}${location}/events`, {
        headers: {
          'x-api-key': this.key,
          ...(lastId !== undefined && { 'last-event-id': lastId }),
        },
        // A stream is silent for 15 s at most.
        signal: AbortSignal.timeout(30_000),
      });
      if (PASSING.includes(response.status)) this.#balancer.failed(node);
      return response;
    } catch {
      this.#balancer.failed(node);
      return undefined;
    }
  }

  async #try(
    node: ClusterNode,
    method: string,
    path: string,
    { body, headers, waitMs = 8000 }: SendOptions,
    tries: number,
  ): Promise<NodeAnswer> {
    this.#counts.requests++;
    if (tries > 1) this.#counts.again++;
    const whole = path.startsWith('/api/') ? path : `/api/v1${path}`;
    const sentAt = performance.now();
    const response = await fetch(`${node.origin}${whole}`, {
      method,
      headers: {
        'x-api-key': this.key,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(waitMs),
    });
    const text = await response.text();
    const { status } = response;
    this.#counts.answersOf[status] = (this.#counts.answersOf[status] ?? 0) + 1;
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status,
      location: response.headers.get('location') ?? undefined,
      isReplay: response.headers.get('idempotent-replayed') === 'true',
      data: isJson ? envelope.parse(JSON.parse(text)).data : undefined,
      text,
      node: node.name,
      sentAt,
      tries,
    };
  }
}
