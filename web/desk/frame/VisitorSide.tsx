import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { IconButton } from '../../shared/components/Button.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { CROSS } from '../icons.ts';
import { navigate } from './navigation.ts';
import { type DeskRoute, toConversation } from './route.ts';
import { frameTexts } from './texts.ts';

interface VisitorSideProps {
  readonly route: DeskRoute & { readonly view: 'conversation' };
  readonly children: ReactNode;
}

/** Beside the conversation; a drawer over it where there is no room. */
export function VisitorSide({ route, children }: VisitorSideProps) {
  const t = useTexts(frameTexts);
  const side = useRef<HTMLElement>(null);
  const close = () => navigate(toConversation(route.conversationId));
  useDrawer(side, route.isVisitorShown, close);
  return (
    <aside
      className="side"
      aria-label={t('visitor')}
      data-open={route.isVisitorShown ? '' : undefined}
      ref={side}
      tabIndex={-1}
    >
      <span className="side-close">
        <IconButton icon={CROSS} label={t('closeVisitor')} onPress={close} />
      </span>
      {children}
    </aside>
  );
}

/** The focus goes into the drawer and back to what opened it; Escape closes it. */
function useDrawer(side: RefObject<HTMLElement | null>, isOpen: boolean, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!isOpen) return;
    const opener = document.activeElement;
    side.current?.querySelector<HTMLElement>('.side-close button')?.focus();
    const handle = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      latest.current();
    };
    document.addEventListener('keydown', handle);
    return () => {
      document.removeEventListener('keydown', handle);
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, [isOpen, side]);
}
