import type { ConversationStart } from '../../../src/core/engine/conversations/start.ts';
import { connect, disconnect } from '../../../src/core/engine/presence/presence.ts';
import type { Conversation } from '../../../src/core/engine/records/conversation.ts';
import type { Caller, Transact, VisitorCaller } from '../../../src/core/kernel/caller.ts';
import { CHANNELS, type Channel } from '../../../src/core/kernel/channels.ts';
import type { OperatorCreate } from '../../../src/core/operators/operator.ts';
import { findBrokenInvariants } from '../../../src/core/upkeep/invariants.ts';
import type { OpenInstallation } from '../databases/databases.ts';

/** An account with a website, to which operators and visitors come: the engine itself, without protocols around it. */
export class World {
  readonly installation: OpenInstallation;
  readonly transact: Transact;
  websiteId = 0;
  #people = 0;

  constructor(installation: OpenInstallation) {
    this.installation = installation;
    this.transact = (work) => installation.database.transaction(work, installation.accountId);
  }

  static async on(open: () => Promise<OpenInstallation>): Promise<World> {
    const world = new World(await open());
    world.websiteId = await world.website();
    return world;
  }

  get accountId(): number {
    return this.installation.accountId;
  }

  async website(): Promise<number> {
    this.#people += 1;
    const input = { url: `https://site${this.#people}.example`, label: `Site ${this.#people}` };
    return (await this.installation.websites.create(this.transact, this.installation.caller, input)).id;
  }

  async skill(parentId: number | null = null): Promise<number> {
    this.#people += 1;
    const input = { name: `Skill ${this.#people}`, parentId };
    return (await this.installation.skills.create(this.transact, this.installation.caller, input)).id;
  }

  async group(parentId: number | null = null): Promise<number> {
    this.#people += 1;
    const input = { name: `Group ${this.#people}`, parentId };
    return (await this.installation.groups.create(this.transact, this.installation.caller, input)).id;
  }

  /** An operator who wants the channels that are enabled for them, connected unless they are said to be away. */
  async operator(more: Partial<OperatorCreate> = {}, { away = false } = {}): Promise<number> {
    const { operators, live, caller } = this.installation;
    this.#people += 1;
    const input = { name: `Operator ${this.#people}`, email: `operator${this.#people}@example.com`, ...more };
    const operator = await operators.create(this.transact, caller, input);
    const wanted = CHANNELS.filter((channel) => operator[`${channel}Enabled`]);
    const flags = Object.fromEntries(wanted.map((channel) => [channel, { available: true }]));
    if (wanted.length > 0) await live.update(this.transact, this.as(operator.id), operator.id, flags);
    if (!away) await this.connect(operator.id);
    return operator.id;
  }

  as(operatorId: number, standing: Caller['accessLevel'] = 'operator'): Caller {
    return {
      accountId: this.accountId,
      actor: { type: 'operator', id: operatorId },
      canWrite: true,
      accessLevel: standing,
      operatorId,
      managedGroups: standing === 'admin' || standing === 'manager' ? 'account' : new Set(),
    };
  }

  connect(operatorId: number, leaseId = 'desk', seconds = 3600): Promise<void> {
    return this.transact((tx) => connect(tx, this.as(operatorId), { operatorId, leaseId, seconds }));
  }

  disconnect(operatorId: number, by: Caller = this.as(operatorId)): Promise<void> {
    return this.transact((tx) => disconnect(tx, by, operatorId));
  }

  setAvailable(operatorId: number, channel: Channel, available: boolean): Promise<unknown> {
    const { live } = this.installation;
    return live.update(this.transact, this.as(operatorId), operatorId, { [channel]: { available } });
  }

  async visitor(websiteId = this.websiteId): Promise<VisitorCaller> {
    const { accountId } = this;
    this.#people += 1;
    const id = this.#people;
    await this.transact((tx) =>
      tx.db
        .insertInto('visitors')
        .values({
          ...{ accountId, id, uniqueId: `visitor-${id}`, externalId: null, lastname: '', firstname: '', address: '' },
          ...{ city: '', zip: '', country: '', phone: '', email: '', browser: '', createdAt: tx.now },
          websiteList: JSON.stringify([websiteId]),
        })
        .execute(),
    );
    return { accountId, visitorId: id, websiteId, language: 'en', actor: { type: 'visitor', id } };
  }

  /** A new visitor starts a conversation. */
  async start(input: Partial<ConversationStart> = {}, visitor?: VisitorCaller): Promise<Conversation> {
    const who = visitor ?? (await this.visitor());
    return this.installation.conversations.start(this.transact, who, { channel: 'chat', ...input });
  }

  accept(conversation: Pick<Conversation, 'id' | 'operatorId'>): Promise<Conversation> {
    const { conversations } = this.installation;
    return conversations.accept(this.transact, this.as(conversation.operatorId ?? 0), conversation.id);
  }

  decline(conversation: Pick<Conversation, 'id' | 'operatorId'>): Promise<Conversation> {
    const { conversations } = this.installation;
    return conversations.decline(this.transact, this.as(conversation.operatorId ?? 0), conversation.id);
  }

  close(conversation: Pick<Conversation, 'id' | 'operatorId'>): Promise<Conversation> {
    const { conversations } = this.installation;
    return conversations.close(this.transact, this.as(conversation.operatorId ?? 0), conversation.id);
  }

  async conversation(id: number): Promise<Conversation> {
    const found = await this.installation.conversationQuery.find(this.accountId, id);
    if (!found) throw new Error(`There is no conversation ${id}.`);
    return found;
  }

  liveRow(operatorId: number) {
    return this.installation.database.read
      .selectFrom('operatorLive')
      .selectAll()
      .where('accountId', '=', this.accountId)
      .where('operatorId', '=', operatorId)
      .executeTakeFirstOrThrow();
  }

  async live(operatorId: number) {
    const [found] = await this.installation.live.states(this.accountId, [operatorId]);
    if (!found) throw new Error(`There is no operator ${operatorId}.`);
    return found.state;
  }

  /** Types of the events after a position, in order. */
  async eventsAfter(position: number) {
    const rows = await this.installation.database.read
      .selectFrom('events')
      .selectAll()
      .where('accountId', '=', this.accountId)
      .where('position', '>', position)
      .orderBy('position')
      .execute();
    return rows.map((row) => ({ ...row, changes: JSON.parse(row.changes) }));
  }

  position(): Promise<number> {
    return this.installation.events.log.position(this.accountId);
  }

  history(operatorId: number) {
    return this.installation.database.read
      .selectFrom('liveHistory')
      .selectAll()
      .where('accountId', '=', this.accountId)
      .where('operatorId', '=', operatorId)
      .orderBy('version')
      .execute();
  }

  /** Lets time pass, and the clockwork notice it. */
  async pass(milliseconds: number): Promise<void> {
    this.installation.clock.advance(milliseconds);
    await this.installation.scheduler.tick();
  }

  /** What `doctor` finds wrong. */
  async brokenInvariants(): Promise<string[]> {
    const reports = await findBrokenInvariants(this.installation.database);
    return reports.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));
  }

  end(): Promise<void> {
    return this.installation.end();
  }
}
