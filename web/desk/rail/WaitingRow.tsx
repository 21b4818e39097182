import { Button } from '../../shared/components/Button.tsx';
import { formatCountdown } from '../../shared/format/countdown.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../DeskContext.tsx';
import { navigate } from '../frame/navigation.ts';
import { toConversation } from '../frame/route.ts';
import { frameTexts } from '../frame/texts.ts';
import { useReport } from '../frame/useReport.ts';
import { useVisitorName } from '../frame/useVisitorName.ts';
import type { WaitingConversation } from '../state/model.ts';
import { getChannel, selectLive } from '../state/select-channels.ts';
import { railTexts } from './texts.ts';
import { useSecondsSince } from './WaitingTime.tsx';

interface WaitingRowProps {
  readonly waiting: WaitingConversation;
  /** From 1. */
  readonly place: number;
}

export function WaitingRow({ waiting, place }: WaitingRowProps) {
  const t = useTexts(railTexts);
  const warningSeconds = useDesk((state) => state.account.waitingWarningSeconds);
  const seconds = useSecondsSince(waiting.createdAt);
  const name = useVisitorName()(waiting.visitor);
  const { take } = useDeskActions();
  const report = useReport();
  const tOfFrame = useTexts(frameTexts);
  const [obstacle] = useDesk((state) => getChannel(selectLive(state), waiting.channel).blockedBy);
  const isLate = seconds > warningSeconds;
  const takeIt = async () => {
    if (await report(take(waiting.id))) navigate(toConversation(waiting.id));
  };
  return (
    <li className="queue-row">
      <span className="small">{place}</span>
      <span className="truncate">
        {name} {waiting.skill && <span className="small">{waiting.skill.name}</span>}
      </span>
      <span className={isLate ? 'caution strong' : 'muted'}>{formatCountdown(seconds)}</span>
      {obstacle ? (
        <span className="small">{tOfFrame(obstacle)}</span>
      ) : (
        <Button size="small" onPress={takeIt} aria-label={t('takeName', { name })} data-row={waiting.id}>
          {t('take')}
        </Button>
      )}
    </li>
  );
}
