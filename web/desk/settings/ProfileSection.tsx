import { type SubmitEvent, useRef, useState } from 'react';
import { TextArea } from '../../shared/components/TextArea.tsx';
import { TextField } from '../../shared/components/TextField.tsx';
import { FailureBanner } from '../../shared/frame/FailureBanner.tsx';
import { SubmitButton } from '../../shared/frame/SubmitButton.tsx';
import { useAttempt } from '../../shared/frame/useAttempt.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { Done, SettingsSection } from './SettingsSection.tsx';
import { type OwnSettings, type Profile, saveProfile } from './settings-query.ts';
import { settingsTexts } from './texts.ts';

interface ProfileSectionProps {
  readonly settings: OwnSettings;
  readonly onSaved: () => void;
}

export function ProfileSection({ settings: { id, profile: stored }, onSaved }: ProfileSectionProps) {
  const t = useTexts(settingsTexts);
  const [profile, setProfile] = useState(stored);
  const [hasLeftPseudo, setLeftPseudo] = useState(false);
  const [isDone, setDone] = useState(false);
  const pseudoInput = useRef<HTMLInputElement>(null);
  const { start, isPending, failure, forgetFailure, wait } = useAttempt(
    (changed: Profile) => saveProfile(id, stored, changed),
    () => {
      setDone(true);
      onSaved();
    },
  );
  const isPseudoMissing = profile.pseudo.trim() === '';
  const change = (changed: Partial<Profile>) => {
    setProfile({ ...profile, ...changed });
    setDone(false);
    forgetFailure();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setLeftPseudo(true);
    if (isPseudoMissing) return pseudoInput.current?.focus();
    start({ ...profile, pseudo: profile.pseudo.trim() });
  };
  return (
    <SettingsSection title={t('profile')} description={t('profileHint')}>
      <form className="settings-form" noValidate onSubmit={submit}>
        <FailureBanner failure={failure} wait={wait} />
        <TextField
          label={t('pseudo')}
          hint={t('pseudoHint')}
          error={hasLeftPseudo && isPseudoMissing ? t('pseudoMissing') : undefined}
          autoComplete="nickname"
          maxLength={255}
          value={profile.pseudo}
          onChange={(pseudo) => change({ pseudo })}
          onBlur={() => setLeftPseudo(true)}
          inputRef={pseudoInput}
        />
        <TextField
          label={t('status')}
          hint={t('statusHint')}
          autoComplete="off"
          maxLength={255}
          value={profile.status}
          onChange={(status) => change({ status })}
        />
        <TextArea
          label={t('description')}
          rows={3}
          maxLength={5000}
          value={profile.description}
          onChange={(description) => change({ description })}
        />
        <TextField
          label={t('city')}
          autoComplete="address-level2"
          maxLength={255}
          value={profile.city}
          onChange={(city) => change({ city })}
        />
        <TextField
          label={t('country')}
          autoComplete="country-name"
          maxLength={255}
          value={profile.country}
          onChange={(country) => change({ country })}
        />
        <SubmitButton label={t('saveProfile')} isPending={isPending} wait={wait} />
        <Done text={isDone ? t('profileSaved') : undefined} />
      </form>
    </SettingsSection>
  );
}
