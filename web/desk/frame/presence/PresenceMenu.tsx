import { useRef, useState } from 'react';
import { Button } from '../../../shared/components/Button.tsx';
import { Icon } from '../../../shared/components/Icon.tsx';
import { CHEVRON_DOWN } from '../../../shared/components/icons.ts';
import { StateWord } from '../../../shared/components/StateWord.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../../DeskContext.tsx';
import { LaterPopup } from '../../later/LaterPopup.tsx';
import { selectLive } from '../../state/select-channels.ts';
import { frameTexts } from '../texts.ts';
import { findPresence } from './presence.ts';

/** The viewer's own state, and behind it everything that changes it. */
export function PresenceMenu() {
  const t = useTexts(frameTexts);
  const live = useDesk(selectLive);
  const connection = useDesk((state) => state.connection);
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const presence = findPresence(live, connection);
  return (
    <>
      <Button kind="quiet" ref={trigger} aria-haspopup="dialog" aria-expanded={isOpen} onPress={() => setOpen(true)}>
        <StateWord state={presence}>{(presence === 'pause' && live.pauseReason) || t(presence)}</StateWord>
        <Icon path={CHEVRON_DOWN} />
      </Button>
      {isOpen && (
        <LaterPopup onOpenChange={setOpen}>
          {({ PresencePopover }) => <PresencePopover trigger={trigger} onOpenChange={setOpen} />}
        </LaterPopup>
      )}
    </>
  );
}
