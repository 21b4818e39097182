import type { Message, Outgoing } from '../state/state.ts';

/** What stands in the list of messages. */
export type Row =
  | { readonly kind: 'day'; readonly key: string; readonly at: Date }
  | { readonly kind: 'notice'; readonly key: string; readonly text: string }
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly at: Date;
      readonly message: Message | undefined;
      readonly outgoing: Outgoing | undefined;
      /** Belongs to the one before: the same author, within two minutes. */
      readonly isSame: boolean;
      /** The time stands under the last message of a group. */
      readonly isLast: boolean;
    };

const GROUP_MS = 2 * 60_000;

export function listRows(messages: readonly Message[], outbox: readonly Outgoing[]): Row[] {
  const items = [
    ...messages.map((message) => ({ message, outgoing: undefined, at: new Date(message.at) })),
    ...outbox.map((outgoing) => ({ message: undefined, outgoing, at: new Date(outgoing.at) })),
  ];
  const rows: Row[] = [];
  for (const [index, { message, outgoing, at }] of items.entries()) {
    const before = items[index - 1];
    if (before?.at.toDateString() !== at.toDateString()) rows.push({ kind: 'day', key: at.toDateString(), at });
    // The row of a message that was just sent stays the same one, so that it is not read out again.
    const key = message?.clientId ?? outgoing?.clientId ?? String(message?.sequence);
    if (message?.author === 'NOTICE') {
      rows.push({ kind: 'notice', key, text: message.text });
      continue;
    }
    const next = items[index + 1];
    rows.push({
      ...{ kind: 'message', key, at, message, outgoing },
      isSame: before !== undefined && belongTogether(before, items[index]),
      isLast:
        !next ||
        outgoing !== undefined ||
        next.outgoing !== undefined ||
        !belongTogether({ message, outgoing, at }, next),
    });
  }
  return rows;
}

interface Item {
  readonly message: Message | undefined;
  readonly outgoing: Outgoing | undefined;
  readonly at: Date;
}

function belongTogether(first: Item, second: Item | undefined): boolean {
  if (!second) return false;
  const author = ({ message }: Item) => (message ? message.author + (message.operator?.pseudo ?? '') : 'VISITOR');
  return (
    author(first) === author(second) &&
    second.at.getTime() - first.at.getTime() < GROUP_MS &&
    first.at.toDateString() === second.at.toDateString()
  );
}
