import { Asking } from '../asking.ts';
import { waitAfter } from '../client.ts';
import * as documents from '../documents.ts';
import { Feed } from '../feed.ts';
import { now, type ShownMessage, type Told, type Who } from '../journal.ts';
import type { Need, VisitorPlan } from '../plan.ts';
import type { Random } from '../random.ts';
import { ended, rest } from '../time.ts';
import { SENT_TWICE, someWords, type World } from './world.ts';
import { Writer } from './writer.ts';

const SESSION_TRIES = 10;
/** Only what never comes takes so long. */
const SHOWN_WITHIN_MS = 60_000;
/** Addresses of visitors are apart from those of operators. */
const FIRST_ADDRESS = 1 << 16;

/** Somebody who comes to a website, asks, waits, talks, and goes. */
export class SimulatedVisitor {
  readonly who: Who;
  readonly #world: World;
  readonly #plan: VisitorPlan;
  readonly #random: Random;
  readonly #closed = new AbortController();
  #asking: Asking | undefined;
  #writer: Writer | undefined;
  #accepted = new AbortController();
  #wasAccepted = false;
  #said = 0;
  #shown = 0;

  constructor(world: World, plan: VisitorPlan) {
    this.who = `visitor ${plan.index}`;
    this.#world = world;
    this.#plan = plan;
    this.#random = world.random.for(`on the page ${plan.index}`);
  }

  async visit(): Promise<void> {
    const { closing, elapsed, over, journal } = this.#world;
    if (!(await rest(this.#plan.arriveMs - elapsed(), closing))) return;
    const asking = await this.#arrive();
    if (!asking) return;
    this.#asking = asking;
    this.#writer = new Writer(asking, journal, this.who, this.#random.for('words'));
    const position = await asking.ask<string>({ operation: 'eventPosition', query: documents.EVENT_POSITION });
    if (position.outcome !== 'done') return;
    const conversation = await this.#start(asking, this.#writer);
    if (conversation === undefined) return;
    const feed = this.#follow(asking, conversation, Number(position.data));
    await Promise.all([this.#waitPatiently(conversation), this.#loseConnection(feed), this.#untilClosed()]);
    if (this.#closed.signal.aborted && this.#wasAccepted && this.#plan.answersSurvey) await this.#rate(conversation);
    if (over.aborted) await rest(this.#random.between(0, 500)); // not all in the same moment
    await this.#lookOnceMore(asking, conversation);
    await feed.end('finished');
  }

  /** The page shows everything before it is left. */
  async #untilShown(state: string, messages: number): Promise<void> {
    const deadline = performance.now() + SHOWN_WITHIN_MS;
    const isShown = () => this.#shown >= messages && (state !== 'CLOSED' || this.#closed.signal.aborted);
    while (!isShown() && performance.now() < deadline) await rest(20);
  }

  /** A session, as the page of the website opens it. */
  async #arrive(): Promise<Asking | undefined> {
    const { client, stage, journal } = this.#world;
    const own = client.for(FIRST_ADDRESS + this.#plan.index);
    const { website, language } = this.#plan.need;
    const body = JSON.stringify({ websiteId: stage.websites[website], language });
    const askedAt = now();
    let unanswered = 0;
    const earlier: string[] = [];
    for (let tries = 1; ; tries += 1) {
      const reply = await own.post({ path: '/visitor/session', body });
      if ('noAnswer' in reply && reply.sent) unanswered += 1;
      const token = 'body' in reply && reply.status === 201 ? (reply.body?.token as string | undefined) : undefined;
      const passing = 'noAnswer' in reply || reply.status === 429 || reply.status === 503;
      if (token === undefined && passing && tries < SESSION_TRIES) {
        if ('noAnswer' in reply) own.moveOn();
        earlier.push('noAnswer' in reply ? reply.noAnswer : `HTTP ${reply.status}`);
        await waitAfter(reply, tries);
        continue;
      }
      const code = token ? null : 'noAnswer' in reply ? reply.noAnswer : `HTTP ${reply.status}`;
      const outcome = token ? 'done' : 'noAnswer' in reply ? 'unknown' : 'failed';
      journal.add({
        ...{ kind: 'answered', who: this.who, operation: 'session', askedAt, outcome, code, tries, unanswered },
        conversation: null,
        ...(earlier.length > 0 && { earlier }),
      });
      return token ? new Asking(own, journal, this.who, { path: documents.VISITOR_PATH, token }) : undefined;
    }
  }

  async #start(asking: Asking, writer: Writer): Promise<number | undefined> {
    const { journal, stage } = this.#world;
    const { channel, skill, group, language } = this.#plan.need;
    const text = channel === 'chat' ? someWords(this.#random) : undefined;
    const clientId = writer.nextName();
    const input = {
      channel: channel.toUpperCase(),
      ...(skill === null ? {} : { skillId: stage.skills[skill] }),
      ...(group === null ? {} : { groupId: stage.groups[group] }),
      ...(text === undefined ? {} : { message: text }),
      ...{ language, clientId },
    };
    const askedAt = now();
    const send = () =>
      asking.ask<{ conversation: { id: string; createdAt: string } }>({
        operation: 'conversationStart',
        query: documents.CONVERSATION_START,
        variables: { input },
      });
    const [answer] = await (this.#random.chance(SENT_TWICE) ? Promise.all([send(), send()]) : Promise.all([send()]));
    if (answer.outcome !== 'done') return undefined;
    const conversation = Number(answer.data.conversation.id);
    journal.add({
      ...{ kind: 'started', who: this.who, conversation, askedAt, channel, need: needName(this.#plan.need) },
      createdAt: Date.parse(answer.data.conversation.createdAt),
    });
    if (text !== undefined) {
      const message = { sequence: 1, clientId, author: 'VISITOR', text };
      journal.add({ kind: 'sent', who: this.who, conversation, message });
    }
    return conversation;
  }

  #follow(asking: Asking, conversation: number, position: number): Feed {
    const followed = {
      ...{ who: this.who, path: documents.VISITOR_PATH, token: asking.token, conversation },
      ...{ operation: 'conversationEvents', query: documents.CONVERSATION_EVENTS },
      variables: { id: String(conversation) },
    };
    const onEvent = (event: Told) => this.#hear(event, conversation);
    const feed = new Feed(asking.client, this.#world.journal, followed, { position, onEvent });
    feed.open();
    return feed;
  }

  #hear({ type, message }: Told, conversation: number): void {
    if (type === 'conversation.started') this.#meet(conversation);
    if (type === 'conversation.queued' && this.#accepted.signal.aborted) this.#accepted = new AbortController();
    if (type === 'conversation.closed') this.#closed.abort();
    if (type === 'message.created') this.#shown += 1;
    if (type === 'message.created' && message?.author === 'OPERATOR') this.#reply(conversation).catch(report);
  }

  #meet(conversation: number): void {
    this.#accepted.abort();
    if (this.#wasAccepted) return;
    this.#wasAccepted = true;
    if (this.#plan.closesAfterMs !== null) this.#close(conversation, this.#plan.closesAfterMs).catch(report);
  }

  async #reply(conversation: number): Promise<void> {
    if (this.#said >= this.#plan.answers) return;
    this.#said += 1;
    const { plan, closing } = this.#world;
    await rest(this.#random.between(300, 5000) / plan.options.speed, this.#closed.signal, closing);
    if (!this.#closed.signal.aborted) await this.#writer?.write(conversation);
  }

  async #waitPatiently(conversation: number): Promise<void> {
    const { patienceMs } = this.#plan;
    const { over, journal } = this.#world;
    if (patienceMs === null) return;
    if (!(await rest(patienceMs, this.#accepted.signal, this.#closed.signal, over))) return;
    if (await this.#close(conversation, 0)) {
      if (!this.#wasAccepted) journal.add({ kind: 'left', who: this.who, conversation });
    }
  }

  async #close(conversation: number, afterMs: number): Promise<boolean> {
    const { over } = this.#world;
    if (afterMs > 0 && !(await rest(afterMs, this.#closed.signal, over))) return false;
    const answer = await this.#asking?.ask({
      ...{ operation: 'conversationClose', query: documents.CONVERSATION_CLOSE, doneIf: 'STATE' },
      ...{ variables: { input: { id: String(conversation) } }, conversation },
    });
    return answer?.outcome === 'done';
  }

  async #loseConnection(feed: Feed): Promise<void> {
    const { dropAfterMs } = this.#plan;
    const { over } = this.#world;
    if (dropAfterMs === null || !(await rest(dropAfterMs, this.#closed.signal, over))) return;
    await feed.end('cut');
    await rest(this.#random.between(100, 3000));
    feed.open();
  }

  async #untilClosed(): Promise<void> {
    await ended(this.#closed.signal, this.#world.over);
  }

  async #rate(conversationId: number): Promise<void> {
    const note = () => this.#random.whole(1, 5);
    const input = { conversationId: String(conversationId), welcome: note(), resolution: note(), delay: note() };
    await this.#asking?.ask({
      ...{ operation: 'satisfactionAnswer', query: documents.SATISFACTION_ANSWER, doneIf: 'STATE' },
      ...{ variables: { input: { ...input, comment: '' } }, conversation: conversationId },
    });
  }

  async #lookOnceMore(asking: Asking, conversation: number): Promise<void> {
    const answer = await asking.ask<{ state: string; messages: ShownMessage[] }>({
      ...{ operation: 'conversation', query: documents.CONVERSATION, conversation },
      variables: { id: String(conversation) },
    });
    if (answer.outcome !== 'done') return;
    const { state, messages } = answer.data;
    this.#world.journal.add({ kind: 'read', who: this.who, conversation, messages });
    this.#world.journal.add({ kind: 'found', who: this.who, conversation, state });
    await this.#untilShown(state, messages.length);
  }
}

function needName({ channel, website, skill, group, language }: Need): string {
  return [channel, website, skill, group, language].join();
}

function report(error: unknown): void {
  console.error(error);
  process.exitCode = 1;
}
