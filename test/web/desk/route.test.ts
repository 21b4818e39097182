import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type DeskRoute, formatRoute, parseRoute } from '../../../web/desk/frame/route.ts';

const parse = (address: string) => parseRoute(new URL(address, 'https://support.example'));

const ROUTES: readonly DeskRoute[] = [
  { view: 'list' },
  { view: 'conversation', conversationId: '4711', isVisitorShown: false },
  { view: 'conversation', conversationId: '4711', isVisitorShown: true },
  { view: 'messagesLeft' },
  { view: 'settings' },
];

describe('the addresses of the desk', () => {
  for (const route of ROUTES) {
    test(`${formatRoute(route)} leads back to what it names`, () => {
      assert.deepEqual(parse(formatRoute(route)), route);
    });
  }

  test('a slash at the end changes nothing', () => {
    assert.deepEqual(parse('/desk/settings/'), { view: 'settings' });
    assert.deepEqual(parse('/desk/conversations/7/'), {
      view: 'conversation',
      conversationId: '7',
      isVisitorShown: false,
    });
  });

  for (const address of [
    '/desk/',
    '/desk/other',
    '/desk/conversations',
    '/desk/conversations/../7',
    '/desk/conversations/x',
  ]) {
    test(`${address} is the list`, () => {
      assert.deepEqual(parse(address), { view: 'list' });
    });
  }
});
