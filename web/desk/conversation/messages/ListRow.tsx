import { FaultBoundary } from '../../../shared/page/FaultBoundary.tsx';
import type { MessageItem } from '../../state/message-items.ts';
import type { Viewer } from '../../state/model.ts';
import { DayLine } from './DayLine.tsx';
import { MessageRow } from './MessageRow.tsx';
import { NoteRow } from './NoteRow.tsx';
import { NoticeRow } from './NoticeRow.tsx';
import { PendingRow } from './PendingRow.tsx';

interface ListRowProps {
  readonly item: MessageItem;
  readonly previous: MessageItem | undefined;
  readonly conversationId: string;
  readonly readByVisitorUpTo: number;
  readonly viewer: Pick<Viewer, 'id' | 'pseudo'>;
  readonly visitorName: string;
}

/** The parts are memoised with their values: of many rows, only those that changed are drawn again. */
export function ListRow(props: ListRowProps) {
  return (
    <div className="message-row">
      <FaultBoundary part="desk: message" fallback={() => <PlainRow item={props.item} />}>
        <RowContent {...props} />
      </FaultBoundary>
    </div>
  );
}

/** A row that cannot be drawn: its text, and nothing that could fail. */
function PlainRow({ item }: Pick<ListRowProps, 'item'>) {
  return (
    <div className="message">
      <p className="bubble" dir="auto">
        {findText(item)}
      </p>
    </div>
  );
}

function findText(item: MessageItem): string {
  if (item.kind === 'date') return '';
  if (item.kind === 'note') return item.note.text;
  return item.kind === 'pending' ? item.pending.text : item.message.text;
}

function RowContent({ item, previous, conversationId, readByVisitorUpTo, viewer, visitorName }: ListRowProps) {
  if (item.kind === 'date') return <DayLine day={item.day} />;
  if (item.kind === 'note') return <NoteRow note={item.note} viewerId={viewer.id} />;
  if (item.kind === 'pending') {
    return (
      <PendingRow conversationId={conversationId} pending={item.pending} isFirst={!isByViewer(previous, viewer.id)} />
    );
  }
  const { message } = item;
  if (message.author === 'NOTICE') return <NoticeRow message={message} pseudo={viewer.pseudo} />;
  return (
    <MessageRow
      message={message}
      isFirst={item.startsGroup}
      isLast={item.endsGroup}
      isSeen={message.author === 'OPERATOR' && message.sequence <= readByVisitorUpTo}
      conversationId={conversationId}
      viewerId={viewer.id}
      visitorName={visitorName}
    />
  );
}

function isByViewer(item: MessageItem | undefined, viewerId: string): boolean {
  if (item?.kind === 'pending') return item.pending.kind === 'message';
  return item?.kind === 'message' && item.message.operator?.id === viewerId;
}
