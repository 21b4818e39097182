import type { Channel } from '../../kernel/channels.ts';
import { type BlockReason, channelLive, type LiveState } from '../../live/capacity.ts';

/** What a conversation asks for. */
export interface Need {
  readonly channel: Channel;
  readonly websiteId: number;
  /** Any of these will do: the skill it asks for and those under it. Null asks for none. */
  readonly skills: ReadonlySet<number> | null;
  /** The group it asks for and those under it. Null asks for none. */
  readonly groups: ReadonlySet<number> | null;
  readonly language: string;
}

/** An operator as routing sees them, at one moment. */
export interface Candidate {
  readonly operatorId: number;
  readonly state: LiveState;
  readonly websites: readonly number[];
  readonly skills: readonly number[];
  readonly groupId: number | null;
  readonly languages: readonly string[];
  /** On the channel of the need. */
  readonly priority: number;
  /** When a conversation was last given to them. */
  readonly assignedAt: number;
  /** Was the last to serve the same visitor. */
  readonly servedLast: boolean;
  /** Declined or missed this very conversation a moment ago. */
  readonly refusedLately: boolean;
}

export type Obstacle =
  | BlockReason
  | 'OTHER_WEBSITE'
  | 'LACKS_SKILL'
  | 'OTHER_GROUP'
  | 'OTHER_LANGUAGE'
  | 'REFUSED_LATELY';

/** Why somebody stands where they stand in the ranking, in the order in which it is looked at. */
export interface RankedCandidate {
  readonly operatorId: number;
  readonly servedLast: boolean;
  readonly priority: number;
  /** Slots in use as a share of the maximum. */
  readonly share: number;
  readonly assignedAt: number;
}

export interface Ranking {
  /** The eligible, the best first. */
  readonly ranked: readonly RankedCandidate[];
  readonly excluded: readonly { readonly operatorId: number; readonly because: readonly Obstacle[] }[];
}

export interface RankingRule {
  readonly lowestPriorityFirst: boolean;
}

/** All that keeps a conversation from somebody; nothing for the eligible. */
export function obstacles(need: Need, candidate: Candidate): Obstacle[] {
  const found: Obstacle[] = [...channelLive(candidate.state, need.channel).blockedBy];
  if (!candidate.websites.includes(need.websiteId)) found.push('OTHER_WEBSITE');
  if (need.skills && !candidate.skills.some((skill) => need.skills?.has(skill))) found.push('LACKS_SKILL');
  if (need.groups && !(candidate.groupId !== null && need.groups.has(candidate.groupId))) found.push('OTHER_GROUP');
  if (!candidate.languages.includes(need.language)) found.push('OTHER_LANGUAGE');
  if (candidate.refusedLately) found.push('REFUSED_LATELY');
  return found;
}

/** The one definition of who gets a conversation: for routing itself, for a dry run, and for looking back. */
export function chooseOperator(need: Need, candidates: readonly Candidate[], rule: RankingRule): Ranking {
  const ranked: RankedCandidate[] = [];
  const excluded: { operatorId: number; because: Obstacle[] }[] = [];
  for (const candidate of candidates) {
    const because = obstacles(need, candidate);
    if (because.length > 0) excluded.push({ operatorId: candidate.operatorId, because });
    else ranked.push(rankCandidate(need, candidate));
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

function rankCandidate(
  { channel }: Need,
  { operatorId, state, priority, assignedAt, servedLast }: Candidate,
): RankedCandidate {
  const { slots, maximum } = state[channel];
  return { operatorId, servedLast, priority, share: shareOf(slots, maximum), assignedAt };
}

/** In millionths and rounded down, exactly as the index of routable operators has it. */
function shareOf(slots: number, maximum: number): number {
  return Math.floor((slots * 1_000_000) / maximum) / 1_000_000;
}
