import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applyDraft, formatDraft } from '../../../web/desk/visitor-panel/details/details-draft.ts';

const BEFORE = {
  ...{ firstname: 'Lea', lastname: 'Roux', email: 'lea@example.com', phone: '' },
  ...{ address: '', zip: '', city: 'Lyon', country: 'France' },
};

describe('details of a visitor that were typed and not saved', () => {
  test('come back, and nothing is kept when nothing differs', () => {
    const typed = { ...BEFORE, phone: '+33 1', city: '' };
    assert.deepEqual(applyDraft(BEFORE, formatDraft(BEFORE, typed), []), typed);
    assert.equal(formatDraft(BEFORE, BEFORE), '');
    assert.deepEqual(applyDraft(BEFORE, '', []), BEFORE);
  });

  test('do not take back what changed meanwhile in other fields', () => {
    const draft = formatDraft(BEFORE, { ...BEFORE, phone: '+33 1' });
    const now = { ...BEFORE, city: 'Paris' };
    assert.deepEqual(applyDraft(now, draft, []), { ...now, phone: '+33 1' });
  });

  test('give way to what the website has signed meanwhile', () => {
    const draft = formatDraft(BEFORE, { ...BEFORE, email: 'l@example.com', phone: '+33 1' });
    assert.deepEqual(applyDraft(BEFORE, draft, ['email']), { ...BEFORE, phone: '+33 1' });
  });

  test('that cannot be read are none', () => {
    for (const draft of ['{', 'null', '[]', '{"phone":7,"other":"x"}']) {
      assert.deepEqual(applyDraft(BEFORE, draft, []), BEFORE, draft);
    }
  });
});
