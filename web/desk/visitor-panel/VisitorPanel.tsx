import { memo, useEffect, useRef, useState } from 'react';
import { IconButton } from '../../shared/components/Button.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../DeskContext.tsx';
import { useVisitorName } from '../frame/useVisitorName.ts';
import { PENCIL } from '../icons.ts';
import { readDraft } from '../state/drafts.ts';
import type { ConversationFacts } from '../state/facts.ts';
import type { DeskState } from '../state/model.ts';
import { useFacts } from '../useFacts.ts';
import { ContextFacts } from './ContextFacts.tsx';
import { CustomFields } from './CustomFields.tsx';
import { DetailsForm } from './details/DetailsForm.tsx';
import { EarlierSection } from './earlier/EarlierSection.tsx';
import { Identity } from './Identity.tsx';
import { PanelFailure, PanelSkeleton } from './PanelFailure.tsx';
import { RoutingSection } from './routing/RoutingSection.tsx';
import { TagsSection } from './tags/TagsSection.tsx';
import { visitorPanelTexts } from './texts.ts';
import { useFocusReturn } from './useFocusReturn.ts';
import { usePanelReading } from './usePanelReading.ts';
import { readVisitor } from './visitor-query.ts';

/** Everything about the visitor of a conversation, and why it came to its operator. */
export function VisitorPanel({ conversationId }: { readonly conversationId: string }) {
  const conversation = useFacts(useDesk((state) => state.conversations.get(conversationId)));
  return conversation && <Panel key={conversationId} conversation={conversation} />;
}

/** Not drawn again with every message. */
const Panel = memo(function Panel({ conversation }: { readonly conversation: ConversationFacts }) {
  const nameVisitor = useVisitorName();
  const tOfPanel = useTexts(visitorPanelTexts);
  const { value, failure, isLost, reload } = useVisitor(conversation);
  const editing = useEditing(conversation, reload);
  const isEditing = editing.isEditing && value?.erasedAt === null;
  const name = nameVisitor(value ?? conversation.visitor);
  const shortName = nameVisitor(value ?? conversation.visitor, 'short');
  return (
    <div className="visitor-panel">
      <Identity
        name={name}
        email={value?.email ?? conversation.visitor?.email ?? ''}
        isEmailVerified={value?.context?.verifiedDetails.includes('email') ?? false}
        isErased={value?.erasedAt != null}
      >
        {value && value.erasedAt === null && editing.button}
      </Identity>
      {isLost && value === undefined && <p className="panel-failure small">{tOfPanel('shownWhenBack')}</p>}
      {failure && <PanelFailure failure={failure} onRetry={reload} />}
      {value && isEditing && (
        <DetailsForm
          visitor={value}
          draftKey={formatDraftKey(conversation)}
          hasFocus={editing.isOpened}
          onDone={editing.finish}
          onCancel={editing.cancel}
        />
      )}
      {value && !isEditing && <ContextFacts conversation={conversation} visitor={value} />}
      {value === undefined && failure === undefined && !isLost && (
        <PanelSkeleton widths={['70%', '85%', '60%', '75%']} />
      )}
      {value?.context && <CustomFields fields={value.context.fields} />}
      <TagsSection conversation={conversation} />
      {conversation.visitor && (
        <EarlierSection conversationId={conversation.id} visitor={{ id: conversation.visitor.id, name: shortName }} />
      )}
      <RoutingSection conversation={conversation} visitorName={shortName} />
    </div>
  );
});

function formatDraftKey({ id }: ConversationFacts): string {
  return `${id}:details`;
}

/**
 * The form for the details, with the button that opens it and gets the focus back. What was typed and not saved opens
 * it again with the conversation.
 */
function useEditing(conversation: ConversationFacts, reload: () => unknown) {
  const t = useTexts(visitorPanelTexts);
  const mayEdit = useDesk((state) => canEdit(state, conversation));
  const [isEditing, setEditing] = useState(() => readDraft(formatDraftKey(conversation)) !== '');
  const [isOpened, setOpened] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const button = useFocusReturn(isEditing);
  const end = (hasSaved: boolean) => {
    setEditing(false);
    setSaved(hasSaved);
    if (hasSaved) reload();
  };
  const open = () => {
    setSaved(false);
    setOpened(true);
    setEditing(true);
  };
  return {
    isEditing: isEditing && mayEdit,
    /** With the button, which moves the focus into it. */
    isOpened,
    finish: () => end(true),
    cancel: () => end(false),
    button: mayEdit && (
      <>
        {!isEditing && <IconButton icon={PENCIL} label={t('edit')} ref={button} onPress={open} />}
        <span className="visually-hidden" role="status">
          {isSaved && t('saved')}
        </span>
      </>
    ),
  };
}

/** The service decides; experts never may. */
function canEdit({ viewer }: DeskState, { operator }: ConversationFacts): boolean {
  if (viewer.role === 'EXPERT') return false;
  return operator?.id === viewer.id || viewer.role !== 'OPERATOR';
}

/** Read again when the visitor opens another page, or their fields or details change. */
function useVisitor({ id, visitor }: ConversationFacts) {
  const change = useDesk((state) => (visitor ? state.visitorChanges.get(visitor.id) : undefined));
  const reading = usePanelReading(`visitor ${id}`, () => readVisitor(id));
  const lastChange = useRef(change);
  const { reload } = reading;
  useEffect(() => {
    if (lastChange.current === change) return;
    lastChange.current = change;
    reload();
  }, [change, reload]);
  return reading;
}
