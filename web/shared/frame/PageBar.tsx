import { useEffect } from 'react';
import type { Session } from '../api/session.ts';
import { Button } from '../components/Button.tsx';
import { LOG_OUT } from '../components/icons.ts';
import { commonTexts } from '../texts/common.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import { Brand } from './Brand.tsx';

interface PageBarProps {
  /** Of the window. */
  readonly title: string;
  readonly session: Session;
  readonly onLogOut: () => void;
}

/** The bar at the top of a page for operators. */
export function PageBar({ title, session, onLogOut }: PageBarProps) {
  const t = useTexts(commonTexts);
  useEffect(() => {
    document.title = `${title} · Switchboard`;
  }, [title]);
  return (
    <header className="page-bar">
      <a className="brand" href="/">
        <Brand />
      </a>
      <span className="page-bar-end">
        <span className="truncate">{session.operator.name}</span>
        <Button kind="quiet" icon={LOG_OUT} onPress={onLogOut}>
          {t('logOut')}
        </Button>
      </span>
    </header>
  );
}
