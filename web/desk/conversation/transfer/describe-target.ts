import type { Translate } from '../../../shared/texts/texts.ts';
import type { DeskConversation } from '../../state/model.ts';
import { describeObstacle } from '../../visitor-panel/routing/describe-decision.ts';
import type { en as routingEn } from '../../visitor-panel/routing/texts/en.ts';
import type { en } from '../texts/en.ts';
import type { Target } from './targets.ts';

interface DescribeOptions {
  readonly locale: string;
  readonly t: Translate<typeof en>;
  readonly routing: Translate<typeof routingEn>;
}

export type TargetNeed = Pick<DeskConversation, 'language' | 'skill' | 'group' | 'website'>;

/**
 * What one should know of a target besides its state: why an operator cannot take the conversation or does not fit to
 * it, and what happens in a skill or group without a free operator. Empty if there is nothing.
 */
export function describeTarget(target: Target, need: TargetNeed, { locale, t, routing }: DescribeOptions): string {
  if (target.kind !== 'operator') {
    const { connectedCount, routableCount } = target;
    if (routableCount > 0) return '';
    return connectedCount > 0 ? t('waitsForFree', { count: connectedCount }) : t('waitsForConnected');
  }
  // The first reason is the state of the operator.
  const [first] = target.blockedBy;
  const words = target.obstacles
    .filter((obstacle) => obstacle !== first)
    .map((obstacle) => describeObstacle(obstacle, need, { locale, t: routing }))
    .join(' · ');
  return words.charAt(0).toLocaleUpperCase(locale) + words.slice(1);
}
