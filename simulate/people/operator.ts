import { randomUUID } from 'node:crypto';
import { Asking } from '../asking.ts';
import * as documents from '../documents.ts';
import { Feed } from '../feed.ts';
import { now, type Told, type Who } from '../journal.ts';
import type { Absence, OperatorPlan } from '../plan.ts';
import type { Random } from '../random.ts';
import type { StagedOperator } from '../stage.ts';
import { ended, Gate, rest } from '../time.ts';
import type { World } from './world.ts';
import { Writer } from './writer.ts';

const CONNECT_SECONDS = 5;
/** An answer may be on its way for so long. */
const LEASE_SLACK_MS = 3000;
/** How long everything that is still open at the end may take; only what hangs takes so long. */
const FINISH_WITHIN_MS = 60_000;

/** Somebody at a desk: waits for offers, answers them, talks, closes; goes away now and then, and comes back. */
export class SimulatedOperator {
  readonly who: Who;
  readonly #world: World;
  readonly #plan: OperatorPlan;
  readonly #id: string;
  readonly #asking: Asking;
  readonly #token: string;
  readonly #random: Random;
  readonly #writer: Writer;
  /** What they have, each with a way to stop what is going on with it. */
  readonly #held = new Map<number, AbortController>();
  readonly #there = new Gate();
  #desk: Feed | undefined;

  constructor(world: World, plan: OperatorPlan, { id, token }: StagedOperator) {
    const { client, journal } = world;
    this.who = `operator ${plan.index}`;
    this.#world = world;
    this.#plan = plan;
    this.#id = id;
    this.#token = token;
    this.#random = world.random.for(`at the desk ${plan.index}`);
    const own = client.for(plan.index + 1);
    this.#asking = new Asking(own, journal, this.who, { path: documents.OPERATOR_PATH, token });
    this.#writer = new Writer(this.#asking, journal, this.who, this.#random.for('words'));
    const { chatMaxNumber, chatAndCall } = plan;
    journal.add({ kind: 'hired', who: this.who, chatMaxNumber, chatAndCall });
  }

  /** A whole day, until everything that they had is finished. */
  async work(): Promise<void> {
    const { closing } = this.#world;
    await rest(this.#plan.arriveMs, closing);
    await this.#wish(true);
    if (!(await this.#sitDown())) return;
    await Promise.all([this.#comeAndGo(), this.#takeBreaks()]);
    if (!this.#there.isOpen) await this.#return();
    await this.#wish(false);
    const deadline = performance.now() + FINISH_WITHIN_MS;
    while (this.#held.size > 0 && performance.now() < deadline) await rest(50);
  }

  /** Closes the desk for good. */
  async goHome(): Promise<void> {
    await this.#desk?.end('finished');
  }

  /** False when the service could not be reached. */
  async #sitDown(): Promise<boolean> {
    const { journal } = this.#world;
    // Where the log is, so that nothing is missed between this and the stream.
    const answer = await this.#asking.ask<string>({ operation: 'eventPosition', query: documents.EVENT_POSITION });
    if (answer.outcome !== 'done') return false;
    const position = Number(answer.data);
    const followed = {
      ...{ who: this.who, path: documents.OPERATOR_PATH, token: this.#token, conversation: null, variables: {} },
      ...{ operation: 'deskEvents', query: documents.DESK_EVENTS },
    };
    this.#desk = new Feed(this.#asking.client, journal, followed, { position, onEvent: (event) => this.#hear(event) });
    this.#desk.open();
    this.#there.open();
    return true;
  }

  async #wish(available: boolean): Promise<void> {
    const askedAt = now();
    const input = Object.fromEntries(this.#plan.channels.map((channel) => [channel, available]));
    const { outcome } = await this.#asking.ask({
      operation: 'operatorAvailabilityUpdate',
      query: documents.AVAILABILITY_UPDATE,
      variables: { input },
    });
    // Without an answer they may be available, and are not surely unavailable.
    if (available || outcome === 'done') this.#world.journal.add({ kind: 'wished', who: this.who, available, askedAt });
  }

  async #comeAndGo(): Promise<void> {
    const { closing, elapsed } = this.#world;
    for (const absence of this.#plan.absences) {
      if (!(await rest(absence.atMs - elapsed(), closing))) return;
      await this.#leave(absence);
      await rest(absence.awayMs, closing);
      await this.#return(absence);
    }
    await ended(closing);
  }

  async #leave({ how }: Absence): Promise<void> {
    if (how === 'sign_off') {
      const input = { id: this.#id };
      await this.#asking.ask({
        operation: 'operatorDisconnect',
        query: documents.OPERATOR_DISCONNECT,
        variables: { input },
      });
    }
    this.#there.close();
    await this.#desk?.end(how);
  }

  async #return(absence?: Absence): Promise<void> {
    if (absence?.how === 'sign_off') {
      const until = now() + CONNECT_SECONDS * 1000 + LEASE_SLACK_MS;
      this.#world.journal.add({ kind: 'leased', who: this.who, until });
      await this.#asking.ask({
        operation: 'operatorConnect',
        query: documents.OPERATOR_CONNECT,
        variables: { input: { ttlSeconds: CONNECT_SECONDS } },
      });
    }
    this.#desk?.open();
    this.#there.open();
  }

  async #takeBreaks(): Promise<void> {
    const { closing, elapsed } = this.#world;
    for (const { atMs, forMs } of this.#plan.breaks) {
      if (!(await rest(atMs - elapsed(), closing))) return;
      if (!this.#there.isOpen) continue;
      await this.#wish(false);
      await rest(forMs, closing);
      if (closing.aborted) return;
      await this.#there.passed();
      await this.#wish(true);
    }
  }

  #hear({ type, conversation, reason }: Told): void {
    if (type === 'operator.availability_updated' && reason === 'missed_offers') this.#wakeUp().catch(report);
    if (conversation === null) return;
    if (type === 'conversation.offered') this.#answer(conversation, this.#begin(conversation)).catch(report);
    if (type === 'conversation.started') this.#serve(conversation, this.#begin(conversation)).catch(report);
    if (type === 'conversation.queued' || type === 'conversation.closed') this.#end(conversation);
  }

  #begin(conversation: number): AbortSignal {
    const known = this.#held.get(conversation) ?? new AbortController();
    this.#held.set(conversation, known);
    return known.signal;
  }

  #end(conversation: number): void {
    this.#held.get(conversation)?.abort();
    this.#held.delete(conversation);
  }

  /** They were taken for absent: after a moment they notice it. */
  async #wakeUp(): Promise<void> {
    const { closing, plan } = this.#world;
    if (!(await rest(5000 / plan.options.speed, closing))) return;
    await this.#there.passed();
    if (!closing.aborted) await this.#wish(true);
  }

  async #answer(conversation: number, gone: AbortSignal): Promise<void> {
    const { closing, plan } = this.#world;
    const { decline, ignore, speed } = plan.options;
    const choice = this.#random.weighted({ accept: 1 - decline - ignore, decline, ignore });
    if (choice === 'ignore') await ended(gone, closing); // at closing time even they take it
    await rest(this.#random.between(200, 2500) / speed, gone, closing);
    await this.#there.passed();
    if (gone.aborted) return;
    const input = { conversationId: String(conversation) };
    if (choice === 'decline' && !closing.aborted) {
      const key = randomUUID();
      await this.#asking.ask({
        ...{ operation: 'offerDecline', query: documents.OFFER_DECLINE, key },
        ...{ variables: { input }, conversation },
      });
      return;
    }
    await this.#asking.ask({
      ...{ operation: 'offerAccept', query: documents.OFFER_ACCEPT, variables: { input }, conversation },
    });
  }

  async #serve(conversation: number, gone: AbortSignal): Promise<void> {
    const { closing, plan } = this.#world;
    const { handlingMs, speed } = plan.options;
    const handling = (Math.max(0.1, this.#random.exponential(1)) * handlingMs) / speed;
    const words = this.#random.whole(1, 4);
    for (let said = 0; said <= words; said += 1) {
      await rest(handling / (words + 1), gone, closing);
      if (closing.aborted) await rest(this.#random.between(0, 500), gone);
      await this.#there.passed();
      if (gone.aborted) return;
      if (said < words) await this.#writer.write(conversation);
    }
    await this.#asking.ask({
      ...{ operation: 'conversationClose', query: documents.CONVERSATION_CLOSE, key: randomUUID() },
      ...{ variables: { input: { id: String(conversation) } }, conversation },
    });
  }
}

function report(error: unknown): void {
  console.error(error);
  process.exitCode = 1;
}
