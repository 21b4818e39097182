import type { Changes } from '../../storage/database.ts';

/** A change in the event log. */
export interface LoggedEvent {
  readonly position: number;
  readonly type: string;
  readonly subjectType: string;
  readonly subjectId: number;
  readonly actorType: string;
  readonly actorId: number | null;
  readonly at: number;
  readonly changes: Changes;
}

/** Number of newest events held in memory per followed account. */
export const TAIL_SIZE = 2000;

/** Maximum number of events buffered for a slow follower; it reads later ones from the database. */
const MAX_PENDING_EVENTS = 500;

/** Fields whose values add a topic, besides the subject. */
export const TOPIC_FIELDS = { operatorId: 'operator', previousOperatorId: 'operator', visitorId: 'visitor' } as const;

/** In a topic instead of an identifier: all subjects of the kind. */
export const ANY_SUBJECT = '*';

/** Lists the topics of an event, for example `conversation:12`, `conversation:*`, `operator:5`. */
export function listTopics({ subjectType, subjectId, changes }: LoggedEvent): ReadonlySet<string> {
  const topics = new Set([`${subjectType}:${subjectId}`, `${subjectType}:${ANY_SUBJECT}`]);
  for (const [name, kind] of Object.entries(TOPIC_FIELDS)) {
    const id = changes.values[name];
    if (typeof id === 'number') topics.add(`${kind}:${id}`);
  }
  return topics;
}

/** A reader of the log from a position on, either of all events or of its topics. */
export class Follower {
  readonly topics: ReadonlySet<string> | undefined;
  /** All matching events up to here were delivered or are pending. While attached, the tail's position counts too. */
  position: number;
  readonly pending: LoggedEvent[] = [];
  /** Whether the tail delivers new events. */
  isAttached = false;
  #wake: (() => void) | undefined;

  constructor(position: number, topics: readonly string[] | undefined) {
    this.position = position;
    this.topics = topics && new Set(topics);
  }

  wants(topics: ReadonlySet<string>): boolean {
    return this.topics === undefined || !this.topics.isDisjointFrom(topics);
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Resolves at the next `wake()`. */
  waitForWake(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** The newest events of an account, shared by its followers. Positions have no gaps, so a position gives an index. */
export class EventTail {
  readonly followers = new Set<Follower>();
  readonly #recent: { readonly event: LoggedEvent; readonly topics: ReadonlySet<string> }[] = [];
  readonly #unfilteredFollowers = new Set<Follower>();
  readonly #followersByTopic = new Map<string, Set<Follower>>();
  /** All events up to here were read. */
  position: number;

  constructor(position: number) {
    this.position = position;
  }

  append(events: readonly LoggedEvent[]): void {
    const first = events[0];
    if (first && first.position !== this.position + 1) this.#restart(first.position - 1);
    for (const event of events) {
      const topics = listTopics(event);
      this.#recent.push({ event, topics });
      this.position = event.position;
      for (const follower of this.#unfilteredFollowers) this.#deliver(follower, event);
      for (const topic of topics)
        for (const follower of this.#followersByTopic.get(topic) ?? []) this.#deliver(follower, event);
    }
    if (this.#recent.length > 2 * TAIL_SIZE) this.#recent.splice(0, this.#recent.length - TAIL_SIZE);
  }

  /** Returns a follower's new events and attaches it; undefined if its position is older than the tail. */
  take(follower: Follower): LoggedEvent[] | undefined {
    if (follower.pending.length > 0) return follower.pending.splice(0);
    if (follower.isAttached) {
      follower.position = this.getServedPosition(follower);
      return [];
    }
    const start = this.position - this.#recent.length;
    if (follower.position < start) return undefined;
    const missed = this.#recent.slice(follower.position - start).filter(({ topics }) => follower.wants(topics));
    follower.position = Math.max(follower.position, this.position);
    this.#attach(follower);
    return missed.map(({ event }) => event);
  }

  /** Returns the position up to which a follower without pending events was served. */
  getServedPosition(follower: Follower): number {
    return follower.isAttached ? Math.max(follower.position, this.position) : follower.position;
  }

  remove(follower: Follower): void {
    this.followers.delete(follower);
    this.#detach(follower);
  }

  #deliver(follower: Follower, event: LoggedEvent): void {
    // The event has two of its topics, or the follower is ahead of this tail.
    if (event.position <= follower.position) return;
    if (follower.pending.length === MAX_PENDING_EVENTS) {
      this.#detach(follower);
      return;
    }
    follower.position = event.position;
    follower.pending.push(event);
    follower.wake();
  }

  #attach(follower: Follower): void {
    follower.isAttached = true;
    if (!follower.topics) this.#unfilteredFollowers.add(follower);
    for (const topic of follower.topics ?? []) {
      const followers = this.#followersByTopic.get(topic) ?? new Set();
      this.#followersByTopic.set(topic, followers.add(follower));
    }
  }

  #detach(follower: Follower): void {
    follower.isAttached = false;
    this.#unfilteredFollowers.delete(follower);
    for (const topic of follower.topics ?? []) {
      const followers = this.#followersByTopic.get(topic);
      followers?.delete(follower);
      if (followers?.size === 0) this.#followersByTopic.delete(topic);
    }
  }

  /** Skips events that were deleted before this tail read them. Followers that need them fail on their next read. */
  #restart(position: number): void {
    for (const follower of this.followers) {
      if (!follower.isAttached) continue;
      follower.position = this.getServedPosition(follower);
      this.#detach(follower);
      follower.wake();
    }
    this.#recent.length = 0;
    this.position = position;
  }
}
