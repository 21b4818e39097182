import { Icon } from '../../../shared/components/Icon.tsx';
import { SlotMeter } from '../../../shared/components/SlotMeter.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../../DeskContext.tsx';
import { CHANNELS, getChannel, selectLive } from '../../state/select-channels.ts';
import { selectOffers } from '../../state/select-conversations.ts';
import { frameTexts } from '../texts.ts';
import { CHANNEL_ICONS } from './icons.ts';
import { countHeld } from './presence.ts';

/** The slots in use of each channel, always in sight. */
export function Capacity() {
  const t = useTexts(frameTexts);
  const live = useDesk(selectLive);
  const offers = useDesk(selectOffers);
  return (
    <ul className="capacity" aria-label={t('slotsInUse')}>
      {CHANNELS.map((channel) => {
        const { enabled, slotNumber, slotMaxNumber } = getChannel(live, channel);
        const name = t(channel);
        return (
          <li
            key={channel}
            data-unused={enabled ? undefined : ''}
            title={enabled ? name : `${name}: ${t('NOT_ENABLED')}`}
          >
            <Icon path={CHANNEL_ICONS[channel]} />
            <span className="visually-hidden">{name}</span>
            {enabled ? <SlotMeter used={slotNumber} max={slotMaxNumber} held={countHeld(offers, channel)} /> : '–'}
          </li>
        );
      })}
    </ul>
  );
}
