import { useState } from 'react';
import { Button } from '../../../shared/components/Button.tsx';
import { Icon } from '../../../shared/components/Icon.tsx';
import { FailureBanner } from '../../../shared/frame/FailureBanner.tsx';
import { useAttempt } from '../../../shared/frame/useAttempt.ts';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../../DeskContext.tsx';
import { CROSS, PLUS } from '../../icons.ts';
import type { ConversationFacts } from '../../state/facts.ts';
import type { DeskState, Named } from '../../state/model.ts';
import { PanelSection } from '../PanelSection.tsx';
import { visitorPanelTexts } from '../texts.ts';
import { useFocusReturn } from '../useFocusReturn.ts';
import { TagPicker } from './TagPicker.tsx';

/** The tags of the conversation. Its operator and managers change them, one at a time. */
export function TagsSection({ conversation }: { readonly conversation: ConversationFacts }) {
  const t = useTexts(visitorPanelTexts);
  const { setTags } = useDeskActions();
  const { id, tags, website } = conversation;
  const mayTag = useDesk((state) => canTag(state, conversation));
  const [isPicking, setPicking] = useState(false);
  const [said, setSaid] = useState('');
  const addButton = useFocusReturn(isPicking);
  const { start, failure, wait } = useAttempt(
    ({ changed }: { changed: readonly Named[]; text: string }) =>
      setTags(
        id,
        changed.map((tag) => tag.id),
      ),
    () => undefined,
  );
  const change = async (changed: readonly Named[], text: string) => {
    if ((await start({ changed, text })) === undefined) setSaid(text);
  };
  const remove = async (tag: Named) => {
    await change(
      tags.filter((each) => each.id !== tag.id),
      t('tagRemoved', { name: tag.name }),
    );
    addButton.current?.focus();
  };
  return (
    <PanelSection name="tags" title={t('tags')}>
      <FailureBanner failure={failure} wait={wait} />
      <ul className="tags">
        {tags.map((tag) => (
          <li className="tag" key={tag.id}>
            <span className="truncate">{tag.name}</span>
            {mayTag && (
              <button
                type="button"
                className="tag-remove"
                aria-label={t('removeTag', { name: tag.name })}
                onClick={() => remove(tag)}
              >
                <Icon path={CROSS} />
              </button>
            )}
          </li>
        ))}
        {tags.length === 0 && !mayTag && <li className="small">{t('noTags')}</li>}
        {mayTag && !isPicking && (
          <li>
            <Button
              kind="quiet"
              size="small"
              icon={PLUS}
              ref={addButton}
              aria-label={t('addTagLong')}
              onPress={() => setPicking(true)}
            >
              {t('addTag')}
            </Button>
          </li>
        )}
      </ul>
      {isPicking && website && (
        <TagPicker
          websiteId={website.id}
          present={tags}
          onPick={(tag) => change([...tags, tag], t('tagAdded', { name: tag.name }))}
          onEnd={() => setPicking(false)}
        />
      )}
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </PanelSection>
  );
}

function canTag({ viewer }: DeskState, { operator, website }: ConversationFacts): boolean {
  const isManager = viewer.role === 'MANAGER' || viewer.role === 'ADMIN';
  return website !== null && (operator?.id === viewer.id || isManager);
}
