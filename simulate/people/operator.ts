import { randomUUID } from 'node:crypto';
import { ApiClient } from '../api-client.ts';
import * as documents from '../documents.ts';
import { Feed } from '../feed.ts';
import { type EventReceived, now, type Participant } from '../journal.ts';
import type { Absence, OperatorPlan } from '../plan.ts';
import type { Random } from '../random.ts';
import type { SetupOperator } from '../setup.ts';
import { Gate, sleep, waitForAbort } from '../time.ts';
import type { SimulationContext } from './context.ts';
import { downloadFile } from './files.ts';
import { MessageWriter } from './writer.ts';

const CONNECT_SECONDS = 5;
/** Tolerance for a response in transit. */
const LEASE_SLACK_MS = 3000;
/** For open conversations at the end; only a hanging service needs this long. */
const FINISH_TIMEOUT_MS = 60_000;

/** An operator at a desk: answers offers, writes messages, closes conversations, and disconnects from time to time. */
export class SimulatedOperator {
  readonly participant: Participant;
  readonly #context: SimulationContext;
  readonly #plan: OperatorPlan;
  readonly #id: string;
  readonly #api: ApiClient;
  readonly #token: string;
  readonly #random: Random;
  readonly #writer: MessageWriter;
  /** Offers and conversations of the operator, each with the controller of its ongoing work. */
  readonly #conversations = new Map<number, AbortController>();
  readonly #presence = new Gate();
  readonly #downloads: Promise<void>[] = [];
  #feed: Feed | undefined;

  constructor(context: SimulationContext, plan: OperatorPlan, { id, token }: SetupOperator) {
    const { client, journal } = context;
    this.participant = `operator ${plan.index}`;
    this.#context = context;
    this.#plan = plan;
    this.#id = id;
    this.#token = token;
    this.#random = context.random.fork(`at the desk ${plan.index}`);
    const httpClient = client.forParticipant(plan.index + 1);
    this.#api = new ApiClient(httpClient, journal, this.participant, { path: documents.OPERATOR_PATH, token });
    this.#writer = new MessageWriter(this.#api, journal, this.participant, this.#random.fork('words'));
    const { chatMaxNumber, chatAndCall } = plan;
    journal.add({ kind: 'operator_created', participant: this.participant, chatMaxNumber, chatAndCall });
  }

  /** Runs until all conversations of the operator have ended. */
  async run(): Promise<void> {
    const { closing } = this.#context;
    await sleep(this.#plan.arriveMs, closing);
    await this.#setAvailability(true);
    if (!(await this.#openDesk())) return;
    await Promise.all([this.#runAbsences(), this.#runBreaks()]);
    if (!this.#presence.isOpen) await this.#comeBack();
    await this.#setAvailability(false);
    const deadline = performance.now() + FINISH_TIMEOUT_MS;
    while (this.#conversations.size > 0 && performance.now() < deadline) await sleep(50);
  }

  /** Closes the desk permanently. */
  async closeDesk(): Promise<void> {
    await this.#feed?.end('finished');
    await Promise.all(this.#downloads);
  }

  /** Returns false if the service could not be reached. */
  async #openDesk(): Promise<boolean> {
    const { journal } = this.#context;
    // Read the position first, so that no event before the stream is missed.
    const result = await this.#api.execute<string>({ operation: 'eventPosition', query: documents.EVENT_POSITION });
    if (result.outcome !== 'done') return false;
    const position = result.data;
    const subscription = {
      participant: this.participant,
      path: documents.OPERATOR_PATH,
      token: this.#token,
      conversation: null,
      variables: {},
      ...{ operation: 'deskEvents', query: documents.DESK_EVENTS },
    };
    this.#feed = new Feed(this.#api.client, journal, subscription, {
      position,
      onEvent: (event) => this.#onEvent(event),
    });
    this.#feed.open();
    this.#presence.open();
    return true;
  }

  async #setAvailability(available: boolean): Promise<void> {
    const requestedAt = now();
    const input = Object.fromEntries(this.#plan.channels.map((channel) => [channel, available]));
    const { outcome } = await this.#api.execute({
      operation: 'operatorAvailabilityUpdate',
      query: documents.AVAILABILITY_UPDATE,
      variables: { input },
    });
    // Without a response the operator may be available, but is not known to be unavailable.
    if (available || outcome === 'done')
      this.#context.journal.add({ kind: 'availability_set', participant: this.participant, available, requestedAt });
  }

  async #runAbsences(): Promise<void> {
    const { closing, elapsed } = this.#context;
    for (const absence of this.#plan.absences) {
      if (!(await sleep(absence.atMs - elapsed(), closing))) return;
      await this.#leave(absence);
      await sleep(absence.awayMs, closing);
      await this.#comeBack(absence);
    }
    await waitForAbort(closing);
  }

  async #leave({ how }: Absence): Promise<void> {
    if (how === 'sign_off') {
      const input = { id: this.#id };
      await this.#api.execute({
        operation: 'operatorDisconnect',
        query: documents.OPERATOR_DISCONNECT,
        variables: { input },
      });
    }
    this.#presence.close();
    await this.#feed?.end(how);
  }

  async #comeBack(absence?: Absence): Promise<void> {
    if (absence?.how === 'sign_off') {
      const until = now() + CONNECT_SECONDS * 1000 + LEASE_SLACK_MS;
      this.#context.journal.add({ kind: 'lease_requested', participant: this.participant, until });
      await this.#api.execute({
        operation: 'operatorConnect',
        query: documents.OPERATOR_CONNECT,
        variables: { input: { ttlSeconds: CONNECT_SECONDS } },
      });
    }
    this.#feed?.open();
    this.#presence.open();
  }

  async #runBreaks(): Promise<void> {
    const { closing, elapsed } = this.#context;
    for (const { atMs, lengthMs } of this.#plan.breaks) {
      if (!(await sleep(atMs - elapsed(), closing))) return;
      if (!this.#presence.isOpen) continue;
      await this.#setAvailability(false);
      await sleep(lengthMs, closing);
      if (closing.aborted) return;
      await this.#presence.waitUntilOpen();
      await this.#setAvailability(true);
    }
  }

  #onEvent({ type, conversation, reason, message }: EventReceived): void {
    if (type === 'operator.availability_updated' && reason === 'missed_offers')
      this.#resumeAfterMissedOffers().catch(reportError);
    if (conversation === null) return;
    for (const { id, url } of message?.attachments ?? [])
      if (url !== undefined) this.#downloads.push(this.#download(conversation, id, url));
    if (type === 'conversation.offered') this.#answerOffer(conversation, this.#track(conversation)).catch(reportError);
    if (type === 'conversation.started') this.#handle(conversation, this.#track(conversation)).catch(reportError);
    if (type === 'conversation.queued' || type === 'conversation.closed') this.#untrack(conversation);
  }

  async #download(conversation: number, id: string, url: string): Promise<void> {
    const file = await downloadFile(this.#api.client, url);
    this.#context.journal.add({ kind: 'file_received', participant: this.participant, conversation, id, ...file });
  }

  #track(conversation: number): AbortSignal {
    const controller = this.#conversations.get(conversation) ?? new AbortController();
    this.#conversations.set(conversation, controller);
    return controller.signal;
  }

  #untrack(conversation: number): void {
    this.#conversations.get(conversation)?.abort();
    this.#conversations.delete(conversation);
  }

  /** The service made the operator unavailable; after a moment the operator reacts. */
  async #resumeAfterMissedOffers(): Promise<void> {
    const { closing, plan } = this.#context;
    if (!(await sleep(5000 / plan.options.speed, closing))) return;
    await this.#presence.waitUntilOpen();
    if (!closing.aborted) await this.#setAvailability(true);
  }

  async #answerOffer(conversation: number, ended: AbortSignal): Promise<void> {
    const { closing, plan } = this.#context;
    const { decline, ignore, speed } = plan.options;
    const choice = this.#random.pickWeighted({ accept: 1 - decline - ignore, decline, ignore });
    if (choice === 'ignore') await waitForAbort(ended, closing); // after closing time ignored offers are accepted too
    await sleep(this.#random.between(200, 2500) / speed, ended, closing);
    await this.#presence.waitUntilOpen();
    if (ended.aborted) return;
    const input = { conversationId: String(conversation) };
    if (choice === 'decline' && !closing.aborted) {
      const idempotencyKey = randomUUID();
      await this.#api.execute({
        ...{ operation: 'offerDecline', query: documents.OFFER_DECLINE, idempotencyKey },
        ...{ variables: { input }, conversation },
      });
      return;
    }
    await this.#api.execute({
      ...{ operation: 'offerAccept', query: documents.OFFER_ACCEPT, variables: { input }, conversation },
    });
  }

  async #handle(conversation: number, ended: AbortSignal): Promise<void> {
    const { closing, plan } = this.#context;
    const { handlingMs, speed } = plan.options;
    const handling = (Math.max(0.1, this.#random.exponential(1)) * handlingMs) / speed;
    const messageCount = this.#random.integer(1, 4);
    for (let sent = 0; sent <= messageCount; sent += 1) {
      await sleep(handling / (messageCount + 1), ended, closing);
      if (closing.aborted) await sleep(this.#random.between(0, 500), ended);
      await this.#presence.waitUntilOpen();
      if (ended.aborted) return;
      if (sent < messageCount) await this.#writer.send(conversation);
    }
    await this.#api.execute({
      ...{ operation: 'conversationClose', query: documents.CONVERSATION_CLOSE, idempotencyKey: randomUUID() },
      ...{ variables: { input: { id: String(conversation) } }, conversation },
    });
  }
}

function reportError(error: unknown): void {
  console.error(error);
  process.exitCode = 1;
}
