import type { ApiClient } from '../api-client.ts';
import * as documents from '../documents.ts';
import { Feed } from '../feed.ts';
import { type EventReceived, type MessageView, now, type Participant } from '../journal.ts';
import type { Need, VisitorPlan } from '../plan.ts';
import type { Random } from '../random.ts';
import { Gate, sleep, waitForAbort } from '../time.ts';
import { RESEND_CHANCE, randomText, type SimulationContext } from './context.ts';
import { uploadFile } from './files.ts';
import { openSession } from './session.ts';
import { MessageWriter } from './writer.ts';

/** Only events that never arrive take this long. */
const EVENTS_TIMEOUT_MS = 60_000;

/** A visitor who starts a conversation, waits, chats and leaves. */
export class SimulatedVisitor {
  readonly participant: Participant;
  readonly #context: SimulationContext;
  readonly #plan: VisitorPlan;
  readonly #random: Random;
  readonly #closed = new AbortController();
  /** Open while the page is. Without it the visitor sends nothing. */
  readonly #page = new Gate();
  #api: ApiClient | undefined;
  #writer: MessageWriter | undefined;
  #accepted = new AbortController();
  #wasAccepted = false;
  #replyCount = 0;
  #messageCount = 0;

  constructor(context: SimulationContext, plan: VisitorPlan) {
    this.participant = `visitor ${plan.index}`;
    this.#context = context;
    this.#plan = plan;
    this.#random = context.random.fork(`on the page ${plan.index}`);
  }

  async visit(): Promise<void> {
    const { closing, elapsed, over, journal } = this.#context;
    if (!(await sleep(this.#plan.arriveMs - elapsed(), closing))) return;
    const api = await openSession(this.#context, this.#plan, this.participant);
    if (!api) return;
    this.#api = api;
    this.#writer = new MessageWriter(api, journal, this.participant, this.#random.fork('words'));
    const position = await api.execute<string>({ operation: 'eventPosition', query: documents.EVENT_POSITION });
    if (position.outcome !== 'done') return;
    const conversation = await this.#start(api, this.#writer);
    if (conversation === undefined) return;
    const feed = this.#subscribe(api, conversation, position.data);
    this.#page.open();
    await Promise.all([
      this.#closePageOnce(feed),
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

  async #start(api: ApiClient, writer: MessageWriter): Promise<number | undefined> {
    const { journal, setup, plan } = this.#context;
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
    const requestedAt = now();
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
      kind: 'conversation_started',
      participant: this.participant,
      conversation,
      requestedAt,
      channel,
      need: needKey(this.#plan.need),
      absenceMinutes: plan.options.absenceMinutes,
      createdAt: Date.parse(result.data.conversation.createdAt),
    });
    if (text !== undefined) {
      const message = { sequence: 1, clientId, author: 'VISITOR', text };
      journal.add({ kind: 'message_sent', participant: this.participant, conversation, message });
    }
    return conversation;
  }

  #subscribe(api: ApiClient, conversation: number, position: string): Feed {
    const subscription = {
      ...{ participant: this.participant, path: documents.VISITOR_PATH, token: api.token, conversation },
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
    if (type === 'message.created' && message?.author === 'OPERATOR') {
      this.#reply(conversation).catch(reportError);
      if (this.#plan.marksAsRead) this.#markAsRead(conversation, message.sequence).catch(reportError);
    }
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
    const thinkingMs = this.#random.between(300, 5000) / plan.options.speed;
    const types = this.#random.fork(`typing ${this.#replyCount}`).chance(plan.options.typing);
    await sleep(types ? thinkingMs / 2 : thinkingMs, this.#closed.signal, closing);
    if (types && (await this.#isConversing())) {
      const input = { conversationId: String(conversation) };
      await this.#api?.execute({ operation: 'typing', query: documents.TYPING, variables: { input }, conversation });
      await sleep(thinkingMs / 2, this.#closed.signal, closing);
    }
    if (!(await this.#isConversing()) || !this.#api) return;
    const files = this.#random.fork(`file ${this.#replyCount}`);
    const file = files.chance(plan.options.files) ? await uploadFile(this.#api, conversation, files) : undefined;
    await this.#writer?.send(conversation, file);
  }

  /** Waits for the visitor to be on the page. */
  async #isConversing(): Promise<boolean> {
    await this.#page.waitUntilOpen();
    return !this.#closed.signal.aborted;
  }

  async #markAsRead(conversation: number, upTo: number): Promise<void> {
    await this.#page.waitUntilOpen();
    const result = await this.#api?.execute({
      ...{ operation: 'conversationRead', query: documents.CONVERSATION_READ, conversation },
      variables: { input: { id: String(conversation), upTo } },
    });
    const isAcknowledged = result?.outcome === 'done';
    const { participant } = this;
    this.#context.journal.add({ kind: 'read_marked', participant, conversation, upTo, isAcknowledged });
  }

  async #leaveWhenImpatient(conversation: number): Promise<void> {
    const { patienceMs } = this.#plan;
    const { over, journal } = this.#context;
    if (patienceMs === null) return;
    if (!(await sleep(patienceMs, this.#accepted.signal, this.#closed.signal, over))) return;
    if (!this.#page.isOpen) return;
    if (await this.#close(conversation, 0)) {
      if (!this.#wasAccepted)
        journal.add({ kind: 'conversation_abandoned', participant: this.participant, conversation });
    }
  }

  async #close(conversation: number, afterMs: number): Promise<boolean> {
    const { over } = this.#context;
    if (afterMs > 0 && !(await sleep(afterMs, this.#closed.signal, over))) return false;
    if (!this.#page.isOpen) return false;
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
    if (!this.#page.isOpen) return;
    await feed.end('cut');
    await sleep(this.#random.between(100, 3000));
    if (this.#page.isOpen) feed.open();
  }

  /** Visitors who do not return in time come back at the end, to see what became of their conversation. */
  async #closePageOnce(feed: Feed): Promise<void> {
    const { departure } = this.#plan;
    const { over } = this.#context;
    if (departure === null || !(await sleep(departure.afterMs, this.#closed.signal, over))) return;
    this.#page.close();
    await feed.end('page_closed');
    if (departure.awayMs === null) await waitForAbort(over);
    else await sleep(departure.awayMs, over);
    this.#page.open();
    feed.open();
  }

  async #waitUntilClosed(): Promise<void> {
    await waitForAbort(this.#closed.signal, this.#context.over);
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
    const result = await api.execute<FinalState>({
      ...{ operation: 'conversation', query: documents.CONVERSATION, conversation },
      variables: { id: String(conversation) },
    });
    if (result.outcome !== 'done') return;
    const { state, messages, closedAt: closedAtText, closeReason, unreadCount } = result.data;
    const closedAt = closedAtText === null ? null : Date.parse(closedAtText);
    const { participant } = this;
    const found = { state, closedAt, closeReason, unreadCount, requestedAt: result.requestedAt };
    this.#context.journal.add({ kind: 'messages_read', participant, conversation, messages });
    this.#context.journal.add({ kind: 'final_state_found', participant, conversation, ...found });
    await this.#waitForAllEvents(state, messages.length);
  }
}

/** The conversation as its visitor reads it at the end. */
interface FinalState {
  readonly state: string;
  readonly closedAt: string | null;
  readonly closeReason: string | null;
  readonly unreadCount: number;
  readonly messages: readonly MessageView[];
}

function needKey({ channel, website, skill, group, language }: Need): string {
  return [channel, website, skill, group, language].join();
}

function reportError(error: unknown): void {
  console.error(error);
  process.exitCode = 1;
}
