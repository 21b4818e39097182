import { useEffect, useState } from 'react';
import { Banner } from '../../shared/components/Banner.tsx';
import { Button } from '../../shared/components/Button.tsx';
import { ALERT } from '../../shared/components/icons.ts';
import { Switch } from '../../shared/components/Switch.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { type NotificationAccess, readNotificationAccess } from './notification-permission.ts';
import { settingsTexts } from './texts.ts';

interface NotificationChoiceProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** The wish is kept for all computers; each browser asks for its own permission. */
export function NotificationChoice({ isOn, onChange }: NotificationChoiceProps) {
  const t = useTexts(settingsTexts);
  const { access, ask } = useNotificationAccess();
  const change = (wish: boolean) => {
    onChange(wish);
    if (wish) ask();
  };
  return (
    <>
      <Switch label={t('notifications')} hint={t('notificationsHint')} isOn={isOn} onChange={change} />
      {isOn && access === 'blocked' && (
        <Banner icon={ALERT} title={t('blockedTitle')}>
          {t('blocked')}
        </Banner>
      )}
      {isOn && access === 'missing' && <Banner icon={ALERT}>{t('notificationsMissing')}</Banner>}
      {isOn && access === 'unasked' && (
        <div className="settings-failure">
          <Banner icon={ALERT}>{t('notAskedYet')}</Banner>
          <Button onPress={ask}>{t('allow')}</Button>
        </div>
      )}
    </>
  );
}

function useNotificationAccess(): { readonly access: NotificationAccess; readonly ask: () => Promise<void> } {
  const read = () => readNotificationAccess(globalThis.Notification, globalThis.isSecureContext);
  const [access, setAccess] = useState(read);
  useEffect(() => {
    // Someone may change it in the settings of the browser meanwhile.
    const update = () => setAccess(readNotificationAccess(globalThis.Notification, globalThis.isSecureContext));
    addEventListener('focus', update);
    return () => removeEventListener('focus', update);
  }, []);
  const ask = async () => {
    if (read() === 'unasked') await Notification.requestPermission();
    setAccess(read());
  };
  return { access, ask };
}
