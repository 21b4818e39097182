import { Icon } from '../../../shared/components/Icon.tsx';
import { SlotMeter } from '../../../shared/components/SlotMeter.tsx';
import { Switch } from '../../../shared/components/Switch.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../../DeskContext.tsx';
import type { ChannelSummary } from '../../state/select-channels.ts';
import { selectOffers } from '../../state/select-conversations.ts';
import { frameTexts } from '../texts.ts';
import { useReport } from '../useReport.ts';
import { CHANNEL_ICONS } from './icons.ts';
import { countHeld, listObstacles } from './presence.ts';

/** Takes effect at once. Under it, what keeps conversations away although it is on. */
export function ChannelSwitch({ channel, live }: ChannelSummary) {
  const t = useTexts(frameTexts);
  const offers = useDesk(selectOffers);
  const { setAvailability } = useDeskActions();
  const report = useReport();
  const obstacles = listObstacles(live).map((reason) => t(reason));
  return (
    <li className="channel-switch">
      <Switch
        label={t(channel)}
        isOn={live.available}
        onChange={(isOn) => report(setAvailability({ [channel.toLowerCase()]: isOn }))}
        {...(obstacles.length > 0 && { hint: obstacles.join(' · ') })}
      />
      <span className="channel-slots">
        <Icon path={CHANNEL_ICONS[channel]} />
        <SlotMeter used={live.slotNumber} max={live.slotMaxNumber} held={countHeld(offers, channel)} />
      </span>
    </li>
  );
}
