import type { Selectable } from 'kysely';
import type { Database } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import { fold } from '../../kernel/text.ts';
import { collectSubtree, listAncestors } from '../../kernel/tree.ts';
import { type ChannelLive, computeChannelLive } from '../../live/capacity.ts';
import { computePresence, type LiveRow } from '../../live/live.ts';
import type { Conversation } from '../records/conversation.ts';
import { toCandidate } from './candidates.ts';
import { type Candidate, findObstacles, type Obstacle, type ResolvedNeed } from './choose-operator.ts';

/** Of each kind. */
export const MAX_TARGETS = 100;

export interface OperatorTarget extends Pick<ChannelLive, 'routable' | 'blockedBy'> {
  readonly operatorId: number;
  readonly slotNumber: number;
  readonly slotMaxNumber: number;
  /** What keeps routing from choosing them. A transfer to the operator by name needs only `routable`. */
  readonly obstacles: readonly Obstacle[];
}

/** A skill or a group, with the operators who could get the conversation. */
export interface NodeTarget {
  readonly id: number;
  readonly operatorsConnected: number;
  readonly operatorsRoutable: number;
}

export interface TransferTargetList {
  readonly operators: readonly OperatorTarget[];
  readonly groups: readonly NodeTarget[];
  readonly skills: readonly NodeTarget[];
}

export interface TargetSearch {
  /** A part of the name, in upper or lower case; empty for all. */
  readonly text: string;
  /** Whether the reader sees more of an operator than the pseudonym. */
  readonly usesNames: boolean;
  /** Not among the operators, besides the one who has the conversation. */
  readonly viewerId: number | null;
}

type OperatorRow = LiveRow & Pick<Selectable<Tables['operators']>, 'nameFolded' | 'firstName' | 'pseudo'>;

/** An operator who works on the conversation's website and channel. */
interface Colleague {
  readonly candidate: Candidate;
  /** Folded, in the order in which they are compared. */
  readonly names: readonly string[];
}

type Tree = readonly { readonly id: number; readonly name: string; readonly parentId: number | null }[];

/** Finds to whom an active conversation can be transferred, and who is free there now. */
export class TransferTargets {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Reads with four statements, however large the account is. */
  async find(conversation: Conversation, input: TargetSearch): Promise<TransferTargetList> {
    const search = { ...input, text: fold(input.text) };
    if (conversation.state !== 'active') return { operators: [], groups: [], skills: [] };
    const [rows, pauses, groups, skills] = await Promise.all([
      this.#database.readOffThread<OperatorRow>(this.#selectOperators(conversation)),
      this.#loadPauses(conversation),
      this.#loadTree('groups', conversation.accountId),
      this.#loadTree('skills', conversation.accountId),
    ]);
    const colleagues = rows.map((row) => ({
      candidate: toCandidate(row, conversation.channel, computePresence(row, pauses.now), {
        isOfferPaused: pauses.operatorIds.has(row.operatorId),
      }),
      names: (search.usesNames ? [row.nameFolded, row.firstName, row.pseudo] : [row.pseudo]).map(fold),
    }));
    const { channel, websiteId, language } = conversation;
    const anyNeed: ResolvedNeed = { channel, websiteId, language, skills: null, groups: null };
    return {
      operators: listOperators(
        colleagues,
        { ...anyNeed, ...resolveTrees(conversation, skills, groups) },
        {
          ...search,
          presentId: conversation.operatorId,
        },
      ),
      groups: listNodes(groups, search.text, colleagues, anyNeed, conversation, ({ groupId }) =>
        groupId === null ? [] : [groupId],
      ),
      skills: listNodes(skills, search.text, colleagues, anyNeed, conversation, (candidate) => candidate.skills),
    };
  }

  #selectOperators({ accountId, websiteId, channel }: Conversation) {
    return this.#database.read
      .selectFrom('operatorWebsites as works')
      .innerJoin('operatorLive as live', (join) =>
        join.onRef('live.accountId', '=', 'works.accountId').onRef('live.operatorId', '=', 'works.operatorId'),
      )
      .innerJoin('operators', (join) =>
        join.onRef('operators.accountId', '=', 'works.accountId').onRef('operators.id', '=', 'works.operatorId'),
      )
      .selectAll('live')
      .select(['operators.nameFolded', 'operators.firstName', 'operators.pseudo'])
      .where('works.accountId', '=', accountId)
      .where('works.websiteId', '=', websiteId)
      .where(`live.${channel}Enabled`, '=', 1)
      .where((eb) => this.#database.isWithinDeadline(eb.ref('works.operatorId')));
  }

  /** The operators to whom the conversation is not offered now, and the time of the database. */
  async #loadPauses({ accountId, id }: Conversation): Promise<{ now: number; operatorIds: ReadonlySet<number> }> {
    const rows = await this.#database.read
      .selectFrom('accounts')
      .leftJoin('offerPauses', (join) =>
        join.onRef('offerPauses.accountId', '=', 'accounts.id').on('offerPauses.conversationId', '=', id),
      )
      .select(['offerPauses.operatorId', 'offerPauses.until'])
      .select((eb) => eb.fn<number>('now_ms', []).as('now'))
      .where('accounts.id', '=', accountId)
      .execute();
    const now = rows[0]?.now ?? 0;
    const paused = rows.filter(({ until }) => until !== null && until > now);
    return { now, operatorIds: new Set(paused.flatMap(({ operatorId }) => operatorId ?? [])) };
  }

  #loadTree(table: 'skills' | 'groups', accountId: number): Promise<Tree> {
    return this.#database.read
      .selectFrom(table as 'skills')
      .select(['id', 'name', 'parentId'])
      .where('accountId', '=', accountId)
      .execute();
  }
}

const toParents = (tree: Tree) => new Map(tree.map(({ id, parentId }) => [id, parentId]));

function resolveTrees({ skillId, groupId }: Conversation, skills: Tree, groups: Tree) {
  return {
    skills: skillId === null ? null : collectSubtree(skillId, toParents(skills)),
    groups: groupId === null ? null : collectSubtree(groupId, toParents(groups)),
  };
}

/** Who is free first, then by name. */
function listOperators(
  colleagues: readonly Colleague[],
  need: ResolvedNeed,
  { text, viewerId, presentId }: TargetSearch & { readonly presentId: number | null },
): OperatorTarget[] {
  return colleagues
    .filter(({ candidate: { operatorId } }) => operatorId !== presentId && operatorId !== viewerId)
    .filter(({ names }) => names.some((name) => name.includes(text)))
    .map(({ candidate, names }) => ({ candidate, names, live: computeChannelLive(candidate.state, need.channel) }))
    .sort(
      (a, b) =>
        Number(b.live.routable) - Number(a.live.routable) ||
        compareLists(a.names, b.names) ||
        a.candidate.operatorId - b.candidate.operatorId,
    )
    .slice(0, MAX_TARGETS)
    .map(({ candidate, live: { routable, blockedBy } }) => ({
      ...{ operatorId: candidate.operatorId, routable, blockedBy },
      slotNumber: candidate.state[need.channel].slots,
      slotMaxNumber: candidate.state[need.channel].maximum,
      obstacles: findObstacles(need, candidate),
    }));
}

/**
 * The skills or groups that a transfer accepts, as `isServable` does: an operator in the subtree could serve the
 * conversation, connected or not. The present operator counts for that, but gets no offer. Those where an operator is free
 * first, then by name.
 */
function listNodes(
  tree: Tree,
  text: string,
  colleagues: readonly Colleague[],
  need: ResolvedNeed,
  { operatorId: presentId }: Pick<Conversation, 'operatorId'>,
  getNodes: (candidate: Candidate) => readonly number[],
): NodeTarget[] {
  const parents = toParents(tree);
  const counts = new Map<number, { connected: number; routable: number }>();
  for (const { candidate } of colleagues) {
    const obstacles = findObstacles(need, candidate);
    if (obstacles.includes('OTHER_LANGUAGE')) continue;
    const isOther = candidate.operatorId !== presentId;
    // An operator with several skills of a subtree counts once.
    for (const id of new Set(getNodes(candidate).flatMap((node) => listAncestors(node, parents)))) {
      const count = counts.get(id) ?? { connected: 0, routable: 0 };
      counts.set(id, count);
      count.connected += Number(isOther && candidate.state.connected);
      count.routable += Number(isOther && obstacles.length === 0);
    }
  }
  return tree
    .filter(({ id, name }) => counts.has(id) && fold(name).includes(text))
    .map(({ id, name }) => ({ id, name: fold(name), ...(counts.get(id) as { connected: number; routable: number }) }))
    .sort((a, b) => Number(b.routable > 0) - Number(a.routable > 0) || compareLists([a.name], [b.name]) || a.id - b.id)
    .slice(0, MAX_TARGETS)
    .map(({ id, connected, routable }) => ({ id, operatorsConnected: connected, operatorsRoutable: routable }));
}

function compareLists(first: readonly string[], second: readonly string[]): number {
  for (const [index, text] of first.entries()) {
    const other = second[index] ?? '';
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}
