import type { Changes } from '../../storage/database.ts';

/** A change as the log keeps it. */
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

/** So many of the newest events of a followed account are kept at hand. */
export const RING = 2000;

/** So many events wait for a follower who is slow; the rest is read again when they come for it. */
const MAX_WAITING = 500;

/** Whom a change concerns besides its subject, by the names of its values. */
export const CONCERNED = { operatorId: 'operator', previousOperatorId: 'operator', visitorId: 'visitor' } as const;

/** What an event is about: `conversation:12`, `operator:5`. */
export function topicsOf({ subjectType, subjectId, changes }: LoggedEvent): ReadonlySet<string> {
  const topics = new Set([`${subjectType}:${subjectId}`]);
  for (const [name, kind] of Object.entries(CONCERNED)) {
    const id = changes.values[name];
    if (typeof id === 'number') topics.add(`${kind}:${id}`);
  }
  return topics;
}

/** Somebody who reads the log from a position on, all of it or what is about their topics. */
export class Follower {
  readonly topics: ReadonlySet<string> | undefined;
  /** Everything of theirs up to here was handed over or waits; what the tail brings counts besides. */
  position: number;
  readonly waiting: LoggedEvent[] = [];
  /** Whether the tail hands over what comes. */
  attached = false;
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

  /** Resolves when something waits, or when somebody says so. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** The newest events of an account, read once for all who follow it. Positions have no holes, so a position is a place here. */
export class EventTail {
  readonly followers = new Set<Follower>();
  readonly #kept: { readonly event: LoggedEvent; readonly topics: ReadonlySet<string> }[] = [];
  readonly #ofAll = new Set<Follower>();
  readonly #ofTopic = new Map<string, Set<Follower>>();
  /** Everything up to here was read. */
  position: number;

  constructor(position: number) {
    this.position = position;
  }

  append(events: readonly LoggedEvent[]): void {
    const first = events[0];
    if (first && first.position !== this.position + 1) this.#startAnew(first.position - 1);
    for (const event of events) {
      const topics = topicsOf(event);
      this.#kept.push({ event, topics });
      this.position = event.position;
      for (const follower of this.#ofAll) this.#hand(follower, event);
      for (const topic of topics) for (const follower of this.#ofTopic.get(topic) ?? []) this.#hand(follower, event);
    }
    if (this.#kept.length > 2 * RING) this.#kept.splice(0, this.#kept.length - RING);
  }

  /** What is new for a follower, who gets from now on what comes; undefined when they must read what is not at hand any more. */
  take(follower: Follower): LoggedEvent[] | undefined {
    if (follower.waiting.length > 0) return follower.waiting.splice(0);
    if (follower.attached) {
      follower.position = this.reached(follower);
      return [];
    }
    const start = this.position - this.#kept.length;
    if (follower.position < start) return undefined;
    const missed = this.#kept.slice(follower.position - start).filter(({ topics }) => follower.wants(topics));
    follower.position = Math.max(follower.position, this.position);
    this.#attach(follower);
    return missed.map(({ event }) => event);
  }

  /** Up to where a follower who has taken everything has been served. */
  reached(follower: Follower): number {
    return follower.attached ? Math.max(follower.position, this.position) : follower.position;
  }

  leave(follower: Follower): void {
    this.followers.delete(follower);
    this.#detach(follower);
  }

  #hand(follower: Follower, event: LoggedEvent): void {
    // Two topics of one event, or somebody who was ahead of this tail.
    if (event.position <= follower.position) return;
    if (follower.waiting.length === MAX_WAITING) {
      this.#detach(follower);
      return;
    }
    follower.position = event.position;
    follower.waiting.push(event);
    follower.wake();
  }

  #attach(follower: Follower): void {
    follower.attached = true;
    if (!follower.topics) this.#ofAll.add(follower);
    for (const topic of follower.topics ?? []) {
      const followers = this.#ofTopic.get(topic) ?? new Set();
      this.#ofTopic.set(topic, followers.add(follower));
    }
  }

  #detach(follower: Follower): void {
    follower.attached = false;
    this.#ofAll.delete(follower);
    for (const topic of follower.topics ?? []) {
      const followers = this.#ofTopic.get(topic);
      followers?.delete(follower);
      if (followers?.size === 0) this.#ofTopic.delete(topic);
    }
  }

  /** What lies between was forgotten before it was read here. Whoever needs it finds that out by themself. */
  #startAnew(position: number): void {
    for (const follower of this.followers) {
      if (!follower.attached) continue;
      follower.position = this.reached(follower);
      this.#detach(follower);
      follower.wake();
    }
    this.#kept.length = 0;
    this.position = position;
  }
}
