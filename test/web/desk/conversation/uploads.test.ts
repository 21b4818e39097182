import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeProblem } from '../../../../web/desk/conversation/composer/describe-problem.ts';
import { type Problem, Uploads } from '../../../../web/desk/conversation/composer/uploads.ts';
import { conversationTexts } from '../../../../web/desk/conversation/texts.ts';
import type { Attachment } from '../../../../web/desk/state/model.ts';
import { type Answer, fail, succeed } from '../../../../web/shared/api/request.ts';
import { createTranslate } from '../../../../web/shared/texts/texts.ts';
import { waitUntil } from '../../../support/waiting/wait.ts';

const ENGLISH = 'Files of this kind are not accepted. These are, by their content: image/png';
const RULES = { attachmentKinds: [], attachmentMaxBytes: 1000 };
const LANGUAGES = ['en', 'de', 'es', 'fr'] as const;

const text = (name: string, content: string, type = '') => new File([content], name, { type });
const problemsOf = (uploads: Uploads) => uploads.get('1').map(({ problem }) => problem?.kind);

function refuseAs(code: string): Problem {
  return { kind: 'failed', failure: { kind: 'refused', code, description: ENGLISH } };
}

test('an empty file and a refused kind are told before anything is sent', async () => {
  const sent: string[] = [];
  const uploads = new Uploads(async (_id, { name }) => {
    sent.push(name);
    return new Promise(() => {});
  });
  uploads.add(
    '1',
    [text('empty.txt', ''), text('tool.zip', 'PK', 'application/zip'), text('order.txt', '48210')],
    RULES,
  );
  assert.deepEqual(problemsOf(uploads), ['empty', 'refusedKind', undefined]);
  assert.deepEqual(sent, ['order.txt']);
});

test('the words of the service are for programs: the desk has its own in every language', () => {
  for (const code of ['file.unsupported', 'file.invalid', 'file.too_large', 'file.too_slow', 'state', 'FORBIDDEN']) {
    const said = LANGUAGES.map((language) =>
      describeProblem(refuseAs(code), createTranslate(conversationTexts, language), language),
    );
    assert.equal(new Set([...said, ENGLISH]).size, LANGUAGES.length + 1, `${code}: ${said}`);
  }
  const t = createTranslate(conversationTexts, 'en');
  assert.equal(
    describeProblem(refuseAs('file.unsupported'), t, 'en'),
    describeProblem({ kind: 'refusedKind' }, t, 'en'),
  );
  assert.equal(describeProblem({ kind: 'empty' }, t, 'en'), 'The file is empty.');
});

test('a picture has a preview until it is removed or sent', async () => {
  const answers: ((answer: Answer<Attachment>) => void)[] = [];
  const uploads = new Uploads(() => new Promise((resolve) => answers.push(resolve)));
  uploads.add('1', [text('a.png', '1', 'image/png'), text('b.png', '2', 'image/png'), text('c.txt', '3')], RULES);
  uploads.add('1', [text('icon.svg', '<svg/>', 'image/svg+xml')], RULES);
  const [first, second, third, fourth] = uploads.get('1');
  assert.deepEqual([third?.preview, fourth?.preview], [undefined, undefined]);
  assert.equal(await readPreview(first?.preview), '1');

  uploads.remove('1', first?.key ?? '');
  await assert.rejects(readPreview(first?.preview));
  assert.equal(await readPreview(second?.preview), '2');

  answers[1]?.(succeed({ id: '5' } as Attachment));
  answers[2]?.(fail({ kind: 'unreachable' }));
  await waitUntil('both have an answer', async () => problemsOf(uploads)[1] === 'failed');
  assert.deepEqual(uploads.takeStored('1'), [{ id: '5' }]);
  await assert.rejects(readPreview(second?.preview));
  assert.deepEqual(problemsOf(uploads), ['failed', 'refusedKind']);
});

async function readPreview(address = ''): Promise<string> {
  return (await fetch(address)).text();
}
