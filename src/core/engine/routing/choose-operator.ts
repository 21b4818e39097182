import type { Channel } from '../../kernel/channels.ts';
import { type BlockReason, computeChannelLive, type LiveState } from '../../live/capacity.ts';

/** What a conversation needs, with the subtrees of its skill and group. */
export interface ResolvedNeed {
  readonly channel: Channel;
  readonly websiteId: number;
  /** The required skill and its descendants; any of them qualifies. Null: none required. */
  readonly skills: ReadonlySet<number> | null;
  /** The required group and its descendants. Null: none required. */
  readonly groups: ReadonlySet<number> | null;
  readonly language: string;
}

/** An operator as routing sees them, at one point in time. */
export interface Candidate {
  readonly operatorId: number;
  readonly state: LiveState;
  readonly websites: readonly number[];
  readonly skills: readonly number[];
  readonly groupId: number | null;
  readonly languages: readonly string[];
  /** On the channel of the need. */
  readonly priority: number;
  /** When a conversation was last assigned to them. */
  readonly assignedAt: number;
  /** Whether they were the last to serve the same visitor. */
  readonly servedLast: boolean;
  /** Whether they recently declined, missed or transferred this conversation. */
  readonly isOfferPaused: boolean;
}

export type Obstacle =
  | BlockReason
  | 'OTHER_WEBSITE'
  | 'LACKS_SKILL'
  | 'OTHER_GROUP'
  | 'OTHER_LANGUAGE'
  | 'REFUSED_LATELY';

/** The criteria of the ranking, most important first. */
export interface RankedCandidate {
  readonly operatorId: number;
  readonly servedLast: boolean;
  readonly priority: number;
  /** Slots in use as a share of the maximum. */
  readonly share: number;
  readonly assignedAt: number;
}

export interface Ranking {
  /** The eligible operators, best first. */
  readonly ranked: readonly RankedCandidate[];
  readonly excluded: readonly { readonly operatorId: number; readonly obstacles: readonly Obstacle[] }[];
}

export interface RankingRule {
  readonly lowestPriorityFirst: boolean;
}

/** Returns everything that keeps the operator from getting the conversation; empty if they are eligible. */
export function findObstacles(need: ResolvedNeed, candidate: Candidate): Obstacle[] {
  const obstacles: Obstacle[] = [...computeChannelLive(candidate.state, need.channel).blockedBy];
  if (!candidate.websites.includes(need.websiteId)) obstacles.push('OTHER_WEBSITE');
  if (need.skills && !candidate.skills.some((skill) => need.skills?.has(skill))) obstacles.push('LACKS_SKILL');
  if (need.groups && !(candidate.groupId !== null && need.groups.has(candidate.groupId))) obstacles.push('OTHER_GROUP');
  if (!candidate.languages.includes(need.language)) obstacles.push('OTHER_LANGUAGE');
  if (candidate.isOfferPaused) obstacles.push('REFUSED_LATELY');
  return obstacles;
}

/** What keeps an operator from a conversation also when they are present and free. */
const LASTING_OBSTACLES: ReadonlySet<Obstacle> = new Set<Obstacle>([
  ...(['NOT_ENABLED', 'OTHER_WEBSITE', 'LACKS_SKILL', 'OTHER_GROUP', 'OTHER_LANGUAGE'] as const),
]);

/** Whether the operator could serve the conversation, apart from presence, availability and capacity. */
export function isServableBy(need: ResolvedNeed, candidate: Candidate): boolean {
  return findObstacles(need, candidate).every((obstacle) => !LASTING_OBSTACLES.has(obstacle));
}

/** Ranks the candidates. The only definition of who gets a conversation: used by routing and the dry run. */
export function chooseOperator(need: ResolvedNeed, candidates: readonly Candidate[], rule: RankingRule): Ranking {
  const ranked: RankedCandidate[] = [];
  const excluded: { operatorId: number; obstacles: Obstacle[] }[] = [];
  for (const candidate of candidates) {
    const obstacles = findObstacles(need, candidate);
    if (obstacles.length > 0) excluded.push({ operatorId: candidate.operatorId, obstacles });
    else ranked.push(toRankedCandidate(need, candidate));
  }
  const direction = rule.lowestPriorityFirst ? 1 : -1;
  ranked.sort(
    (a, b) =>
      Number(b.servedLast) - Number(a.servedLast) ||
      direction * (a.priority - b.priority) ||
      a.share - b.share ||
      a.assignedAt - b.assignedAt ||
      a.operatorId - b.operatorId,
  );
  return { ranked, excluded };
}

function toRankedCandidate(
  { channel }: ResolvedNeed,
  { operatorId, state, priority, assignedAt, servedLast }: Candidate,
): RankedCandidate {
  const { slots, maximum } = state[channel];
  return { operatorId, servedLast, priority, share: computeSlotShare(slots, maximum), assignedAt };
}

/** Rounds down to millionths, exactly like the index of routable operators. */
function computeSlotShare(slots: number, maximum: number): number {
  return Math.floor((slots * 1_000_000) / maximum) / 1_000_000;
}
