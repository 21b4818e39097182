import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Banner } from '../components/Banner.tsx';
import { Button } from '../components/Button.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { Icon } from '../components/Icon.tsx';
import { ALERT, CHECK, CIRCLE } from '../components/icons.ts';
import { goToLogIn } from '../page/SessionPage.tsx';
import { commonTexts } from '../texts/common.ts';
import { useLanguage, useTexts } from '../texts/LanguageContext.tsx';
import { AppStep } from '../two-factor/AppStep.tsx';
import { RecoveryCodes } from '../two-factor/RecoveryCodes.tsx';
import { type AppSecret, startSetUp } from '../two-factor/set-up.ts';
import { twoFactorTexts } from '../two-factor/texts.ts';
import type { TwoFactorState } from './account-query.ts';
import { createRecoveryCodes, disableTwoFactor } from './changes.ts';
import { ProofForm } from './ProofForm.tsx';
import { type Result, Section } from './Section.tsx';
import { accountTexts } from './texts.ts';

interface TwoFactorSectionProps {
  readonly email: string;
  readonly state: TwoFactorState;
  readonly onChange: () => void;
}

type Step =
  | { readonly kind: 'state' }
  | { readonly kind: 'prove' | 'proveForCodes' | 'turnOff' }
  | { readonly kind: 'setUp'; readonly app: AppSecret }
  | { readonly kind: 'codes'; readonly recoveryCodes: readonly string[] };

export function TwoFactorSection({ email, state, onChange }: TwoFactorSectionProps) {
  const t = useTexts(accountTexts);
  const common = useTexts(commonTexts);
  const setUp = useTexts(twoFactorTexts);
  const [step, setStep] = useState<Step>({ kind: 'state' });
  const [done, setDone] = useState<Result>();
  const begin = (kind: 'prove' | 'proveForCodes' | 'turnOff') => () => {
    setDone(undefined);
    setStep({ kind });
  };
  const cancel = () => {
    setStep({ kind: 'state' });
    if (step.kind !== 'turnOff') setDone({});
  };
  const finish = (text: string) => () => {
    setStep({ kind: 'state' });
    setDone({ text });
    onChange();
  };
  return (
    <Section title={t('twoFactor')} description={t('twoFactorHint')} done={done}>
      <State state={state} />
      {(step.kind === 'state' || step.kind === 'turnOff') && (
        <div className="account-actions">
          {state.isEnabled ? (
            <>
              <Button onPress={begin('proveForCodes')}>{t('newCodes')}</Button>
              <Button onPress={begin('prove')}>{t('moveApp')}</Button>
              {!state.isRequired && <Button onPress={begin('turnOff')}>{t('turnOff')}</Button>}
            </>
          ) : (
            <Button onPress={begin('prove')}>{t('setUp')}</Button>
          )}
        </div>
      )}
      {step.kind === 'prove' && (
        <ProofForm
          email={email}
          needsCode={state.isEnabled}
          action={t('proceed')}
          run={({ currentPassword, code }) => startSetUp({ currentPassword, ...(code && { code }) })}
          onDone={(app) => setStep({ kind: 'setUp', app })}
          onCancel={cancel}
        >
          {state.isEnabled ? t('moveAppText') : t('setUpText')}
        </ProofForm>
      )}
      {step.kind === 'setUp' && (
        <div className="account-step">
          <Step title={setUp('appTitle')} introduction={setUp('appIntroduction')}>
            <AppStep
              app={step.app}
              onConfirmed={(recoveryCodes) => {
                setStep({ kind: 'codes', recoveryCodes });
                onChange();
              }}
              onEnded={finish(t('setUpEnded'))}
              onLoggedOut={() => goToLogIn('ended')}
            />
          </Step>
          <Button onPress={cancel}>{common('cancel')}</Button>
        </div>
      )}
      {step.kind === 'proveForCodes' && (
        <ProofForm
          email={email}
          needsCode
          action={t('newCodes')}
          run={createRecoveryCodes}
          onDone={({ recoveryCodes }) => setStep({ kind: 'codes', recoveryCodes: recoveryCodes ?? [] })}
          onCancel={cancel}
        >
          {t('newCodesText')}
        </ProofForm>
      )}
      {step.kind === 'codes' && (
        <div className="account-step">
          <Step title={setUp('codesTitle')} introduction={setUp('codesIntroduction')}>
            <RecoveryCodes codes={step.recoveryCodes} onDone={finish(t('codesSaved'))} />
          </Step>
        </div>
      )}
      {step.kind === 'turnOff' && (
        <Dialog title={t('turnOffTitle')} onCancel={cancel}>
          <ProofForm
            email={email}
            needsCode
            isDangerous
            action={t('turnOff')}
            run={disableTwoFactor}
            onDone={finish(t('turnedOff'))}
            onCancel={cancel}
          >
            {t('turnOffText')}
          </ProofForm>
        </Dialog>
      )}
    </Section>
  );
}

interface StepProps {
  readonly title: string;
  readonly introduction: string;
  readonly children: ReactNode;
}

/** One step of the set-up. A new one gets the focus, so that a screen reader says what it is. */
function Step({ title, introduction, children }: StepProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [title]);
  return (
    <>
      <div>
        <h3 className="account-step-title" ref={heading} tabIndex={-1}>
          {title}
        </h3>
        <p className="muted">{introduction}</p>
      </div>
      {children}
    </>
  );
}

function State({ state: { isEnabled, isRequired, enabledAt, recoveryCodesLeft } }: { readonly state: TwoFactorState }) {
  const t = useTexts(accountTexts);
  const { locale } = useLanguage();
  const date = enabledAt && new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(enabledAt));
  return (
    <>
      <p className="account-facts">
        <span className="state" data-state={isEnabled ? undefined : 'offline'}>
          <Icon path={isEnabled ? CHECK : CIRCLE} />
          {isEnabled ? t('on') : t('off')}
        </span>
        {date && <span>{t('onSince', { date })}</span>}
        {isEnabled && recoveryCodesLeft !== null && <span>{t('codesLeft', { count: recoveryCodesLeft })}</span>}
        {isRequired && <span>{t('isRequired')}</span>}
      </p>
      {isEnabled && recoveryCodesLeft !== null && recoveryCodesLeft <= 2 && (
        <Banner icon={ALERT}>{t('fewCodes')}</Banner>
      )}
    </>
  );
}
