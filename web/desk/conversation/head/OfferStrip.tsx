import { useMemo, useState } from 'react';
import { Button } from '../../../shared/components/Button.tsx';
import { OfferRing } from '../../../shared/components/OfferRing.tsx';
import { formatCountdown } from '../../../shared/format/countdown.ts';
import { useSecondsLeft } from '../../../shared/format/useSecondsLeft.ts';
import { FailureBanner } from '../../../shared/frame/FailureBanner.tsx';
import { useAttempt } from '../../../shared/frame/useAttempt.ts';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../../DeskContext.tsx';
import type { DeskConversation } from '../../state/model.ts';
import { toLocalTime } from '../../state/server-time.ts';
import { useComposerFocusRequests } from '../memory/ConversationMemory.tsx';
import { conversationTexts } from '../texts.ts';

/** An offer to the viewer: what is known stands above and below, and here it is answered. */
export function OfferStrip({ conversation }: { readonly conversation: DeskConversation }) {
  const t = useTexts(conversationTexts);
  const { acceptOffer, declineOffer } = useDeskActions();
  const offerSeconds = useDesk((state) => state.account.offerSeconds);
  const clockOffset = useDesk((state) => state.clockOffset);
  const { id, offerUntil } = conversation;
  const deadline = offerUntil === null ? undefined : toLocalTime(offerUntil, clockOffset);
  const secondsLeft = useSecondsLeft(deadline);
  const time = useMemo(() => {
    if (deadline === undefined) return undefined;
    const totalMs = offerSeconds * 1000;
    return { totalMs, elapsedMs: Math.max(0, totalMs - (deadline - Date.now())) };
  }, [deadline, offerSeconds]);
  const [answer, setAnswer] = useState<'accept' | 'decline'>();
  const { start, isPending, failure, wait } = useAttempt(
    (accept: boolean) => (accept ? acceptOffer(id) : declineOffer(id)),
    () => undefined,
  );
  const focus = useComposerFocusRequests();
  const respond = async (accept: boolean) => {
    setAnswer(accept ? 'accept' : 'decline');
    if (accept) focus.request(id);
    if (await start(accept)) focus.cancel(id);
  };
  return (
    <section className="answer-strip" aria-label={t('offer')}>
      <OfferRing time={time} isEnding={secondsLeft <= offerSeconds / 3} />
      <span className="answer-text">
        <strong>{t('offeredToYou')}</strong>
        <span className="small">{t('timeLeft', { time: formatCountdown(secondsLeft) })}</span>
      </span>
      <Button kind="primary" isPending={isPending && answer === 'accept'} onPress={() => respond(true)}>
        {t('accept')}
      </Button>
      <Button isPending={isPending && answer === 'decline'} onPress={() => respond(false)}>
        {t('decline')}
      </Button>
      <FailureBanner failure={failure} wait={wait} />
    </section>
  );
}
