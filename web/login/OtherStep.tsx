import type { Session } from '../shared/api/session.ts';
import { Button } from '../shared/components/Button.tsx';
import { RingFrame } from '../shared/frame/RingFrame.tsx';
import { useTexts } from '../shared/texts/LanguageContext.tsx';
import { loginTexts } from './texts.ts';

interface OtherStepProps {
  /** Of the operator who is logged in now. */
  readonly session: Session;
  readonly onGoOn: () => void;
  readonly onLogIn: () => void;
}

/** Someone else has logged in in another tab: a page never becomes that of another person by itself. */
export function OtherStep({ session: { operator, accountName }, onGoOn, onLogIn }: OtherStepProps) {
  const t = useTexts(loginTexts);
  const { name } = operator;
  return (
    <RingFrame title={t('otherTitle')} introduction={t('other', { name, account: accountName })}>
      <Button kind="primary" onPress={onLogIn}>
        {t('otherLogIn')}
      </Button>
      <Button onPress={onGoOn}>{t('otherGoOn', { name })}</Button>
    </RingFrame>
  );
}
