import { Button } from '../components/Button.tsx';
import { formatCountdown } from '../format/countdown.ts';
import { commonTexts } from '../texts/common.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import type { Wait } from './useWait.ts';

interface SubmitButtonProps {
  readonly label: string;
  readonly isPending: boolean;
  readonly wait: Wait;
  readonly kind?: 'primary' | 'danger';
}

/** Sends the form. While one has to wait, it says for how long, does nothing, and keeps the focus. */
export function SubmitButton({ label, isPending, wait, kind = 'primary' }: SubmitButtonProps) {
  const t = useTexts(commonTexts);
  const isWaiting = wait.secondsLeft > 0;
  return (
    <Button kind={kind} type="submit" isPending={isPending || isWaiting} data-waiting={isWaiting || undefined}>
      {isWaiting ? t('tryAgainIn', { time: formatCountdown(wait.secondsLeft) }) : label}
    </Button>
  );
}
