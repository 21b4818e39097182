import { useEffect, useRef } from 'react';
import { useReading } from '../../shared/api/useReading.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { describeVisitor } from '../conversation/describe-visitor.ts';
import { conversationTexts } from '../conversation/texts.ts';
import { useDesk } from '../DeskContext.tsx';
import type { DeskConversation } from '../state/model.ts';
import { ContextFacts } from './ContextFacts.tsx';
import { CustomFields } from './CustomFields.tsx';
import { Identity } from './Identity.tsx';
import { PanelFailure, PanelSkeleton } from './PanelFailure.tsx';
import { RoutingSection } from './routing/RoutingSection.tsx';
import { TagsSection } from './tags/TagsSection.tsx';
import { readVisitor } from './visitor-query.ts';

/** Everything about the visitor of a conversation, and why it came to its operator. */
export function VisitorPanel({ conversationId }: { readonly conversationId: string }) {
  const conversation = useDesk((state) => state.conversations.get(conversationId));
  return conversation && <Panel key={conversationId} conversation={conversation} />;
}

function Panel({ conversation }: { readonly conversation: DeskConversation }) {
  const t = useTexts(conversationTexts);
  const visitor = useVisitor(conversation);
  const { value } = visitor;
  const name = describeVisitor(value ?? conversation.visitor, t);
  return (
    <div className="visitor-panel">
      <Identity
        name={name}
        email={value?.email ?? conversation.visitor?.email ?? ''}
        isEmailVerified={value?.context?.verifiedDetails.includes('email') ?? false}
        isErased={value?.erasedAt != null}
      />
      {visitor.failure && <PanelFailure failure={visitor.failure} onRetry={visitor.reload} />}
      {value && <ContextFacts conversation={conversation} visitor={value} />}
      {value === undefined && visitor.failure === undefined && <PanelSkeleton widths={['70%', '85%', '60%', '75%']} />}
      {value?.context && <CustomFields fields={value.context.fields} />}
      <TagsSection conversation={conversation} />
      <RoutingSection
        conversation={conversation}
        visitorName={describeVisitor(value ?? conversation.visitor, t, 'short')}
      />
    </div>
  );
}

/** Read again when the visitor opens another page, or their fields or details change. */
function useVisitor({ id, visitor }: DeskConversation) {
  const change = useDesk((state) => (visitor ? state.visitorChanges.get(visitor.id) : undefined));
  const reading = useReading(id, () => readVisitor(id));
  const lastChange = useRef(change);
  const { reload } = reading;
  useEffect(() => {
    if (lastChange.current === change) return;
    lastChange.current = change;
    reload();
  }, [change, reload]);
  return reading;
}
