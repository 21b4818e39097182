import { type KeyboardEvent, type RefObject, type SyntheticEvent, useEffect, useId, useMemo, useState } from 'react';
import type { ConversationFacts } from '../../state/facts.ts';
import type { Viewer } from '../../state/model.ts';
import { insertText } from '../composer/insert-text.ts';
import {
  type CannedQuery,
  type CannedReply,
  fillCannedReply,
  findCannedQuery,
  matchCannedReplies,
} from './canned-replies.ts';
import { useCannedReplies } from './useCannedReplies.ts';

interface CannedOptions {
  readonly conversation: ConversationFacts;
  readonly viewer: Viewer;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** Not in a note: the replies are for visitors. */
  readonly isEnabled: boolean;
}

export interface Canned {
  readonly listId: string;
  readonly query: string;
  /** Undefined while there is nothing to show. */
  readonly matches: readonly CannedReply[] | undefined;
  readonly status: 'loading' | 'failed' | 'loaded';
  readonly chosen: number;
  readonly fieldProps: object;
  /** With Escape, at the slash where the caret is: it is a slash like any other. */
  readonly isClosed: boolean;
  /** The texts with their variables filled. */
  fill(reply: CannedReply): string;
  choose(index: number): void;
  insert(reply: CannedReply): void;
  retry(): void;
  /** Of the button: as if a slash was typed. */
  open(): void;
  /** Returns whether the list has used the key. */
  onKeyDown(event: KeyboardEvent): boolean;
}

const MOST = 50;

/** The list above the field. The focus stays in the field, and the arrow keys move through the list. */
export function useCanned({ conversation, viewer, field, isEnabled }: CannedOptions): Canned {
  const listId = useId();
  const [query, setQuery] = useState<CannedQuery>();
  const [chosen, setChosen] = useState(0);
  /** Where a slash stands after which the list was closed with Escape. */
  const [closedAt, setClosedAt] = useState<number>();
  const isOpen = isEnabled && query !== undefined && query.start !== closedAt;
  const { replies, status, retry } = useCannedReplies(isOpen);
  const typed = query?.text ?? '';
  const matches = useMemo(
    () => (isOpen ? matchCannedReplies(replies, typed, conversation.language).slice(0, MOST) : undefined),
    [isOpen, replies, typed, conversation.language],
  );
  // Without a match there is no list: then it is a slash like any other, and Enter sends.
  const shown = matches !== undefined && (matches.length > 0 || typed === '') ? matches : undefined;
  // Another list begins at its top.
  useEffect(() => setChosen(0), [typed, isOpen]);

  const values = {
    'visitor.firstname': conversation.visitor?.firstname ?? '',
    'visitor.name': `${conversation.visitor?.firstname ?? ''} ${conversation.visitor?.lastname ?? ''}`,
    'operator.pseudo': viewer.pseudo,
    'website.label': conversation.website?.label ?? '',
  };
  const fill = (reply: CannedReply) => fillCannedReply(reply.text, values);
  const insert = (reply: CannedReply) => {
    if (!field.current || query === undefined) return;
    field.current.setSelectionRange(query.start, query.start + query.text.length + 1);
    insertText(field.current, fill(reply), query.start);
    setQuery(undefined);
  };
  const follow = (event: SyntheticEvent<HTMLTextAreaElement>) => {
    const { value, selectionStart, selectionEnd } = event.currentTarget;
    const found = selectionStart === selectionEnd ? findCannedQuery(value, selectionStart) : undefined;
    if (found?.start !== query?.start || found?.text !== query?.text) setQuery(found);
    if (found === undefined) setClosedAt(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (shown === undefined) return false;
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return false;
    if (key === 'Escape') {
      event.preventDefault();
      setClosedAt(query?.start);
      return true;
    }
    const reply = shown[chosen];
    if (reply === undefined) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step !== undefined) setChosen((chosen + step + shown.length) % shown.length);
    else if ((key === 'Enter' || key === 'Tab') && !shiftKey) insert(reply);
    else return false;
    event.preventDefault();
    return true;
  };
  const hasList = shown !== undefined;
  return {
    ...{ listId, query: typed, matches: shown, status, chosen, fill, insert, retry, onKeyDown },
    isClosed: closedAt !== undefined,
    choose: setChosen,
    open() {
      if (!field.current) return;
      const { value, selectionStart } = field.current;
      const isInWord = selectionStart > 0 && !/\s/.test(value[selectionStart - 1] ?? '');
      setClosedAt(undefined);
      insertText(field.current, isInWord ? ' /' : '/');
    },
    fieldProps: {
      onSelect: follow,
      onInput: follow,
      onBlur: () => setQuery(undefined),
      ...(isEnabled && {
        role: 'combobox',
        'aria-autocomplete': 'list',
        'aria-expanded': hasList,
        'aria-controls': hasList ? listId : undefined,
        'aria-activedescendant': hasList && shown.length > 0 ? `${listId}-${chosen}` : undefined,
      }),
    },
  };
}
