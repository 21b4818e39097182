import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { Button } from '../../../shared/components/Button.tsx';
import { Icon } from '../../../shared/components/Icon.tsx';
import { CHEVRON_DOWN } from '../../../shared/components/icons.ts';
import { StateWord } from '../../../shared/components/StateWord.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../../DeskContext.tsx';
import { listChannels, selectLive } from '../../state/select-channels.ts';
import { frameTexts } from '../texts.ts';
import { useReport } from '../useReport.ts';
import { ChannelSwitch } from './ChannelSwitch.tsx';
import { PauseChoices } from './PauseChoices.tsx';
import { findPresence } from './presence.ts';

/** The viewer's own state, and behind it everything that changes it. */
export function PresenceMenu() {
  const t = useTexts(frameTexts);
  const live = useDesk(selectLive);
  const connection = useDesk((state) => state.connection);
  const { connect } = useDeskActions();
  const report = useReport();
  const presence = findPresence(live, connection);
  const channels = listChannels(live);
  return (
    <DialogTrigger>
      <Button kind="quiet">
        <StateWord state={presence}>{(presence === 'pause' && live.pauseReason) || t(presence)}</StateWord>
        <Icon path={CHEVRON_DOWN} />
      </Button>
      <Popover className="popover" placement="bottom start" offset={4}>
        <Dialog className="presence" aria-label={t('availability')}>
          {({ close }) => (
            <>
              {channels.length === 0 && <p className="muted">{t('noChannels')}</p>}
              <ul className="channel-switches">
                {channels.map((summary) => (
                  <ChannelSwitch key={summary.channel} {...summary} />
                ))}
              </ul>
              {presence === 'offline' && (
                <Button kind="primary" onPress={() => report(connect()).then((isDone) => isDone && close())}>
                  {t('connect')}
                </Button>
              )}
              {channels.length > 0 && presence !== 'offline' && (
                <PauseChoices isPaused={!channels.some((each) => each.live.available)} onChoose={close} />
              )}
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
