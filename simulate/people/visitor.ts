import { ApiClient } from '../api-client.ts';
import * as documents from '../documents.ts';
import { Feed } from '../feed.ts';
import { waitBeforeRetry } from '../http-client.ts';
import { type EventReceived, type MessageView, now, type Participant } from '../journal.ts';
import type { Need, VisitorPlan } from '../plan.ts';
import type { Random } from '../random.ts';
import { sleep, waitForAbort } from '../time.ts';
import { RESEND_CHANCE, randomText, type SimulationContext } from './context.ts';
import { MessageWriter } from './writer.ts';

const MAX_SESSION_ATTEMPTS = 10;
/** Only events that never arrive take this long. */
const EVENTS_TIMEOUT_MS = 60_000;
/** Visitors have other addresses than operators. */
const FIRST_VISITOR_ADDRESS = 1 << 16;

/** A visitor who starts a conversation, waits, chats and leaves. */
export class SimulatedVisitor {
  readonly participant: Participant;
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
    this.participant = `visitor ${plan.index}`;
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
    this.#writer = new MessageWriter(api, journal, this.participant, this.#random.fork('words'));
    const position = await api.execute<string>({ operation: 'eventPosition', query: documents.EVENT_POSITION });
    if (position.outcome !== 'done') return;
    const conversation = await this.#start(api, this.#writer);
    if (conversation === undefined) return;
    const feed = this.#subscribe(api, conversation, position.data);
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
    const requestedAt = now();
    let attemptsWithoutResponse = 0;
    const earlierCodes: string[] = [];
    for (let attempts = 1; ; attempts += 1) {
      const reply = await httpClient.post({ path: '/visitor/session', body });
      if ('noResponse' in reply && reply.sent) attemptsWithoutResponse += 1;
      const token = 'body' in reply && reply.status === 201 ? (reply.body?.token as string | undefined) : undefined;
      const isRetryable = 'noResponse' in reply || reply.status === 429 || reply.status === 503;
      if (token === undefined && isRetryable && attempts < MAX_SESSION_ATTEMPTS) {
        if ('noResponse' in reply) httpClient.switchNode();
        earlierCodes.push('noResponse' in reply ? reply.noResponse : `HTTP ${reply.status}`);
        await waitBeforeRetry(reply, attempts);
        continue;
      }
      const code = token ? null : 'noResponse' in reply ? reply.noResponse : `HTTP ${reply.status}`;
      const outcome = token ? 'done' : 'noResponse' in reply ? 'unknown' : 'failed';
      journal.add({
        kind: 'request_completed',
        participant: this.participant,
        operation: 'session',
        requestedAt,
        outcome,
        code,
        attempts,
        attemptsWithoutResponse,
        conversation: null,
        ...(earlierCodes.length > 0 && { earlierCodes }),
      });
      return token
        ? new ApiClient(httpClient, journal, this.participant, { path: documents.VISITOR_PATH, token })
        : undefined;
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
      if (!this.#wasAccepted)
        journal.add({ kind: 'conversation_abandoned', participant: this.participant, conversation });
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
    const result = await api.execute<{ state: string; messages: MessageView[] }>({
      ...{ operation: 'conversation', query: documents.CONVERSATION, conversation },
      variables: { id: String(conversation) },
    });
    if (result.outcome !== 'done') return;
    const { state, messages } = result.data;
    this.#context.journal.add({ kind: 'messages_read', participant: this.participant, conversation, messages });
    this.#context.journal.add({ kind: 'final_state_found', participant: this.participant, conversation, state });
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
