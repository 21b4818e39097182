import { describeLanguage } from '../../../shared/format/language-name.ts';
import type { Translate } from '../../../shared/texts/texts.ts';
import { OBSTACLES, type Obstacle, type RankedOperator, type RoutingDecision } from './decision.ts';
import type { en } from './texts/en.ts';

export interface DescribeOptions {
  readonly viewerId: string;
  readonly visitorName: string;
  readonly locale: string;
  readonly t: Translate<typeof en>;
}

/** The service stores the best ones only. */
const MOST_STORED = 20;

/** Why the conversation came to its operator, in one sentence. */
export function describeChoice(decision: RoutingDecision, { viewerId, locale, t }: DescribeOptions): string {
  const { operator, ranked, actor, forced, cause } = decision;
  const isViewer = operator?.id === viewerId;
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }).format(new Date(decision.at));
  const name = operator?.pseudo ?? t('deletedOperator');
  const values = { time, name, actor: describeActor(decision, t) };
  if (forced) return isViewer ? t('forcedYou', values) : t('forcedOther', values);
  if (ranked.length === 0) {
    const isOwn = actor.type === 'OPERATOR' && actor.id === operator?.id;
    if (cause === 'TAKE' && isOwn) return isViewer ? t('tookYou', values) : t('tookOther', values);
    if (cause === 'TRANSFER') return isViewer ? t('transferredYou', values) : t('transferredOther', values);
    if (cause === 'TAKE') return isViewer ? t('assignedYou', values) : t('assignedOther', values);
    return isViewer ? t('namedYou', values) : t('namedOther', values);
  }
  const count = ranked.length;
  const rank = ranked.findIndex((each) => each.operator?.id === operator?.id) + 1;
  if (count === 1) return isViewer ? t('onlyYou', values) : t('onlyOther', values);
  if (count < MOST_STORED) {
    if (rank === 1) return isViewer ? t('firstYou', { ...values, count }) : t('firstOther', { ...values, count });
    return isViewer ? t('rankYou', { ...values, count, rank }) : t('rankOther', { ...values, count, rank });
  }
  return isViewer ? t('bestYou', values) : t('bestOther', values);
}

/** What made the service decide. Undefined where the choice says it already. */
export function describeCause(decision: RoutingDecision, { t }: Pick<DescribeOptions, 't'>): string | undefined {
  const isSaid = decision.ranked.length === 0 && (decision.cause === 'TAKE' || decision.cause === 'TRANSFER');
  return decision.forced || isSaid ? undefined : t(`cause_${decision.cause}`);
}

/**
 * The criteria of the ranking that say something about this operator, in the order of their importance. Empty if only
 * the slots in use decided, which stand beside it.
 */
export function describeRank(
  { servedLast, priority }: RankedOperator,
  { visitorName, locale, t }: DescribeOptions,
): string {
  const parts = [
    servedLast && t('servedLast', { name: visitorName }),
    priority !== null && t('priority', { priority }),
  ].filter((part) => part !== false);
  const [first = '', ...others] = parts;
  return [first.charAt(0).toLocaleUpperCase(locale) + first.slice(1), ...others].join(' · ');
}

export function formatShare(share: number, locale: string): string {
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(share);
}

/** How many operators each obstacle excluded. An operator with several is in each of the numbers. */
export function describeExcluded(decision: RoutingDecision, options: DescribeOptions): string | undefined {
  const { excluded, need, ranked, operator } = decision;
  const { locale, t } = options;
  // Someone named the operator: no other was considered.
  if (operator !== null && ranked.length === 0) return undefined;
  const format = new Intl.NumberFormat(locale);
  const known = excluded.filter(({ reason, count }) => count > 0 && OBSTACLES.includes(reason));
  if (known.length === 0) return undefined;
  const list = known
    .toSorted((a, b) => OBSTACLES.indexOf(a.reason) - OBSTACLES.indexOf(b.reason))
    .map(({ reason, count }) => `${describeObstacle(reason, need, options)} ${format.format(count)}`)
    .join(', ');
  return t('excluded', { list });
}

export function describeObstacle(
  reason: Obstacle,
  { skill, group, website, language }: RoutingDecision['need'],
  { locale, t }: Pick<DescribeOptions, 'locale' | 't'>,
): string {
  switch (reason) {
    case 'LACKS_SKILL':
      return t('obstacle_LACKS_SKILL', { skill: skill?.name ?? '–' });
    case 'OTHER_GROUP':
      return t('obstacle_OTHER_GROUP', { group: group?.name ?? '–' });
    case 'OTHER_WEBSITE':
      return t('obstacle_OTHER_WEBSITE', { website: website?.label ?? '–' });
    case 'OTHER_LANGUAGE':
      return t('obstacle_OTHER_LANGUAGE', { language: describeLanguage(language, locale) });
    default:
      return t(`obstacle_${reason}`);
  }
}

function describeActor({ actor: { type, name } }: RoutingDecision, t: DescribeOptions['t']): string {
  return name ?? t(`actor_${type}`);
}
