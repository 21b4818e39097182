import { type ReactNode, useState } from 'react';
import { useTexts } from '../texts/LanguageContext.tsx';
import { AppStep } from './AppStep.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import type { AppSecret } from './set-up.ts';
import { twoFactorTexts } from './texts.ts';

interface StepFrame {
  readonly title: string;
  readonly introduction: string;
  readonly children: ReactNode;
}

interface SetUpProps {
  /** The answer of `startSetUp`. */
  readonly app: AppSecret;
  /** How the page shows a step. */
  readonly frame: (step: StepFrame) => ReactNode;
  /** Two-factor is on, and the recovery codes are saved. */
  readonly onDone: () => void;
  /** As in `AppStep`. */
  readonly onEnded: () => void;
  readonly onLoggedOut: () => void;
}

/** Sets up two-factor: the app with its first code, then the recovery codes. */
export function SetUp({ app, frame, onDone, onEnded, onLoggedOut }: SetUpProps) {
  const t = useTexts(twoFactorTexts);
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>();
  return recoveryCodes === undefined
    ? frame({
        title: t('appTitle'),
        introduction: t('appIntroduction'),
        children: <AppStep app={app} onConfirmed={setRecoveryCodes} onEnded={onEnded} onLoggedOut={onLoggedOut} />,
      })
    : frame({
        title: t('codesTitle'),
        introduction: t('codesIntroduction'),
        children: <RecoveryCodes codes={recoveryCodes} onDone={onDone} />,
      });
}
