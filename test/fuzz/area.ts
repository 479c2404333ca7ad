/** What an area of the fuzzer gives to the runner. */
import type { Random } from './random.ts';

/** Status and content of an answer. */
export interface Answer {
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** Code of the first detail of an error, and its message. */
  readonly code: string;
  readonly message: string;
}

/** A running service. */
export interface Service {
  readonly origin: string;
  readonly key: string;
  /** @param path - Below /api/v1/quantum/. */
  post(path: 'circuits' | 'batches', body: object): Promise<Answer>;
}

/** Something that the service answered wrongly, or refused. */
export interface Wrong {
  /** Shrinking keeps it. */
  readonly kind: string;
  readonly message: string;
  readonly request: unknown;
  readonly answer: unknown;
  readonly expected: unknown;
}

/** Cases of one kind. A case is plain JSON; its arrays may be shortened to shrink it. */
export interface Area<Case> {
  readonly name: string;
  generate(random: Random): Case;
  /** @throws when the case makes no sense, as happens while it is shrunk. */
  check(fuzzCase: Case, service: Service): Promise<Wrong | undefined>;
}

/** Sends a request and compares its answer; a refusal is wrong, unless `allowed` has its code or words of its message. */
export async function judged(
  service: Service,
  path: 'circuits' | 'batches',
  body: object,
  compare: (data: Answer['data']) => string | undefined,
  expected: unknown,
  allowed: readonly string[] = [],
): Promise<Wrong | undefined> {
  const answer = await service.post(path, body);
  const facts = { request: { path, body }, expected };
  if (answer.status >= 300) {
    if (allowed.some((each) => each === answer.code || answer.message.includes(each)))
      return undefined;
    const kind = `refused ${answer.message.replaceAll(/[\d.]+|"[^"]*"/g, '')}`;
    return {
      ...facts,
      kind,
      message: `${answer.status} ${answer.message}`,
      answer: answer.message,
    };
  }
  const message = compare(answer.data);
  const { compilation: _, timing: __, ...shown } = answer.data;
  return message === undefined ? undefined : { ...facts, kind: 'wrong', message, answer: shown };
}
