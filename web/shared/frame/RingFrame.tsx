import { type ReactNode, useEffect, useRef } from 'react';
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
  /** For a page without a field: a screen reader says what has happened. */
  readonly isTitleFocused?: boolean;
  readonly children: ReactNode;
}

/** A page for one task, inside the ring: before anyone has logged in there is nothing else. */
export function RingFrame(props: RingFrameProps) {
  const { title, introduction, ringTime, isRingEnding = false, isTitleFocused = false, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Switchboard`;
  }, [title]);
  useEffect(() => {
    if (isTitleFocused) heading.current?.focus();
  }, [isTitleFocused]);
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
            <h1 tabIndex={-1} ref={heading}>
              {title}
            </h1>
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
