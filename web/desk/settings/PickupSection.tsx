import { type SubmitEvent, useRef, useState } from 'react';
import { Segments } from '../../shared/components/Segments.tsx';
import { Switch } from '../../shared/components/Switch.tsx';
import { TextField } from '../../shared/components/TextField.tsx';
import { FailureBanner } from '../../shared/frame/FailureBanner.tsx';
import { SubmitButton } from '../../shared/frame/SubmitButton.tsx';
import { useAttempt } from '../../shared/frame/useAttempt.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { isPhoneNumber } from './phone-number.ts';
import { Done, SettingsSection } from './SettingsSection.tsx';
import { type Pickup, savePickup } from './settings-query.ts';
import { settingsTexts } from './texts.ts';

interface PickupSectionProps {
  readonly operatorId: string;
  readonly stored: Pickup;
  readonly onSaved: () => void;
}

/** Where the operator answers calls. */
export function PickupSection({ operatorId, stored, onSaved }: PickupSectionProps) {
  const t = useTexts(settingsTexts);
  const [pickup, setPickup] = useState(stored);
  const [hasLeft, setLeft] = useState(false);
  const [isDone, setDone] = useState(false);
  const numberInput = useRef<HTMLInputElement>(null);
  const { start, isPending, failure, forgetFailure, wait } = useAttempt(
    (changed: Pickup) => savePickup(operatorId, changed),
    () => {
      setDone(true);
      onSaved();
    },
  );
  const isPhone = pickup.type === 'ANSWER_FROM_PHONE';
  const isMissing = isPhone && pickup.phoneNumber.trim() === '' && !pickup.askPhoneNumberAtEveryConnection;
  const isWrong = pickup.phoneNumber.trim() !== '' && !isPhoneNumber(pickup.phoneNumber);
  const isRefused = failure?.kind === 'refused' && failure.code.startsWith('phoneNumber.');
  const change = (changed: Partial<Pickup>) => {
    setPickup({ ...pickup, ...changed });
    setDone(false);
    forgetFailure();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setLeft(true);
    if (isPhone && (isMissing || isWrong)) return numberInput.current?.focus();
    start(isPhone ? pickup : { ...pickup, phoneNumber: isWrong ? '' : pickup.phoneNumber });
  };
  const mistake = (hasLeft && isWrong) || isRefused ? t('phoneInvalid') : t('phoneMissing');
  return (
    <SettingsSection title={t('pickup')} description={t('pickupHint')}>
      <form className="settings-form" noValidate onSubmit={submit}>
        {!isRefused && <FailureBanner failure={failure} wait={wait} />}
        <Segments
          label={t('answerCalls')}
          value={pickup.type}
          options={{ ANSWER_FROM_DESK: t('fromDesk'), ANSWER_FROM_PHONE: t('fromPhone') }}
          onChange={(type) => change({ type })}
        />
        {isPhone && (
          <>
            <TextField
              label={t('phone')}
              hint={t('phoneHint')}
              error={(hasLeft && (isMissing || isWrong)) || isRefused ? mistake : undefined}
              type="tel"
              autoComplete="tel"
              maxLength={40}
              value={pickup.phoneNumber}
              onChange={(phoneNumber) => change({ phoneNumber })}
              onBlur={() => setLeft(true)}
              inputRef={numberInput}
            />
            <Switch
              label={t('askPhone')}
              isOn={pickup.askPhoneNumberAtEveryConnection}
              onChange={(askPhoneNumberAtEveryConnection) => change({ askPhoneNumberAtEveryConnection })}
            />
          </>
        )}
        <SubmitButton label={t('savePickup')} isPending={isPending} wait={wait} />
        <Done text={isDone ? t('pickupSaved') : undefined} />
      </form>
    </SettingsSection>
  );
}
