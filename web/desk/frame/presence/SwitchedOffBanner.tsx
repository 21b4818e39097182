import { useState } from 'react';
import { Banner } from '../../../shared/components/Banner.tsx';
import { Button } from '../../../shared/components/Button.tsx';
import { useNow } from '../../../shared/format/useNow.ts';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../../DeskContext.tsx';
import { listChannels, selectLive } from '../../state/select-channels.ts';
import { frameTexts } from '../texts.ts';
import { useReport } from '../useReport.ts';
import { CHANNEL_ICONS } from './icons.ts';
import { describeSwitchOff } from './switched-off.ts';

/** A channel that others or the service have turned off, until the operator turns it on or knows of it. */
export function SwitchedOffBanner() {
  const t = useTexts(frameTexts);
  const { locale } = useLanguage();
  const now = useNow(60_000);
  const live = useDesk(selectLive);
  const viewerId = useDesk((state) => state.viewer.id);
  const { setAvailability } = useDeskActions();
  const report = useReport();
  const [known, setKnown] = useState<readonly string[]>([]);
  const switchedOff = listChannels(live).flatMap(({ channel, live: each }) => {
    const text = describeSwitchOff(each, { viewerId, locale, now, t });
    const key = `${channel} ${each.changedAt}`;
    return text === undefined || known.includes(key) ? [] : { channel, key, text };
  });
  const [first] = switchedOff;
  if (first === undefined) return null;
  const { channel, key, text } = first;
  return (
    <Banner
      icon={CHANNEL_ICONS[channel]}
      isInset={false}
      title={`${t(channel)}: ${text}`}
      action={
        <div className="banner-actions">
          <Button
            kind="primary"
            size="small"
            onPress={() => report(setAvailability({ [channel.toLowerCase()]: true }))}
          >
            {t('turnOn')}
          </Button>
          <Button size="small" onPress={() => setKnown([...known, key])}>
            {t('leaveOff')}
          </Button>
        </div>
      }
    >
      {t('offConsequence')}
    </Banner>
  );
}
