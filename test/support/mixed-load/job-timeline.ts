/**
 * Records what was seen of one job from outside, and checks that it can have happened.
 *
 * Answers overtake one another on their way. So an answer is held only against what had been received
 * before its request was sent: a job may not have been further then than it is said to be now.
 */
import { isFinal, type JobStatus } from '../../../src/jobs/job.ts';

/** The job as an answer showed it. */
export interface Sighting {
  readonly status: JobStatus;
  /** While running. */
  readonly progress?: number | undefined;
  readonly sentAt: number;
  readonly receivedAt: number;
}

const RANKS: Readonly<Record<JobStatus, number>> = {
  queued: 0,
  running: 1,
  completed: 2,
  failed: 2,
  cancelled: 2,
};

/** One job as it was seen. */
export class JobTimeline {
  /** Those that later answers are held against; what one of them says more of is left out. */
  #sightings: Sighting[] = [];
  readonly #statuses = new Set<JobStatus>();
  readonly #faults: string[] = [];

  /** Takes note of an answer. */
  see(sighting: Sighting): void {
    this.#statuses.add(sighting.status);
    const isBefore = ({ receivedAt }: Sighting) => receivedAt <= sighting.sentAt;
    const areGood = this.#sightings
      .filter(isBefore)
      .map((earlier) => this.#compare(earlier, sighting))
      .every((isGood) => isGood);
    if (areGood) this.#sightings = this.#sightings.filter((each) => !isBefore(each));
    this.#sightings.push(sighting);
  }

  /**
   * Takes note of what a stream of events told. Events tell what was; so nothing is held against them
   * here, but answers to later requests are held against them.
   */
  hear(status: JobStatus, progress: number | undefined, receivedAt: number): void {
    this.#sightings.push({ status, progress, sentAt: receivedAt, receivedAt });
  }

  /** Observations that cannot have happened. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  /** Statuses that answers showed, each once. */
  get statuses(): ReadonlySet<JobStatus> {
    return this.#statuses;
  }

  /** Whether the later may come after the earlier. */
  #compare(earlier: Sighting, later: Sighting): boolean {
    const { status: from, progress: fromProgress = 0 } = earlier;
    const { status: to, progress: toProgress = 0 } = later;
    if (RANKS[to] < RANKS[from] || (isFinal(from) && to !== from)) {
      return this.#fault(`went from ${from} to ${to}`);
    }
    if (from === 'running' && to === 'running' && toProgress < fromProgress) {
      return this.#fault(`progress went from ${fromProgress} to ${toProgress}`);
    }
    return true;
  }

  #fault(text: string): false {
    this.#faults.push(text);
    return false;
  }
}
