import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../DeskContext.tsx';
import { useVisitorName } from '../frame/useVisitorName.ts';
import { selectOffers } from '../state/select-conversations.ts';
import { OfferCard } from './OfferCard.tsx';
import { RailSection } from './RailSection.tsx';
import { RowBoundary } from './RowBoundary.tsx';
import { railTexts } from './texts.ts';

export function Offers() {
  const t = useTexts(railTexts);
  const offers = useDesk(selectOffers);
  if (offers.length === 0) return null;
  return (
    <RailSection title={t('offers')} count={offers.length}>
      <div className="offers">
        {offers.map((offer, index) => (
          <RowBoundary key={offer.id} conversationId={offer.id}>
            <OfferCard offer={offer} isOldest={index === 0} />
          </RowBoundary>
        ))}
      </div>
    </RailSection>
  );
}

/** Says each offer once, wherever the focus is. The text changes only when another offer is the newest. */
export function OfferAnnouncer() {
  const t = useTexts(railTexts);
  const nameVisitor = useVisitorName();
  const newest = useDesk((state) => selectOffers(state).at(-1));
  return (
    <p className="visually-hidden" role="status">
      {newest && t('announceOffer', { name: nameVisitor(newest.visitor) })}
    </p>
  );
}
