import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apply } from '../../../web/desk/state/apply.ts';
import { createDeskState } from '../../../web/desk/state/apply-reading.ts';
import type { DeskChange } from '../../../web/desk/state/change.ts';
import { hasGap } from '../../../web/desk/state/conversation.ts';
import { listMessageItems } from '../../../web/desk/state/message-items.ts';
import type { DeskState } from '../../../web/desk/state/model.ts';
import { selectMine, selectOffers, selectUnreadTotal } from '../../../web/desk/state/select-conversations.ts';
import { DeskService, type Happening } from './desk-service.ts';

/** What a desk does, or what the network does to it. */
type Step =
  | Happening
  /** The next events arrive, or some that have come before arrive again. */
  | { readonly kind: 'receive'; readonly count: number; readonly again: number }
  /** The service answers now; the answer arrives later, with `arrive`. */
  | { readonly kind: 'ask'; readonly what: 'all' | 'conversations' | 'messages'; readonly last: number }
  | { readonly kind: 'arrive'; readonly index: number }
  /** The position is too old, or the page is loaded again. */
  | { readonly kind: 'readAgain'; readonly isNewPage: boolean; readonly last: number };

const conversation = fc.integer({ min: 1, max: 3 });
const last = fc.integer({ min: 1, max: 4 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('offer' as const, 'start' as const), conversation }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constantFrom('lose' as const, 'close' as const, 'tag' as const), conversation }),
    },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('message' as const), conversation, isOwn: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('receive' as const), count: fc.nat(4), again: fc.nat(3) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('ask' as const),
        what: fc.constantFrom('all' as const, 'conversations' as const, 'messages' as const),
        last,
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('arrive' as const), index: fc.nat(5) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('readAgain' as const), isNewPage: fc.boolean(), last }) },
  ),
  { maxLength: 60 },
);

class Client {
  readonly #service: DeskService;
  readonly #answers: DeskChange[] = [];
  state: DeskState;

  constructor(service: DeskService) {
    this.#service = service;
    this.state = createDeskState(service.read(2));
  }

  do(step: Step): void {
    switch (step.kind) {
      case 'receive':
        this.#receive(step.count, step.again);
        break;
      case 'ask':
        this.#answers.push(...this.#ask(step.what, step.last));
        break;
      case 'arrive':
        for (const answer of this.#answers.splice(step.index, 1)) this.#apply(answer);
        break;
      case 'readAgain': {
        const reading = this.#service.read(step.last);
        if (step.isNewPage) {
          this.#answers.length = 0;
          this.state = createDeskState(reading);
        } else this.#apply({ type: 'read', reading });
        break;
      }
      default:
        this.#service.happen(step);
    }
  }

  /** Everything that is still on its way, and what is missing then. */
  finish(): void {
    for (const answer of this.#answers.splice(0)) this.#apply(answer);
    this.#receive(this.#service.position, 0);
    for (;;) {
      const gap = [...this.state.conversations.values()].find(hasGap);
      if (gap === undefined) return;
      const messages = this.#service.readMessages(gap.id, gap.messages.at(-1)?.sequence ?? 0, 2);
      assert.ok(messages.length > 0, 'a gap can be filled');
      this.#apply({ type: 'messagesRead', conversationId: gap.id, messages });
    }
  }

  #ask(what: 'all' | 'conversations' | 'messages', count: number): DeskChange[] {
    const reading = this.#service.read(count);
    if (what === 'all') return [{ type: 'refreshed', reading }];
    if (what === 'conversations') return [{ type: 'conversationsRead', isOpened: false, ...reading }];
    return [...this.state.conversations.values()].map(({ id, messages }) => ({
      ...{ type: 'messagesRead', conversationId: id },
      messages: this.#service.readMessages(id, messages.at(-1)?.sequence ?? 0, count),
    }));
  }

  #receive(count: number, again: number): void {
    const next = Number(this.state.position);
    for (let position = Math.max(0, next - again); position < next + count; position++)
      if (position < this.#service.position)
        this.#apply({ type: 'event', event: this.#service.readEvent(position), isExpected: false });
  }

  #apply(change: DeskChange): void {
    const before = JSON.stringify([...this.state.conversations]);
    const previous = this.state;
    this.state = apply(this.state, change);
    assert.equal(JSON.stringify([...previous.conversations]), before, 'the state before is unchanged');
    for (const { messages } of this.state.conversations.values())
      messages.forEach((message, index) => {
        assert.equal(message.sequence, (messages[0]?.sequence ?? 0) + index, 'no gap between two messages');
      });
  }
}

/** All that views show, without the messages that are loaded only when someone scrolls. */
function view(state: DeskState, firstShown: ReadonlyMap<string, number>): unknown {
  const show = (list: ReturnType<typeof selectMine>) =>
    list.map((each) => {
      const messages = each.messages.filter(({ sequence }) => sequence >= (firstShown.get(each.id) ?? 0));
      const { notes, pending, messages: _messages, unreadCount, ...fields } = each;
      return { fields, items: listMessageItems({ messages, notes, pending }) };
    });
  const closed = [...state.conversations.values()].filter((each) => each.state === 'CLOSED');
  closed.sort((first, second) => Number(first.id) - Number(second.id));
  return { offers: show(selectOffers(state)), mine: show(selectMine(state)), closed: show(closed) };
}

test('events, answers and reloads in any order that the protocol allows lead to the view of a fresh page', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const service = new DeskService();
      const client = new Client(service);
      for (const step of all) client.do(step);
      client.finish();
      const fresh = createDeskState(service.read(1000));
      const firstShown = new Map(
        [...client.state.conversations].map(([id, { messages }]) => [id, messages[0]?.sequence ?? 0]),
      );
      assert.deepEqual(view(client.state, firstShown), view(fresh, firstShown));
      const isAllLoaded = [...firstShown.values()].every((sequence) => sequence <= 1);
      if (isAllLoaded) assert.equal(selectUnreadTotal(client.state), selectUnreadTotal(fresh));
    }),
    { numRuns: process.env.FULL === '1' ? 3000 : 500 },
  );
});
