import { Icon } from '../../../shared/components/Icon.tsx';
import { SlotMeter } from '../../../shared/components/SlotMeter.tsx';
import { Switch } from '../../../shared/components/Switch.tsx';
import { useNow } from '../../../shared/format/useNow.ts';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../../DeskContext.tsx';
import type { ChannelSummary } from '../../state/select-channels.ts';
import { selectOffers } from '../../state/select-conversations.ts';
import { frameTexts } from '../texts.ts';
import { useReport } from '../useReport.ts';
import { CHANNEL_ICONS } from './icons.ts';
import { countHeld, listObstacles } from './presence.ts';
import { describeSwitchOff } from './switched-off.ts';

/** Takes effect at once. Under it, who turned it off, or what keeps conversations away although it is on. */
export function ChannelSwitch({ channel, live }: ChannelSummary) {
  const t = useTexts(frameTexts);
  const offers = useDesk(selectOffers);
  const { setAvailability } = useDeskActions();
  const report = useReport();
  const { locale } = useLanguage();
  const now = useNow(60_000);
  const viewerId = useDesk((state) => state.viewer.id);
  const switchedOff = describeSwitchOff(live, { viewerId, locale, now, t });
  const obstacles = listObstacles(live).map((reason) => t(reason));
  const hint = switchedOff === undefined ? obstacles.join(' · ') : `${switchedOff} ${t('offWayBack')}`;
  return (
    <li className="channel-switch">
      <Switch
        label={t(channel)}
        isOn={live.available}
        onChange={(isOn) => report(setAvailability({ [channel.toLowerCase()]: isOn }))}
        {...(hint !== '' && { hint })}
      />
      <span className="channel-slots">
        <Icon path={CHANNEL_ICONS[channel]} />
        <SlotMeter used={live.slotNumber} max={live.slotMaxNumber} held={countHeld(offers, channel)} />
      </span>
    </li>
  );
}
