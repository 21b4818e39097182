import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../DeskContext.tsx';
import { matchesVisitor } from '../frame/visitor-name.ts';
import type { BlockReason, WaitingConversation } from '../state/model.ts';
import { getChannel, selectLive } from '../state/select-channels.ts';
import { RailSection } from './RailSection.tsx';
import { RowBoundary } from './RowBoundary.tsx';
import { railTexts } from './texts.ts';
import { WaitingRow } from './WaitingRow.tsx';

interface WaitingPlace {
  readonly waiting: WaitingConversation;
  /** From 1. */
  readonly place: number;
  /** Why the operator cannot take it now. */
  readonly obstacle: BlockReason | undefined;
}

/** Those that match the filter. Undefined where the account does not let operators take conversations. */
export function useWaiting(filter: string): readonly WaitingPlace[] | undefined {
  const mayTake = useDesk((state) => state.account.operatorsMayTake);
  const queue = useDesk((state) => state.queue);
  const live = useDesk(selectLive);
  if (!mayTake) return undefined;
  return queue.conversations
    .map((waiting, index) => {
      const [obstacle] = getChannel(live, waiting.channel).blockedBy;
      return { waiting, place: index + 1, obstacle };
    })
    .filter(({ waiting }) => matchesVisitor(waiting.visitor, filter));
}

interface WaitingProps {
  readonly found: readonly WaitingPlace[];
  readonly isFiltered: boolean;
  readonly openId: string | undefined;
  readonly tabStop: string | undefined;
}

export function Waiting({ found, isFiltered, openId, tabStop }: WaitingProps) {
  const t = useTexts(railTexts);
  const { totalCount, conversations } = useDesk((state) => state.queue);
  const more = totalCount - conversations.length;
  return (
    <RailSection title={t('waiting')} count={isFiltered ? found.length : totalCount}>
      {found.length === 0 && <p className="rail-empty">{isFiltered ? t('noMatch') : t('waitingEmpty')}</p>}
      <ol>
        {found.map((each) => (
          <li className="queue-row" key={each.waiting.id}>
            <RowBoundary conversationId={each.waiting.id}>
              <WaitingRow {...each} isOpen={each.waiting.id === openId} isTabStop={each.waiting.id === tabStop} />
            </RowBoundary>
          </li>
        ))}
      </ol>
      {more > 0 && <p className="rail-empty small">{t('waitingMore', { count: more })}</p>}
    </RailSection>
  );
}
