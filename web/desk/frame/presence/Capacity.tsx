import { Icon } from '../../../shared/components/Icon.tsx';
import { SlotMeter } from '../../../shared/components/SlotMeter.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../../DeskContext.tsx';
import { listChannels, selectLive } from '../../state/select-channels.ts';
import { selectOffers } from '../../state/select-conversations.ts';
import { frameTexts } from '../texts.ts';
import { CHANNEL_ICONS } from './icons.ts';
import { countHeld } from './presence.ts';

/** The slots in use of each channel that the operator has, always in sight. */
export function Capacity() {
  const t = useTexts(frameTexts);
  const live = useDesk(selectLive);
  const offers = useDesk(selectOffers);
  return (
    <ul className="capacity" aria-label={t('slotsInUse')}>
      {listChannels(live).map(({ channel, live: { slotNumber, slotMaxNumber } }) => (
        <li key={channel} title={t(channel)}>
          <Icon path={CHANNEL_ICONS[channel]} />
          <span className="visually-hidden">{t(channel)}</span>
          <SlotMeter used={slotNumber} max={slotMaxNumber} held={countHeld(offers, channel)} />
        </li>
      ))}
    </ul>
  );
}
