import { Button, IconButton } from '../../shared/components/Button.tsx';
import { Icon } from '../../shared/components/Icon.tsx';
import { CHECK } from '../../shared/components/icons.ts';
import { OfferRing } from '../../shared/components/OfferRing.tsx';
import { formatCountdown } from '../../shared/format/countdown.ts';
import { createInitials } from '../../shared/format/initials.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../DeskContext.tsx';
import { CROSS } from '../icons.ts';
import type { DeskConversation } from '../state/model.ts';
import { selectOffers } from '../state/select-conversations.ts';
import { railTexts } from './texts.ts';
import { useAnswerOffer, useOffer } from './useOffer.ts';

/** On a phone, over what is open there: the oldest offer cannot be missed. */
export function OfferStrip() {
  const [offer] = useDesk(selectOffers);
  return offer === undefined ? null : <Strip key={offer.id} offer={offer} />;
}

function Strip({ offer }: { readonly offer: DeskConversation }) {
  const t = useTexts(railTexts);
  const { name, details, from, secondsLeft, isEnding, ringTime } = useOffer(offer);
  const { accept, decline } = useAnswerOffer();
  return (
    <section className="offer-strip" aria-label={t('offerFrom', { name })}>
      <OfferRing time={ringTime} isEnding={isEnding}>
        {createInitials(name)}
      </OfferRing>
      <span className="who">
        <span className="strong truncate">{name}</span>
        <span className="small truncate">
          {[formatCountdown(secondsLeft), from, details].filter(Boolean).join(' · ')}
        </span>
      </span>
      <Button aria-label={t('decline')} data-icon="" onPress={() => decline(offer.id)}>
        <Icon path={CROSS} />
      </Button>
      <IconButton kind="primary" icon={CHECK} label={t('accept')} onPress={() => accept(offer.id)} />
    </section>
  );
}
