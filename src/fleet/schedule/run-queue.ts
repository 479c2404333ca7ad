/**
 * The queue of runs: a fair queue for each processor and size class, walked as one.
 *
 * Small and wide runs contend for different engines, so each class has start tags of its own: a wide
 * circuit of many seconds does not delay the small ones of its key. On adapters and devices, which both
 * classes use, the tags of both together decide whose run goes first, so that a flood in one class does not
 * delay another key in the other.
 */
import {
  FairQueue,
  type Head,
  isBefore,
  type QueuedItem,
  type QueueScan,
  StartTags,
} from './fair-queue.ts';
import { SIZE_CLASSES, type SizeClass } from './lane.ts';

/** A run as its queue sees it. */
export interface QueuedRun extends QueuedItem {
  readonly processor: string;
}

/** A run that a walk has reached. */
interface RunStop<T> {
  readonly run: T;
  readonly sizeClass: SizeClass;
  /** Set it to false where the run would not start, now or later: then it delays nothing of its key. */
  takesTurn: boolean;
}

/** Options that restrict the runs of a walk. */
interface WalkOptions {
  /** Processors whose runs it leaves out, as though they did not wait. */
  readonly isLeftOut?: (processor: string) => boolean;
  /** Asked before each step: once no queue with runs left is open, the walk ends. */
  readonly isOpen?: (sizeClass: SizeClass, processor: string) => boolean;
}

/** Runs of one processor and size class. */
interface Section<T extends QueuedRun> {
  readonly sizeClass: SizeClass;
  readonly processor: string;
  readonly queue: FairQueue<T>;
}

/** A scan of a section in a walk. */
interface SectionScan<T extends QueuedRun> extends Section<T> {
  readonly scan: QueueScan<T>;
  /** Tags of its size class, as the walk has charged them. */
  readonly tags: StartTags;
  numLeft: number;
}

/** Waiting runs. Times are milliseconds of one clock that never goes back. */
export class RunQueue<T extends QueuedRun> {
  readonly #ageingMs: number;
  readonly #sections = new Map<string, Section<T>>();
  readonly #sectionOf = new Map<string, Section<T>>();
  readonly #tags: Readonly<Record<SizeClass, StartTags>>;
  readonly #tagsOfAll: StartTags;

  /** @param ageingMs - Waiting that raises a run by one level. */
  constructor(ageingMs: number) {
    this.#ageingMs = ageingMs;
    this.#tags = { small: new StartTags(ageingMs), wide: new StartTags(ageingMs) };
    this.#tagsOfAll = new StartTags(ageingMs);
  }

  get length(): number {
    return this.#sectionOf.size;
  }

  has(id: string): boolean {
    return this.#sectionOf.has(id);
  }

  /**
   * Adds a run behind those of its key and level, or, when it comes back, before all others.
   *
   * @param cost - Milliseconds that it is expected to take; its key is charged with them when it starts.
   */
  add(run: T, sizeClass: SizeClass, cost: number, now: number, comesBack = false): void {
    if (this.has(run.id)) throw new Error(`unreachable: ${run.id} waits already`);
    const section = this.#section(sizeClass, run.processor);
    section.queue.add(run, cost, now, comesBack);
    this.#sectionOf.set(run.id, section);
  }

  /** Takes out a run that starts now and charges its key. */
  start(id: string, now: number): void {
    this.#sectionOf.get(id)?.queue.start(id, now);
    this.#sectionOf.delete(id);
  }

  /** Takes out a run that will not start; undefined when it does not wait. */
  remove(id: string): T | undefined {
    const run = this.#sectionOf.get(id)?.queue.remove(id);
    this.#sectionOf.delete(id);
    return run;
  }

  /** All runs, in no order that matters. */
  *runs(): Generator<T> {
    for (const { queue } of this.#sections.values()) yield* queue.items();
  }

  /**
   * The runs in the order in which they would start if each started as the walk passes it. The queue
   * must not change meanwhile, but for runs that the walk has passed.
   */
  *walk(now: number, options: WalkOptions = {}): Generator<RunStop<T>> {
    const { isLeftOut = () => false, isOpen = () => true } = options;
    const tagsOfAll = this.#tagsOfAll.ahead();
    const scans = this.#scans(now, isLeftOut);
    while (scans.some((one) => one.numLeft > 0 && isOpen(one.sizeClass, one.processor))) {
      const next = firstOf(scans, tagsOfAll);
      if (next === undefined) return;
      const [{ scan, tags, sizeClass }, { waiting, level }] = next;
      const { item: run, cost } = waiting;
      next[0].numLeft--;
      // Moves on first: the consumer of the walk may take this run out of the queue.
      scan.pass(next[1]);
      const stop = { run, sizeClass, takesTurn: true };
      for (const each of [tags, tagsOfAll]) each.keep(level, run.key);
      yield stop;
      if (!stop.takesTurn) continue;
      tags.noteStart(run.key, now);
      for (const each of [tags, tagsOfAll]) each.charge(level, run.key, cost);
    }
  }

  /** Scans of the sections that a walk visits, those of one size class with the same tags. */
  #scans(now: number, isLeftOut: (processor: string) => boolean): readonly SectionScan<T>[] {
    return SIZE_CLASSES.flatMap((sizeClass) => {
      const tags = this.#tags[sizeClass].ahead();
      const sections = [...this.#sections.values()].filter(
        (section) =>
          section.sizeClass === sizeClass &&
          section.queue.length > 0 &&
          !isLeftOut(section.processor),
      );
      return sections.map((section) => ({
        ...section,
        tags,
        scan: section.queue.scan(tags, now),
        numLeft: section.queue.length,
      }));
    });
  }

  #section(sizeClass: SizeClass, processor: string): Section<T> {
    const name = `${sizeClass} ${processor}`;
    let section = this.#sections.get(name);
    if (section === undefined) {
      const queue = new FairQueue<T>(this.#ageingMs, this.#tags[sizeClass], [this.#tagsOfAll]);
      section = { sizeClass, processor, queue };
      this.#sections.set(name, section);
    }
    return section;
  }
}

/** The scan whose head starts first: by the tags of its class within a class, by those of all between. */
function firstOf<T extends QueuedRun>(
  scans: readonly SectionScan<T>[],
  tagsOfAll: StartTags,
): readonly [SectionScan<T>, Head<T>] | undefined {
  let first: readonly [SectionScan<T>, Head<T>] | undefined;
  for (const sizeClass of SIZE_CLASSES) {
    let ofClass: readonly [SectionScan<T>, Head<T>] | undefined;
    for (const scan of scans) {
      if (scan.sizeClass !== sizeClass) continue;
      const head = scan.scan.peek();
      if (head === undefined) continue;
      if (ofClass === undefined || isBefore(head, ofClass[1])) ofClass = [scan, head];
    }
    if (ofClass === undefined) continue;
    if (first === undefined || isBeforeOfAll(ofClass[1], first[1], tagsOfAll)) first = ofClass;
  }
  return first;
}

/** Whether one head starts before another of another size class. */
function isBeforeOfAll<T extends QueuedRun>(a: Head<T>, b: Head<T>, tags: StartTags): boolean {
  if (a.level !== b.level) return a.level < b.level;
  const tagOfA = tags.tagOf(a.level, a.waiting.flow.key);
  const tagOfB = tags.tagOf(b.level, b.waiting.flow.key);
  return tagOfA === tagOfB ? a.waiting.arrival < b.waiting.arrival : tagOfA < tagOfB;
}
