import { OFFER_PAUSE_MS } from '../../../src/core/engine/records/pauses.ts';
import { type Candidate, chooseOperator, type ResolvedNeed } from '../../../src/core/engine/routing/choose-operator.ts';
import { MAX_MISSED_OFFERS } from '../../../src/core/engine/routing/offers.ts';
import { LOST_OPERATOR_TIMEOUT_MS } from '../../../src/core/engine/scheduler/scheduler.ts';
import { CHANNELS, type Channel } from '../../../src/core/kernel/channels.ts';
import { computeChannelLive, type LiveState } from '../../../src/core/live/capacity.ts';

const OFFER_MS = 30_000;

export interface ModelOperator {
  readonly id: number;
  readonly languages: readonly string[];
  readonly chatAndCall: boolean;
  readonly priority: number;
  connected: boolean;
  chatMaximum: number;
  readonly slots: Record<Channel, number>;
  readonly available: Record<Channel, boolean>;
  readonly missed: Record<Channel, number>;
  assignedAt: number;
  lostAt: number | null;
}

export interface ModelConversation {
  readonly id: number;
  readonly channel: Channel;
  readonly language: string;
  readonly visitor: number;
  readonly createdAt: number;
  order: number;
  state: 'queued' | 'offered' | 'active' | 'closed';
  operatorId: number | null;
  offerUntil: number;
  readonly pauses: Map<number, number>;
  /** Whether routing passes over it because its visitor is absent. */
  isPassedOver: boolean;
}

/** A sequential in-memory model of the engine's rules; the real engine must behave the same. */
export class Model {
  now = 0;
  readonly operators: ModelOperator[];
  readonly conversations: ModelConversation[] = [];
  readonly servedLast = new Map<number, number>();
  readonly absent = new Set<number>();
  /** Assignments that exceeded a maximum: must stay empty. */
  readonly exceeded: string[] = [];

  constructor(
    operators: readonly Pick<ModelOperator, 'id' | 'languages' | 'chatAndCall' | 'priority' | 'chatMaximum'>[],
  ) {
    this.operators = operators.map((operator) => ({
      ...operator,
      connected: false,
      slots: { chat: 0, call: 0, video: 0 },
      available: { chat: true, call: true, video: true },
      missed: { chat: 0, call: 0, video: 0 },
      assignedAt: 0,
      lostAt: null,
    }));
  }

  start(channel: Channel, language: string, visitor: number): ModelConversation {
    this.return(visitor); // who asks is present
    const conversation: ModelConversation = {
      ...{ id: this.conversations.length + 1, channel, language, visitor, createdAt: this.now, order: this.now },
      ...{ state: 'queued', operatorId: null, offerUntil: 0, pauses: new Map(), isPassedOver: false },
    };
    this.conversations.push(conversation);
    this.route(conversation);
    return conversation;
  }

  accept(conversation: ModelConversation): void {
    if (conversation.state !== 'offered' || conversation.offerUntil <= this.now) return;
    conversation.state = 'active';
    this.#operator(conversation).missed[conversation.channel] = 0;
    this.servedLast.set(conversation.visitor, conversation.operatorId as number);
  }

  decline(conversation: ModelConversation): void {
    if (conversation.state !== 'offered') return;
    this.#operator(conversation).missed[conversation.channel] = 0;
    this.#requeue(conversation, { pause: true });
  }

  close(conversation: ModelConversation): void {
    if (conversation.state === 'closed') return;
    const operator = conversation.operatorId === null ? undefined : this.#operator(conversation);
    conversation.state = 'closed';
    conversation.pauses.clear();
    if (!operator) return;
    operator.slots[conversation.channel] -= 1;
    this.drainForOperator(operator);
  }

  leave(visitor: number): void {
    const open = this.#findOpen(visitor);
    if (this.absent.has(visitor) || open.length === 0) return;
    this.absent.add(visitor);
    for (const conversation of open) if (conversation.state === 'queued') conversation.isPassedOver = true;
    for (const conversation of open) if (conversation.state === 'offered') this.#requeue(conversation, {});
  }

  return(visitor: number): void {
    if (!this.absent.delete(visitor)) return;
    const waiting = this.#findOpen(visitor).filter(({ state, isPassedOver }) => state === 'queued' && isPassedOver);
    for (const conversation of waiting.sort((a, b) => a.order - b.order)) {
      conversation.isPassedOver = false;
      this.route(conversation);
    }
  }

  #findOpen(visitor: number): ModelConversation[] {
    return this.conversations.filter(
      (conversation) => conversation.visitor === visitor && conversation.state !== 'closed',
    );
  }

  connect(operator: ModelOperator): void {
    if (operator.connected) return;
    operator.connected = true;
    operator.lostAt = null;
    this.drainForOperator(operator);
  }

  disconnect(operator: ModelOperator): void {
    if (!operator.connected) return;
    operator.connected = false;
    const held = this.#findHeld(operator);
    operator.lostAt = held.some(({ state }) => state === 'active') ? this.now : null;
    for (const conversation of held) if (conversation.state === 'offered') this.#requeue(conversation, {});
  }

  setAvailable(operator: ModelOperator, channel: Channel, available: boolean): void {
    if (operator.available[channel] === available) return;
    operator.available[channel] = available;
    operator.missed[channel] = 0;
    if (available) this.drainForOperator(operator);
  }

  setMaximum(operator: ModelOperator, maximum: number): void {
    if (operator.chatMaximum === maximum) return;
    operator.chatMaximum = maximum;
    this.drainForOperator(operator);
  }

  advanceTime(milliseconds: number): void {
    this.now += milliseconds;
    const expired = this.conversations.filter(({ state, offerUntil }) => state === 'offered' && offerUntil <= this.now);
    for (const conversation of expired.sort((a, b) => a.offerUntil - b.offerUntil)) this.#expireOffer(conversation);
    const lost = this.operators.filter(
      ({ lostAt }) => lostAt !== null && lostAt <= this.now - LOST_OPERATOR_TIMEOUT_MS,
    );
    for (const operator of lost.sort((a, b) => (a.lostAt ?? 0) - (b.lostAt ?? 0))) {
      operator.lostAt = null;
      for (const conversation of this.#findHeld(operator)) this.#requeue(conversation, { atHead: true });
    }
    const resumed = new Set<ModelOperator>();
    for (const { pauses } of this.conversations) {
      for (const [id, until] of pauses) {
        if (until > this.now) continue;
        pauses.delete(id);
        resumed.add(this.operators.find((operator) => operator.id === id) as ModelOperator);
      }
    }
    for (const operator of [...resumed].sort((a, b) => a.id - b.id)) this.drainForOperator(operator);
  }

  route(conversation: ModelConversation): boolean {
    const { channel, language } = conversation;
    const need: ResolvedNeed = { channel, language, websiteId: 1, skills: null, groups: null };
    const candidates = this.operators.map((operator) => this.#toCandidate(operator, conversation));
    const [best] = chooseOperator(need, candidates, { lowestPriorityFirst: false }).ranked;
    if (!best) return false;
    const operator = this.operators.find(({ id }) => id === best.operatorId) as ModelOperator;
    if (!computeChannelLive(this.#toLiveState(operator), channel).routable)
      this.exceeded.push(`${operator.id} ${channel}`);
    operator.slots[channel] += 1;
    operator.assignedAt = this.now;
    Object.assign(conversation, { state: 'offered', operatorId: operator.id, offerUntil: this.now + OFFER_MS });
    return true;
  }

  drainForOperator(operator: ModelOperator): void {
    for (;;) {
      const state = this.#toLiveState(operator);
      const routable = CHANNELS.filter((channel) => computeChannelLive(state, channel).routable);
      const [next] = this.conversations
        .filter(({ state: conversationState, channel, language, pauses, isPassedOver }) => {
          const isPaused = (pauses.get(operator.id) ?? 0) > this.now;
          return (
            conversationState === 'queued' &&
            !isPassedOver &&
            routable.includes(channel) &&
            operator.languages.includes(language) &&
            !isPaused
          );
        })
        .sort((a, b) => a.order - b.order || a.id - b.id);
      if (!next || !this.route(next)) return;
    }
  }

  #expireOffer(conversation: ModelConversation): void {
    if (conversation.state !== 'offered' || conversation.offerUntil > this.now) return;
    const operator = this.#operator(conversation);
    const { channel } = conversation;
    operator.missed[channel] += 1;
    if (operator.missed[channel] >= MAX_MISSED_OFFERS && operator.available[channel]) {
      operator.available[channel] = false;
      operator.missed[channel] = 0;
    }
    this.#requeue(conversation, { pause: true });
  }

  #requeue(conversation: ModelConversation, { pause = false, atHead = false }): void {
    const operator = this.#operator(conversation);
    if (pause) conversation.pauses.set(operator.id, this.now + OFFER_PAUSE_MS);
    operator.slots[conversation.channel] -= 1;
    const order = atHead ? conversation.createdAt - 1e13 : conversation.createdAt;
    const isPassedOver = this.absent.has(conversation.visitor);
    Object.assign(conversation, { state: 'queued', operatorId: null, order, isPassedOver });
    if (!isPassedOver) this.route(conversation);
    this.drainForOperator(operator);
  }

  #operator({ operatorId }: ModelConversation): ModelOperator {
    return this.operators.find(({ id }) => id === operatorId) as ModelOperator;
  }

  #findHeld({ id }: ModelOperator): ModelConversation[] {
    return this.conversations.filter(
      ({ operatorId, state }) => operatorId === id && (state === 'offered' || state === 'active'),
    );
  }

  #toLiveState({ connected, chatAndCall, chatMaximum, slots, available }: ModelOperator): LiveState {
    const channel = (name: Channel) => ({
      ...{ enabled: true, available: available[name], slots: slots[name] },
      maximum: name === 'chat' ? chatMaximum : 1,
    });
    return {
      connected,
      inGrace: false,
      chatAndCall,
      chat: channel('chat'),
      call: channel('call'),
      video: channel('video'),
    };
  }

  #toCandidate(operator: ModelOperator, { visitor, pauses }: ModelConversation): Candidate {
    return {
      operatorId: operator.id,
      state: this.#toLiveState(operator),
      websites: [1],
      skills: [],
      groupId: null,
      languages: operator.languages,
      priority: operator.priority,
      assignedAt: operator.assignedAt,
      servedLast: this.servedLast.get(visitor) === operator.id,
      isOfferPaused: (pauses.get(operator.id) ?? 0) > this.now,
    };
  }
}
