import type { RefObject } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { Button } from '../../../shared/components/Button.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../../DeskContext.tsx';
import { listChannels, selectLive } from '../../state/select-channels.ts';
import { frameTexts } from '../texts.ts';
import { useReport } from '../useReport.ts';
import { ChannelSwitch } from './ChannelSwitch.tsx';
import { PauseChoices } from './PauseChoices.tsx';
import { findPresence } from './presence.ts';

interface PresencePopoverProps {
  readonly trigger: RefObject<HTMLButtonElement | null>;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** Everything that changes the viewer's own state. */
export function PresencePopover({ trigger, onOpenChange }: PresencePopoverProps) {
  const t = useTexts(frameTexts);
  const live = useDesk(selectLive);
  const connection = useDesk((state) => state.connection);
  const { connect } = useDeskActions();
  const report = useReport();
  const presence = findPresence(live, connection);
  const channels = listChannels(live);
  const close = () => onOpenChange(false);
  return (
    <Popover
      className="popover"
      placement="bottom start"
      offset={4}
      triggerRef={trigger}
      isOpen
      onOpenChange={onOpenChange}
    >
      <Dialog className="presence" aria-label={t('availability')}>
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
      </Dialog>
    </Popover>
  );
}
