import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { DomainError } from '../../../src/core/kernel/errors.ts';
import { validate } from '../../../src/core/kernel/validate.ts';
import { EVENT_TYPES, TEST_EVENT } from '../../../src/core/webhooks/event-types.ts';
import { webhookCreate } from '../../../src/core/webhooks/webhook.ts';

/** Event types in calls of `announce` in the source code. */
function findAnnouncedTypes(): Set<string> {
  const folder = fileURLToPath(new URL('../../../src', import.meta.url));
  const texts = globSync(`${folder}/**/*.ts`).map((file) => readFileSync(file, 'utf8'));
  const calls = texts.flatMap((text) => [...text.matchAll(/announce\([^;]{0,200}?['`]([^'`]+\.[a-z_]+)['`]/g)]);
  return new Set(calls.map(([, type = '']) => type));
}

test('rule 21: webhooks can subscribe to every announced event type', () => {
  const announced = findAnnouncedTypes();
  assert.ok(announced.size > 15, [...announced].join());
  for (const type of announced) {
    const [subject = '', verb = ''] = type.split(/\.(?=\w+$)/);
    // Groups and skills share one call.
    const types = subject.startsWith('$') ? [`group.${verb}`, `skill.${verb}`] : [type];
    for (const name of types)
      assert.ok(name === TEST_EVENT || EVENT_TYPES.includes(name), `${name} is not in EVENT_TYPES`);
  }
});

test('rule 21: an unknown event type is refused with a list of the known ones', () => {
  const findProblem = (eventTypes: unknown) => {
    try {
      validate(webhookCreate, { name: 'x', url: 'https://example.com', eventTypes });
      return undefined;
    } catch (error) {
      return (error as DomainError).details.problems?.[0];
    }
  };
  for (const pattern of [
    'conversation',
    '*',
    'conversation.',
    'conversation.*.*',
    'Conversation.closed',
    'thing.*',
    '',
  ]) {
    const problem = findProblem([pattern]);
    assert.deepEqual(problem?.path, ['eventTypes'], pattern);
    for (const type of EVENT_TYPES) assert.ok(problem?.rule.includes(type), type);
  }
  for (const patterns of [[], ['conversation.*'], ['message.created', 'api_key.*'], [...EVENT_TYPES]]) {
    assert.equal(findProblem(patterns), undefined);
  }
});
