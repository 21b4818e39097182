import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeConversation, mergeMessages, mergeNotes } from '../../../web/desk/state/conversation.ts';
import { keepFacts } from '../../../web/desk/state/facts.ts';
import type { DeskConversation } from '../../../web/desk/state/model.ts';
import { addPending } from '../../../web/desk/state/pending.ts';
import { createFields, createMessage, createNote, createPending, createState } from './states.ts';

const conversation = createState([createFields('1')]).conversations.get('1') as DeskConversation;
const facts = keepFacts(undefined, conversation);

test('the facts of a conversation are the same object while messages come and go', () => {
  const message = mergeMessages(conversation, [createMessage(1)]);
  const note = mergeNotes(message, [createNote('1')]);
  const written = addPending(note, createPending('a'));
  const seen = { ...written, visitorTypingUntil: 5, readByVisitorUpTo: 1, readByOperatorUpTo: 1 };
  assert.notEqual(message.unreadCount, conversation.unreadCount);
  for (const changed of [message, note, written, seen]) assert.equal(keepFacts(facts, changed), facts);
});

test('they are new ones when anything else changes', () => {
  const state = createState([createFields('1')]);
  const closed = changeConversation(state, '1', (known) => ({ ...known, state: 'CLOSED' })).conversations.get('1');
  assert.equal(keepFacts(facts, closed as DeskConversation).state, 'CLOSED');
  const left = { ...conversation, visitorLeftAt: conversation.createdAt };
  assert.notEqual(keepFacts(facts, left), facts);
});
