import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { databaseUrlForFolder, dropDatabase, isOnPostgres } from '../support/databases/postgres-database.ts';
import { ShopVisitor } from '../support/fixtures/played-demo.ts';
import { findStablePort } from '../support/processes/ports.ts';
import { startSwitchboardProcess } from '../support/processes/switchboard.ts';

test('npm start -- --demo prints the address of the shop first, everything ends with the service, and again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-demo-'));
  const port = await findStablePort();
  try {
    for (const isFirst of [true, false]) {
      const service = await startSwitchboardProcess({ folder, args: ['--demo', '--port', String(port)] });
      const output = service.output();
      const [, shopUrl = ''] = output.match(/^\nOpen (http:\/\/localhost:\d+) and say hello/) ?? [];
      assert.notEqual(shopUrl, '', output);
      assert.equal(/^ {2}Log in/m.test(output), isFirst);
      const html = await (await fetch(shopUrl)).text();
      const [, websiteId = ''] = html.match(/<script async src="[^"]+\/widget\.js" data-website="(\d+)">/) ?? [];
      const visitor = await ShopVisitor.open(service.url, shopUrl, { websiteId: Number(websiteId), language: 'en' });
      assert.match((await visitor.waitForAnswer(await visitor.start('Hi'))).text, /^Hello, .+ here\./);
      const ended = new Promise((resolve) => service.process.once('exit', resolve));
      await service.stop();
      assert.equal(await ended, 0, service.log());
      await assert.rejects(fetch(shopUrl));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (isOnPostgres) await dropDatabase(databaseUrlForFolder(folder));
  }
});
