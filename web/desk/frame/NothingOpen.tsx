import { Button } from '../../shared/components/Button.tsx';
import { Icon } from '../../shared/components/Icon.tsx';
import { OfferRing } from '../../shared/components/OfferRing.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../DeskContext.tsx';
import { HEADSET, SPEAKER } from '../icons.ts';
import { selectLive } from '../state/select-channels.ts';
import { playSound } from './alerts/sound.ts';
import { findPresence } from './presence/presence.ts';
import { frameTexts } from './texts.ts';
import { Today } from './today/Today.tsx';

/** What comes next, and what one can do for it. */
export function NothingOpen() {
  const t = useTexts(frameTexts);
  const live = useDesk(selectLive);
  const connection = useDesk((state) => state.connection);
  const hasSound = useDesk((state) => state.viewer.preferences.sound);
  const found = findPresence(live, connection);
  const presence = found === 'reconnecting' ? 'available' : found;
  const availableHint = hasSound ? t('availableHint') : t('availableSilent');
  return (
    <div className="nothing-open empty">
      <OfferRing>
        <Icon path={HEADSET} />
      </OfferRing>
      <h2>{t(`${presence}Title`)}</h2>
      <p>{presence === 'available' ? availableHint : t(`${presence}Hint`)}</p>
      {presence === 'available' && hasSound && (
        <Button icon={SPEAKER} onPress={() => playSound('offer')}>
          {t('testSound')}
        </Button>
      )}
      <Today />
    </div>
  );
}
