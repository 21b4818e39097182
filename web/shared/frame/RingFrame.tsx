import { type ReactNode, useEffect } from 'react';
import { OfferRing, type RingTime } from '../components/OfferRing.tsx';
import { Brand } from './Brand.tsx';
import { LanguageSelect } from './LanguageSelect.tsx';
import { ThemeSwitch } from './ThemeSwitch.tsx';

interface RingFrameProps {
  /** Also the title of the window. */
  readonly title: string;
  readonly introduction?: ReactNode;
  readonly ringTime?: RingTime | undefined;
  readonly isRingEnding?: boolean;
  readonly children: ReactNode;
}

/** A page for one task, inside the ring: before anyone has logged in there is nothing else. */
export function RingFrame({ title, introduction, ringTime, isRingEnding = false, children }: RingFrameProps) {
  useEffect(() => {
    document.title = `${title} · Switchboard`;
  }, [title]);
  return (
    <div className="ring-frame">
      <header className="ring-frame-bar">
        <span className="brand">
          <Brand />
        </span>
        <ThemeSwitch />
      </header>
      <main className="ring-frame-main">
        <OfferRing time={ringTime} isEnding={isRingEnding} />
        <div className="ring-frame-content">
          <div className="ring-frame-title">
            <h1 tabIndex={-1}>{title}</h1>
            {introduction !== undefined && <p className="muted">{introduction}</p>}
          </div>
          {children}
        </div>
      </main>
      <footer className="ring-frame-bar">
        <span className="small truncate">{location.host}</span>
        <LanguageSelect />
      </footer>
    </div>
  );
}
