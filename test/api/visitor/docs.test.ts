import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, validate } from 'graphql';
import { visitorSchema } from '../../../src/api/visitor/schema.ts';
import { settings } from '../../../src/config.ts';
import { openSite, type Site, type SiteOperator } from '../../support/fixtures/site.ts';
import { spawnGuarded } from '../../support/processes/guarded-processes.ts';
import { WAIT_TIMEOUT_MS } from '../../support/waiting/wait.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(new URL('../../../docs/visitors.md', import.meta.url), 'utf8');
const extractBlocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text]) => text as string);

let site: Site;
let operator: SiteOperator;
before(async () => {
  site = await openSite();
  operator = await site.createOperator({ pseudo: 'Bob' });
});
after(() => site.stop());

test('every document on the page is valid for the schema', () => {
  const documents = extractBlocks('graphql').flatMap((text) => text.split(/\n\n+/));
  assert.ok(documents.length > 4);
  for (const document of documents) assert.deepEqual(validate(visitorSchema, parse(document)), [], document);
});

test('every setting on the page exists', () => {
  for (const [name] of page.matchAll(/SWITCHBOARD_\w+/g)) assert.ok(name in settings.shape, name);
});

test('the signature example on the page is accepted', async () => {
  const [example = ''] = extractBlocks('js');
  const { signatureOf } = await import(`data:text/javascript,${encodeURIComponent(example)}`);
  const secret = await site.loadVisitorSecret();
  const signature = signatureOf('customer-7', secret);
  assert.equal(signature, createHmac('sha256', secret).update('customer-7').digest('hex'));
  assert.ok(await site.createVisitor({ externalId: 'customer-7', signature }));
});

test('the identity example on the page is accepted', async () => {
  const example = extractBlocks('js').find((text) => text.includes('signIdentity')) ?? '';
  const { signIdentity, createClaims } = await import(`data:text/javascript,${encodeURIComponent(example)}`);
  const claims = createClaims({ id: 'customer-9', email: 'ana@example.com', plan: 'gold' });
  const visitor = await site.createVisitor({ identity: signIdentity(claims, await site.loadIdentitySecret()) });
  const { data } = await visitor.run('{visitor{externalId email}}');
  assert.deepEqual(data.visitor, { externalId: 'customer-9', email: 'ana@example.com' });
});

test('the example program on the page runs a whole conversation', { timeout: WAIT_TIMEOUT_MS }, async () => {
  const child = spawnGuarded(
    process.execPath,
    ['--input-type=module', '-e', extractBlocks('js').find((text) => text.includes('graphql-ws')) ?? ''],
    {
      cwd: ROOT,
      env: { ...process.env, SERVICE: site.url, WEBSITE: String(site.websiteId) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let isAnswered = false;
  child.stdout.on('data', async (chunk) => {
    output += chunk;
    if (isAnswered || !output.includes('conversation.offered')) return;
    isAnswered = true;
    const { data } = await site.admin.run('{conversations(first:1){nodes{id}}}');
    const { id } = data.conversations.nodes[0];
    await operator.acceptOffer(id);
    await operator.sendMessage(id, 'Good morning');
    await operator.run('mutation($id:ID!){conversationClose(input:{id:$id}){userErrors{code}}}', { id });
  });
  assert.equal(await ended, 0, output);
  assert.deepEqual(output.trim().split('\n').slice(0, 3), [
    ...['conversation.queued', 'VISITOR: Hello', 'conversation.offered'],
  ]);
  assert.match(output, /conversation\.started\nNOTICE: Bob joined the conversation\.\nOPERATOR: Good morning/);
});
