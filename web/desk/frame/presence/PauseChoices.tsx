import { Button } from '../../../shared/components/Button.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../../DeskContext.tsx';
import { selectLive } from '../../state/select-channels.ts';
import { frameTexts } from '../texts.ts';
import { useReport } from '../useReport.ts';
import { setAllChannels } from './presence.ts';

/** A pause for all channels at once, with the account's reasons if it has some; and the way back. */
export function PauseChoices({ isPaused, onChoose }: { readonly isPaused: boolean; readonly onChoose: () => void }) {
  const t = useTexts(frameTexts);
  const live = useDesk(selectLive);
  const reasons = useDesk((state) => state.account.pauseReasons);
  const { setAvailability } = useDeskActions();
  const report = useReport();
  const choose = (isOn: boolean, reason?: string) => {
    report(setAvailability(setAllChannels(live, isOn), reason));
    onChoose();
  };
  if (isPaused) {
    return (
      <Button kind="primary" onPress={() => choose(true)}>
        {t('endPause')}
      </Button>
    );
  }
  if (reasons.length === 0) return <Button onPress={() => choose(false)}>{t('startPause')}</Button>;
  return (
    <fieldset className="pause-reasons">
      <legend className="rail-title">{t('startPause')}</legend>
      {reasons.map((reason) => (
        <Button key={reason} onPress={() => choose(false, reason)}>
          <span className="truncate">{reason}</span>
        </Button>
      ))}
    </fieldset>
  );
}
