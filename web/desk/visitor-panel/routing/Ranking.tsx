import type { CSSProperties } from 'react';
import type { RoutingDecision } from './decision.ts';
import { type DescribeOptions, describeRank, formatShare } from './describe-decision.ts';

interface RankingProps {
  readonly decision: RoutingDecision;
  readonly options: DescribeOptions;
}

const SHOWN = 5;

/** The best operators, and what decided about their place. */
export function Ranking({ decision: { ranked }, options }: RankingProps) {
  const { viewerId, locale, t } = options;
  if (ranked.length === 0) return null;
  const more = ranked.length - SHOWN;
  return (
    <>
      <ol className="ranking">
        {ranked.slice(0, SHOWN).map((each, index) => {
          const { operator, share } = each;
          const isViewer = operator?.id === viewerId;
          const style = { '--done': share * 100 } as CSSProperties;
          const criteria = describeRank(each, options);
          const slots = t('slotsInUse', { share: formatShare(share, locale) });
          return (
            <li key={operator?.id ?? `deleted ${index}`}>
              <span className="muted">{index + 1}</span>
              <span className={isViewer ? 'strong truncate' : 'truncate'}>
                {isViewer ? t('you') : (operator?.pseudo ?? t('deletedOperator'))}
              </span>
              <span className="share" title={slots}>
                <span className="progress" aria-hidden="true">
                  <i style={style} />
                </span>
                <span aria-hidden="true">{formatShare(share, locale)}</span>
                <span className="visually-hidden">{slots}</span>
              </span>
              {criteria !== '' && <span className="small">{criteria}</span>}
            </li>
          );
        })}
      </ol>
      {more > 0 && <p className="small">{t('more', { count: more })}</p>}
    </>
  );
}
