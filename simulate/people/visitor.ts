import { ApiClient } from '../api-client.ts';
import * as documents from '../documents.ts';
import { Feed } from '../feed.ts';
import { waitBeforeRetry } from '../http-client.ts';
import { type EventReceived, type MessageView, now, type Participant } from '../journal.ts';
import type { Need, VisitorPlan } from '../plan.ts';
import type { Random } from '../random.ts';
import { sleep, waitForAny } from '../time.ts';
import { RESEND_CHANCE, randomText, type SimulationContext } from './context.ts';
import { MessageWriter } from './writer.ts';

const MAX_SESSION_TRIES = 10;
/** Only events that never arrive take this long. */
const EVENTS_TIMEOUT_MS = 60_000;
/** Visitors have other addresses than operators. */
const FIRST_VISITOR_ADDRESS = 1 << 16;

/** A visitor who starts a conversation, waits, chats and leaves. */
export class SimulatedVisitor {
  readonly who: Participant;
  readonly #context: SimulationContext;
  readonly #plan: VisitorPlan;
  readonly #random: Random;
  readonly #closed = new AbortController();
  #api: ApiClient | undefined;
  #writer: MessageWriter | undefined;
  #accepted = new AbortController();
  #wasAccepted = false;
  #replyCount = 0;
  #messageCount = 0;

  constructor(context: SimulationContext, plan: VisitorPlan) {
    this.who = `visitor ${plan.index}`;
    this.#context = context;
    this.#plan = plan;
    this.#random = context.random.fork(`on the page ${plan.index}`);
  }

  async visit(): Promise<void> {
    const { closing, elapsed, over, journal } = this.#context;
    if (!(await sleep(this.#plan.arriveMs - elapsed(), closing))) return;
    const api = await this.#openSession();
    if (!api) return;
    this.#api = api;
    this.#writer = new MessageWriter(api, journal, this.who, this.#random.fork('words'));
    const position = await api.execute<string>({ operation: 'eventPosition', query: documents.EVENT_POSITION });
    if (position.outcome !== 'done') return;
    const conversation = await this.#start(api, this.#writer);
    if (conversation === undefined) return;
    const feed = this.#subscribe(api, conversation, Number(position.data));
    await Promise.all([
      this.#leaveWhenImpatient(conversation),
      this.#dropConnectionOnce(feed),
      this.#waitUntilClosed(),
    ]);
    if (this.#closed.signal.aborted && this.#wasAccepted && this.#plan.answersSurvey)
      await this.#answerSurvey(conversation);
    if (over.aborted) await sleep(this.#random.between(0, 500)); // not all at the same time
    await this.#recordFinalState(api, conversation);
    await feed.end('finished');
  }

  /** Waits until the stream has delivered all messages and the close. */
  async #waitForAllEvents(state: string, messages: number): Promise<void> {
    const deadline = performance.now() + EVENTS_TIMEOUT_MS;
    const isComplete = () => this.#messageCount >= messages && (state !== 'CLOSED' || this.#closed.signal.aborted);
    while (!isComplete() && performance.now() < deadline) await sleep(20);
  }

  /** Opens a session as the widget does. */
  async #openSession(): Promise<ApiClient | undefined> {
    const { client, setup, journal } = this.#context;
    const httpClient = client.forParticipant(FIRST_VISITOR_ADDRESS + this.#plan.index);
    const { website, language } = this.#plan.need;
    const body = JSON.stringify({ websiteId: setup.websites[website], language });
    const askedAt = now();
    let unanswered = 0;
    const earlier: string[] = [];
    for (let tries = 1; ; tries += 1) {
      const reply = await httpClient.post({ path: '/visitor/session', body });
      if ('noAnswer' in reply && reply.sent) unanswered += 1;
      const token = 'body' in reply && reply.status === 201 ? (reply.body?.token as string | undefined) : undefined;
      const isRetryable = 'noAnswer' in reply || reply.status === 429 || reply.status === 503;
      if (token === undefined && isRetryable && tries < MAX_SESSION_TRIES) {
        if ('noAnswer' in reply) httpClient.switchNode();
        earlier.push('noAnswer' in reply ? reply.noAnswer : `HTTP ${reply.status}`);
        await waitBeforeRetry(reply, tries);
        continue;
      }
      const code = token ? null : 'noAnswer' in reply ? reply.noAnswer : `HTTP ${reply.status}`;
      const outcome = token ? 'done' : 'noAnswer' in reply ? 'unknown' : 'failed';
      journal.add({
        ...{ kind: 'answered', who: this.who, operation: 'session', askedAt, outcome, code, tries, unanswered },
        conversation: null,
        ...(earlier.length > 0 && { earlier }),
      });
      return token ? new ApiClient(httpClient, journal, this.who, { path: documents.VISITOR_PATH, token }) : undefined;
    }
  }

  async #start(api: ApiClient, writer: MessageWriter): Promise<number | undefined> {
    const { journal, setup } = this.#context;
    const { channel, skill, group, language } = this.#plan.need;
    const text = channel === 'chat' ? randomText(this.#random) : undefined;
    const clientId = writer.nextClientId();
    const input = {
      channel: channel.toUpperCase(),
      ...(skill === null ? {} : { skillId: setup.skills[skill] }),
      ...(group === null ? {} : { groupId: setup.groups[group] }),
      ...(text === undefined ? {} : { message: text }),
      ...{ language, clientId },
    };
    const askedAt = now();
    const send = () =>
      api.execute<{ conversation: { id: string; createdAt: string } }>({
        operation: 'conversationStart',
        query: documents.CONVERSATION_START,
        variables: { input },
      });
    const [result] = await (this.#random.chance(RESEND_CHANCE) ? Promise.all([send(), send()]) : Promise.all([send()]));
    if (result.outcome !== 'done') return undefined;
    const conversation = Number(result.data.conversation.id);
    journal.add({
      ...{ kind: 'started', who: this.who, conversation, askedAt, channel, need: needKey(this.#plan.need) },
      createdAt: Date.parse(result.data.conversation.createdAt),
    });
    if (text !== undefined) {
      const message = { sequence: 1, clientId, author: 'VISITOR', text };
      journal.add({ kind: 'sent', who: this.who, conversation, message });
    }
    return conversation;
  }

  #subscribe(api: ApiClient, conversation: number, position: number): Feed {
    const subscription = {
      ...{ who: this.who, path: documents.VISITOR_PATH, token: api.token, conversation },
      ...{ operation: 'conversationEvents', query: documents.CONVERSATION_EVENTS },
      variables: { id: String(conversation) },
    };
    const onEvent = (event: EventReceived) => this.#onEvent(event, conversation);
    const feed = new Feed(api.client, this.#context.journal, subscription, { position, onEvent });
    feed.open();
    return feed;
  }

  #onEvent({ type, message }: EventReceived, conversation: number): void {
    if (type === 'conversation.started') this.#onAccepted(conversation);
    if (type === 'conversation.queued' && this.#accepted.signal.aborted) this.#accepted = new AbortController();
    if (type === 'conversation.closed') this.#closed.abort();
    if (type === 'message.created') this.#messageCount += 1;
    if (type === 'message.created' && message?.author === 'OPERATOR') this.#reply(conversation).catch(reportError);
  }

  #onAccepted(conversation: number): void {
    this.#accepted.abort();
    if (this.#wasAccepted) return;
    this.#wasAccepted = true;
    if (this.#plan.closesAfterMs !== null) this.#close(conversation, this.#plan.closesAfterMs).catch(reportError);
  }

  async #reply(conversation: number): Promise<void> {
    if (this.#replyCount >= this.#plan.maxReplies) return;
    this.#replyCount += 1;
    const { plan, closing } = this.#context;
    await sleep(this.#random.between(300, 5000) / plan.options.speed, this.#closed.signal, closing);
    if (!this.#closed.signal.aborted) await this.#writer?.send(conversation);
  }

  async #leaveWhenImpatient(conversation: number): Promise<void> {
    const { patienceMs } = this.#plan;
    const { over, journal } = this.#context;
    if (patienceMs === null) return;
    if (!(await sleep(patienceMs, this.#accepted.signal, this.#closed.signal, over))) return;
    if (await this.#close(conversation, 0)) {
      if (!this.#wasAccepted) journal.add({ kind: 'left', who: this.who, conversation });
    }
  }

  async #close(conversation: number, afterMs: number): Promise<boolean> {
    const { over } = this.#context;
    if (afterMs > 0 && !(await sleep(afterMs, this.#closed.signal, over))) return false;
    const result = await this.#api?.execute({
      ...{ operation: 'conversationClose', query: documents.CONVERSATION_CLOSE, alreadyDoneCode: 'STATE' },
      ...{ variables: { input: { id: String(conversation) } }, conversation },
    });
    return result?.outcome === 'done';
  }

  async #dropConnectionOnce(feed: Feed): Promise<void> {
    const { dropAfterMs } = this.#plan;
    const { over } = this.#context;
    if (dropAfterMs === null || !(await sleep(dropAfterMs, this.#closed.signal, over))) return;
    await feed.end('cut');
    await sleep(this.#random.between(100, 3000));
    feed.open();
  }

  async #waitUntilClosed(): Promise<void> {
    await waitForAny(this.#closed.signal, this.#context.over);
  }

  async #answerSurvey(conversationId: number): Promise<void> {
    const score = () => this.#random.integer(1, 5);
    const input = { conversationId: String(conversationId), welcome: score(), resolution: score(), delay: score() };
    await this.#api?.execute({
      ...{ operation: 'satisfactionAnswer', query: documents.SATISFACTION_ANSWER, alreadyDoneCode: 'STATE' },
      ...{ variables: { input: { ...input, comment: '' } }, conversation: conversationId },
    });
  }

  async #recordFinalState(api: ApiClient, conversation: number): Promise<void> {
    const result = await api.execute<{ state: string; messages: MessageView[] }>({
      ...{ operation: 'conversation', query: documents.CONVERSATION, conversation },
      variables: { id: String(conversation) },
    });
    if (result.outcome !== 'done') return;
    const { state, messages } = result.data;
    this.#context.journal.add({ kind: 'read', who: this.who, conversation, messages });
    this.#context.journal.add({ kind: 'found', who: this.who, conversation, state });
    await this.#waitForAllEvents(state, messages.length);
  }
}

function needKey({ channel, website, skill, group, language }: Need): string {
  return [channel, website, skill, group, language].join();
}

function reportError(error: unknown): void {
  console.error(error);
  process.exitCode = 1;
}
