import { Button } from '../../shared/components/Button.tsx';
import { OfferRing } from '../../shared/components/OfferRing.tsx';
import { formatCountdown } from '../../shared/format/countdown.ts';
import { createInitials } from '../../shared/format/initials.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../DeskContext.tsx';
import type { DeskConversation } from '../state/model.ts';
import { railTexts } from './texts.ts';
import { useAnswerOffer, useOffer } from './useOffer.ts';
import { WaitingTime } from './WaitingTime.tsx';

interface OfferCardProps {
  readonly offer: DeskConversation;
  /** The keys answer the oldest offer. */
  readonly isOldest: boolean;
}

export function OfferCard({ offer, isOldest }: OfferCardProps) {
  const t = useTexts(railTexts);
  const hasKeys = useDesk((state) => state.viewer.preferences.singleKeyShortcuts) && isOldest;
  const { name, details, text, from, waitingSince, secondsLeft, isEnding, ringTime } = useOffer(offer);
  const { accept, decline } = useAnswerOffer();
  return (
    <article className="offer" aria-label={t('offerFrom', { name })} data-offer={offer.id}>
      <OfferRing time={ringTime} isEnding={isEnding}>
        {createInitials(name)}
      </OfferRing>
      <div className="who">
        <span className="offer-name strong">
          <span className="truncate">{name}</span>
          <span role="timer" className={isEnding ? 'caution' : undefined}>
            {formatCountdown(secondsLeft)}
          </span>
        </span>
        <span className="small truncate">{details}</span>
        <span className="small">
          {from && `${from} · `}
          <WaitingTime since={waitingSince} />
        </span>
      </div>
      {text !== '' && <p className="offer-text muted">{text}</p>}
      <div className="offer-actions">
        <Button kind="primary" onPress={() => accept(offer.id)}>
          {t('accept')} {hasKeys && <Key>A</Key>}
        </Button>
        <Button onPress={() => decline(offer.id)}>
          {t('decline')} {hasKeys && <Key>D</Key>}
        </Button>
      </div>
    </article>
  );
}

function Key({ children }: { readonly children: string }) {
  return (
    <span className="key" aria-hidden="true">
      {children}
    </span>
  );
}
