import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { CHUNK_BYTES } from '../../../src/core/attachments/chunks.ts';
import type { Upload } from '../../../src/core/attachments/upload.ts';
import type { Conversation } from '../../../src/core/engine/records/conversation.ts';
import type { VisitorCaller } from '../../../src/core/kernel/caller.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';
import { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';

/** Four chunks. */
const FILE_BYTES = 1_000_000;
const SPACE_BYTES = 3 * FILE_BYTES;
const PIECE_BYTES = 64 * 1024;
const HOUR_MS = 3_600_000;
const TEXT = { name: 'a.txt', type: 'text/plain' };

for (const { name, open } of databases) {
  suite(`${name}: stored files`, () => {
    let fixture: EngineFixture;
    let visitor: VisitorCaller;
    let conversation: Conversation;

    before(async () => {
      fixture = await EngineFixture.create(() =>
        open({ SWITCHBOARD_ACCOUNT_ATTACHMENT_MEGABYTES: String(SPACE_BYTES / 1e6) }),
      );
      const operator = await fixture.createOperator({ chatMaxNumber: 20 }, { connected: false });
      await fixture.connect(operator, 'desk', 24 * 3600); // the clock moves
    });
    after(() => fixture.end());

    const startConversation = async () => {
      visitor = await fixture.createVisitor();
      conversation = await fixture.startConversation({}, visitor);
    };
    const begin = (expectedBytes = FILE_BYTES) =>
      fixture.installation.attachments.uploads.begin(visitor, { conversationId: conversation.id, expectedBytes });
    const store = async (bytes = FILE_BYTES) => {
      const upload = await begin(bytes);
      await upload.write(createPieces(bytes), TEXT);
      return upload.complete();
    };
    const send = (id: number) =>
      fixture.installation.conversations.sendAsVisitor(fixture.transact, visitor, {
        ...{ conversationId: conversation.id, clientId: `file ${id}`, text: '', attachmentIds: [id] },
      });
    const erase = () =>
      fixture.installation.visitors.erasure.erase(fixture.transact, fixture.installation.caller, visitor.visitorId);
    const deleteExpired = () => fixture.installation.attachments.deleteExpired();
    const readStored = async () => {
      const { read } = fixture.installation.database;
      const rows = await read.selectFrom('attachments').select(['id', 'state']).orderBy('id').execute();
      const chunks = await read.selectFrom('attachmentChunks').select('attachmentId').execute();
      const [usage] = await read.selectFrom('attachmentUsage').select('bytes').execute();
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      return { states: rows.map(({ state }) => state), chunks: chunks.length, bytes: usage?.bytes ?? 0 };
    };
    const NOTHING = { states: [], chunks: 0, bytes: 0 };

    test('uploads at once never take more than the space of the account, and not less', async () => {
      await startConversation();
      const outcomes = await Promise.allSettled(Array.from({ length: 9 }, () => store()));
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      assert.equal(refused.length, 6);
      for (const { reason } of refused) {
        assert.ok(reason instanceof DomainError);
        assert.equal(reason.kind, 'limit');
      }
      assert.deepEqual(await readStored(), { states: Array(3).fill('complete'), chunks: 12, bytes: SPACE_BYTES });
      await assert.rejects(begin(1), { kind: 'limit' });
      await erase();
      await deleteExpired();
      assert.deepEqual(await readStored(), NOTHING);
    });

    test('a file that ends is kept, one that does not is gone with its space, and an hour later the job finds both', async () => {
      await startConversation();
      const sent = await store(1000);
      await send(sent.id);
      await store(2000);
      const unfinished = await begin(CHUNK_BYTES);
      await unfinished.write(createPieces(CHUNK_BYTES), TEXT); // the node ends before `complete`
      const failed = await begin();
      await assert.rejects(failed.write(failAfter(CHUNK_BYTES + 1), TEXT), /the client left/);
      await failed.discard();
      const before = {
        states: ['attached', 'complete', 'pending'],
        ...{ chunks: 3, bytes: 3000 + CHUNK_BYTES },
      };
      assert.deepEqual(await readStored(), before);
      fixture.installation.clock.advance(HOUR_MS);
      await deleteExpired();
      assert.deepEqual(await readStored(), before);
      fixture.installation.clock.advance(1);
      await deleteExpired();
      assert.deepEqual(await readStored(), { states: ['attached'], chunks: 1, bytes: 1000 });
      await assert.rejects(unfinished.complete(), { kind: 'state' });
      await erase();
    });

    test('rule 17: erasing hides a file at once and deletes its bytes with the next job, without waiting an hour', async () => {
      await deleteExpired();
      await startConversation();
      const { id } = await store();
      await send(id);
      const { query } = fixture.installation.attachments;
      const file = (await query.find(fixture.accountId, id)) ?? assert.fail('not found');
      const reading = query.read(file);
      await reading.next();
      const late = await begin();
      await erase();
      assert.equal(await query.find(fixture.accountId, id), undefined);
      await assert.rejects(late.write(createPieces(FILE_BYTES), TEXT), { kind: 'state' });
      await deleteExpired();
      assert.deepEqual(await readStored(), NOTHING);
      await assert.rejects(reading.next(), /removed while it was being read/);
    });

    test('20 uploads at once hold at most one chunk each in memory', async () => {
      await startConversation();
      const bytes = Math.floor(SPACE_BYTES / 20);
      const uploads: Upload[] = [];
      for (let index = 0; index < 20; index += 1) uploads.push(await begin(bytes));
      let mostHeld = 0;
      const write = async (upload: Upload, index: number) => {
        // What was asked for and is not stored yet is in memory.
        const readSize = async () => {
          const rows = fixture.installation.database.read.selectFrom('attachments').select('size').orderBy('id');
          return (await rows.execute())[index]?.size ?? assert.fail('no row');
        };
        async function* watch() {
          let asked = 0;
          for await (const piece of createPieces(FILE_BYTES)) {
            mostHeld = Math.max(mostHeld, asked - (await readSize()));
            asked += piece.length;
            yield piece;
          }
        }
        await upload.write(watch(), TEXT);
      };
      await Promise.all(uploads.map(write));
      assert.ok(mostHeld >= CHUNK_BYTES - PIECE_BYTES, `${mostHeld}: not measured`);
      assert.ok(mostHeld < CHUNK_BYTES + PIECE_BYTES, `${mostHeld} bytes`);
      for (const upload of uploads) await upload.discard();
      assert.deepEqual(await readStored(), NOTHING);
    });
  });
}

async function* createPieces(bytes: number): AsyncGenerator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE_BYTES) yield Buffer.alloc(Math.min(left, PIECE_BYTES), 'a');
}

async function* failAfter(bytes: number): AsyncGenerator<Buffer> {
  yield* createPieces(bytes);
  throw new Error('the client left');
}
