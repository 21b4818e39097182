import { useReading } from '../../shared/api/useReading.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { BackToList } from '../frame/BackToList.tsx';
import { AlertsSection } from './AlertsSection.tsx';
import { AppearanceSection } from './AppearanceSection.tsx';
import { CannedSection } from './canned/CannedSection.tsx';
import { Failed } from './Failed.tsx';
import { KeyboardSection } from './KeyboardSection.tsx';
import { PickupSection } from './PickupSection.tsx';
import { ProfileSection } from './ProfileSection.tsx';
import { SettingsSection } from './SettingsSection.tsx';
import { readSettings } from './settings-query.ts';
import { settingsTexts } from './texts.ts';

/** What operators choose for themselves. Kept by the service: it is the same wherever they log in. */
export function SettingsView() {
  const t = useTexts(settingsTexts);
  const { value: settings, failure, reload } = useReading('', readSettings);
  return (
    <div className="settings">
      <div className="settings-head">
        <BackToList />
        <h2>{t('title')}</h2>
      </div>
      <Failed failure={failure} onRetry={reload} />
      {settings && <ProfileSection settings={settings} onSaved={reload} />}
      {settings === undefined && failure === undefined && <Skeleton />}
      {settings && <AppearanceSection operatorId={settings.id} />}
      <AlertsSection />
      <KeyboardSection />
      {settings?.pickup && <PickupSection operatorId={settings.id} stored={settings.pickup} onSaved={reload} />}
      <CannedSection />
      <SettingsSection title={t('account')} description={t('accountHint')}>
        <a className="settings-link" href={`/account?${new URLSearchParams({ from: '/desk/settings' })}`}>
          {t('toAccount')}
        </a>
      </SettingsSection>
    </div>
  );
}

function Skeleton() {
  return (
    <div className="settings-skeleton" aria-busy="true">
      {['40%', '90%', '60%', '45%'].map((width) => (
        <span className="skeleton" key={width} style={{ '--skeleton': width } as object} />
      ))}
    </div>
  );
}
