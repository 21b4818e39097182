import { Button } from '../../shared/components/Button.tsx';
import { formatCountdown } from '../../shared/format/countdown.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../DeskContext.tsx';
import { RouteLink } from '../frame/RouteLink.tsx';
import { toConversation } from '../frame/route.ts';
import { frameTexts } from '../frame/texts.ts';
import { useOpenToWrite } from '../frame/useOpenToWrite.ts';
import { useVisitorName } from '../frame/useVisitorName.ts';
import type { BlockReason, WaitingConversation } from '../state/model.ts';
import { railTexts } from './texts.ts';
import { useSecondsSince } from './WaitingTime.tsx';

interface WaitingRowProps {
  readonly waiting: WaitingConversation;
  /** From 1. */
  readonly place: number;
  /** Why the operator cannot take it now. */
  readonly obstacle: BlockReason | undefined;
  readonly isOpen: boolean;
  /** The Tab key leads to it, and then to its button. */
  readonly isTabStop: boolean;
}

export function WaitingRow({ waiting, place, obstacle, isOpen, isTabStop }: WaitingRowProps) {
  const t = useTexts(railTexts);
  const warningSeconds = useDesk((state) => state.account.waitingWarningSeconds);
  const seconds = useSecondsSince(waiting.createdAt);
  const name = useVisitorName()(waiting.visitor);
  const { take } = useDeskActions();
  const tOfFrame = useTexts(frameTexts);
  const openToWrite = useOpenToWrite();
  const hasLeft = waiting.visitorPresent === false;
  const isLate = seconds > warningSeconds && !hasLeft;
  const about = hasLeft ? t('left') : (waiting.skill?.name ?? waiting.website?.label);
  return (
    <>
      <span className="small">{place}</span>
      <RouteLink
        className={isOpen ? 'strong truncate' : 'truncate'}
        to={toConversation(waiting.id)}
        aria-current={isOpen ? 'page' : undefined}
        data-row={waiting.id}
        tabIndex={isTabStop ? undefined : -1}
      >
        {name} <span className="small">{about}</span>
      </RouteLink>
      <span className={isLate ? 'caution strong' : 'muted'}>{formatCountdown(seconds)}</span>
      {obstacle ? (
        <span className="small">{tOfFrame(obstacle)}</span>
      ) : (
        <Button
          size="small"
          onPress={() => openToWrite(waiting.id, take(waiting.id))}
          aria-label={t('takeName', { name })}
          excludeFromTabOrder={!isTabStop}
        >
          {t('take')}
        </Button>
      )}
    </>
  );
}
