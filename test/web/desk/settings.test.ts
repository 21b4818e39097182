import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNotificationAccess } from '../../../web/desk/settings/notification-permission.ts';
import { isPhoneNumber } from '../../../web/desk/settings/phone-number.ts';

test('what the browser says about notifications', () => {
  assert.equal(readNotificationAccess({ permission: 'granted' }, true), 'allowed');
  assert.equal(readNotificationAccess({ permission: 'denied' }, true), 'blocked');
  assert.equal(readNotificationAccess({ permission: 'default' }, true), 'unasked');
  assert.equal(readNotificationAccess({ permission: 'denied' }, false), 'missing');
  assert.equal(readNotificationAccess(undefined, true), 'missing');
});

test('a phone number has the international prefix', () => {
  for (const text of ['+33 1 23 45 67 89', '0049 (30) 123456', ' +1-202-555-0100 '])
    assert.ok(isPhoneNumber(text), text);
  for (const text of ['', '030 123456', '+33', '+33 1 2x 45 67 89']) assert.ok(!isPhoneNumber(text), text);
});
