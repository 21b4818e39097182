import { useEffect, useRef } from 'react';
import { Button } from '../../../shared/components/Button.tsx';
import { fold } from '../../../shared/format/fold.ts';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { conversationTexts } from '../texts.ts';
import type { CannedReply } from './canned-replies.ts';
import type { Canned } from './useCanned.ts';

const SCOPE_TEXTS = { OWN: 'cannedOwn', GROUP: 'cannedGroup', ACCOUNT: 'cannedAccount' } as const;

/** Above the field, whose keys move through it. */
export function CannedList({ canned }: { readonly canned: Canned }) {
  const t = useTexts(conversationTexts);
  const { listId, matches, status, chosen, query } = canned;
  const list = useRef<HTMLDivElement>(null);
  // Also when the list is another one.
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen, matches]);
  if (matches === undefined) return null;
  return (
    // The field keeps the focus.
    // biome-ignore lint/a11y/noStaticElementInteractions: the list is used from the field
    <div className="popover canned" onMouseDown={(event) => event.preventDefault()}>
      {matches.length === 0 ? (
        <p className="canned-empty" role="status">
          {status === 'loading' && t('cannedLoading')}
          {status === 'failed' && (
            <>
              {t('cannedFailed')}{' '}
              <Button size="small" kind="quiet" onPress={canned.retry}>
                {t('tryAgain')}
              </Button>
            </>
          )}
          {status === 'loaded' && t('cannedNone')}
        </p>
      ) : (
        <>
          <div className="canned-items" id={listId} role="listbox" aria-label={t('cannedReplies')} ref={list}>
            {matches.map((reply, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
              // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the field
              <div
                className="canned-item"
                key={reply.id}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === chosen}
                onMouseMove={() => canned.choose(index)}
                onClick={() => canned.insert(reply)}
              >
                <span className="strong truncate">
                  /<Marked text={reply.shortcut} part={query} />
                </span>
                <span className="muted truncate" lang={reply.language ?? undefined}>
                  {canned.fill(reply)}
                </span>
                <span className="small">{describeScope(reply, t)}</span>
              </div>
            ))}
          </div>
          <div className="popover-foot" aria-hidden="true">
            <span>
              <kbd className="key">↑</kbd>
              <kbd className="key">↓</kbd> {t('keyChoose')}
            </span>
            <span>
              <kbd className="key">⏎</kbd> {t('keyInsert')}
            </span>
            <span>
              <kbd className="key">esc</kbd> {t('keyClose')}
            </span>
          </div>
        </>
      )}
    </div>
  );
}

function describeScope(
  { scope, language }: CannedReply,
  t: (key: (typeof SCOPE_TEXTS)[keyof typeof SCOPE_TEXTS]) => string,
): string {
  return [language?.toUpperCase(), t(SCOPE_TEXTS[scope])].filter(Boolean).join(' · ');
}

/** The part of the shortcut that was typed. */
function Marked({ text, part }: { readonly text: string; readonly part: string }) {
  const start = fold(text).indexOf(fold(part));
  // An accent can change the length: then nothing is marked.
  if (part === '' || start < 0 || fold(text).length !== text.length) return text;
  return (
    <>
      {text.slice(0, start)}
      <mark>{text.slice(start, start + part.length)}</mark>
      {text.slice(start + part.length)}
    </>
  );
}
