import { useState } from 'react';
import { Button } from '../components/Button.tsx';
import { RelativeTime } from '../format/RelativeTime.tsx';
import { ConfirmDialog } from '../frame/ConfirmDialog.tsx';
import { useTexts } from '../texts/LanguageContext.tsx';
import type { Account, BrowserSession, FailedLogin } from './account-query.ts';
import { endOtherSessions, endSession } from './changes.ts';
import { DeviceName, useDeviceName } from './DeviceName.tsx';
import { type Result, Section } from './Section.tsx';
import { accountTexts } from './texts.ts';

interface SessionsSectionProps {
  readonly account: Account;
  readonly onChange: () => void;
}

/** Where one is logged in, and who tried. */
export function SessionsSection({ account: { sessions, failedLogins }, onChange }: SessionsSectionProps) {
  const t = useTexts(accountTexts);
  const getDeviceName = useDeviceName();
  const [toEnd, setToEnd] = useState<BrowserSession | 'others'>();
  const [done, setDone] = useState<Result>();
  const ordered = sessions.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
  const others = sessions.filter(({ isCurrent }) => !isCurrent);
  const close = () => setToEnd(undefined);
  const finish = (text: string) => () => {
    close();
    setDone({ text });
    onChange();
  };
  return (
    <>
      <Section title={t('sessions')} description={t('sessionsHint')} done={done}>
        <ul className="account-list">
          {ordered.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={() => setToEnd(session)} />
          ))}
        </ul>
        <div className="account-actions">
          <Button onPress={() => setToEnd('others')} isDisabled={others.length === 0}>
            {others.length === 0 ? t('noOtherSessions') : t('endOthers')}
          </Button>
        </div>
      </Section>
      <Section title={t('failedLogins')} description={t('failedLoginsHint')}>
        {failedLogins.length === 0 ? (
          <p className="muted">{t('noFailedLogins')}</p>
        ) : (
          <ul className="account-list">
            {failedLogins.map((attempt) => (
              <FailedLoginRow key={`${attempt.at} ${attempt.address} ${attempt.reason}`} attempt={attempt} />
            ))}
          </ul>
        )}
      </Section>
      {toEnd === 'others' && (
        <ConfirmDialog
          title={t('endOthersTitle', { count: others.length })}
          action={t('endOthers')}
          run={endOtherSessions}
          onDone={finish(t('othersEnded'))}
          onCancel={close}
        >
          {t('endOthersText')}
        </ConfirmDialog>
      )}
      {typeof toEnd === 'object' && (
        <ConfirmDialog
          title={t('endTitle', { device: getDeviceName(toEnd.device) })}
          action={t('endSession')}
          run={() => endSession(toEnd.id)}
          onDone={finish(t('ended', { device: getDeviceName(toEnd.device) }))}
          onCancel={close}
        >
          {t('endText')}
        </ConfirmDialog>
      )}
    </>
  );
}

function SessionRow({ session, onEnd }: { readonly session: BrowserSession; readonly onEnd: () => void }) {
  const t = useTexts(accountTexts);
  const getDeviceName = useDeviceName();
  const { device, address, createdAt, lastUsedAt, isCurrent } = session;
  return (
    <li>
      <div>
        <span className="account-device">
          <DeviceName userAgent={device} />
          {isCurrent && <span className="tag">{t('thisBrowser')}</span>}
        </span>
        <span className="account-facts">
          {address !== null && <span>{address}</span>}
          <span>
            {t('loggedIn')} <RelativeTime at={createdAt} />
          </span>
          {lastUsedAt !== null && !isCurrent && (
            <span>
              {t('lastUsed')} <RelativeTime at={lastUsedAt} />
            </span>
          )}
        </span>
      </div>
      {!isCurrent && (
        <Button size="small" aria-label={t('endDevice', { device: getDeviceName(device) })} onPress={onEnd}>
          {t('end')}
        </Button>
      )}
    </li>
  );
}

function FailedLoginRow({ attempt: { at, address, device, reason } }: { readonly attempt: FailedLogin }) {
  const t = useTexts(accountTexts);
  return (
    <li>
      <div>
        <DeviceName userAgent={device} />
        <span className="account-facts">
          <span>{reason === 'WRONG_CODE' ? t('wrongCodeTried') : t('wrongPasswordTried')}</span>
          <span>{address}</span>
          <RelativeTime at={at} />
        </span>
      </div>
    </li>
  );
}
