import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { DomainError } from '../../../src/core/kernel/errors.ts';
import { validate } from '../../../src/core/kernel/validate.ts';
import { EVENT_TYPES, TEST_EVENT } from '../../../src/core/webhooks/event-types.ts';
import { webhookCreate } from '../../../src/core/webhooks/webhook.ts';

/** The types that stand in the code where something is announced. */
function announcedTypes(): Set<string> {
  const folder = fileURLToPath(new URL('../../../src', import.meta.url));
  const texts = globSync(`${folder}/**/*.ts`).map((file) => readFileSync(file, 'utf8'));
  const calls = texts.flatMap((text) => [...text.matchAll(/announce\([^;]{0,200}?['`]([^'`]+\.[a-z_]+)['`]/g)]);
  return new Set(calls.map(([, type = '']) => type));
}

test('rule 21: whatever is announced can be asked for', () => {
  const announced = announcedTypes();
  assert.ok(announced.size > 15, [...announced].join());
  for (const type of announced) {
    const [thing = '', verb = ''] = type.split(/\.(?=\w+$)/);
    // Groups and skills are announced by the same line.
    const named = thing.startsWith('$') ? [`group.${verb}`, `skill.${verb}`] : [type];
    for (const each of named)
      assert.ok(each === TEST_EVENT || EVENT_TYPES.includes(each), `${each} is not in the list`);
  }
});

test('rule 21: an unknown event type is refused with a list of those that exist', () => {
  const refused = (eventTypes: unknown) => {
    try {
      validate(webhookCreate, { name: 'x', url: 'https://example.com', eventTypes });
      return undefined;
    } catch (error) {
      return (error as DomainError).details.problems?.[0];
    }
  };
  for (const wrong of [
    'conversation',
    '*',
    'conversation.',
    'conversation.*.*',
    'Conversation.closed',
    'thing.*',
    '',
  ]) {
    const problem = refused([wrong]);
    assert.deepEqual(problem?.path, ['eventTypes'], wrong);
    for (const type of EVENT_TYPES) assert.ok(problem?.rule.includes(type), type);
  }
  for (const right of [[], ['conversation.*'], ['message.created', 'api_key.*'], [...EVENT_TYPES]]) {
    assert.equal(refused(right), undefined);
  }
});
