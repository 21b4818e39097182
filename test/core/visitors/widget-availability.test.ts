import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CHANNELS } from '../../../src/core/kernel/channels.ts';
import { loadWidgetAvailability } from '../../../src/core/visitors/widget-availability.ts';
import { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';

for (const { name, open } of databases) {
  describe(`what the widget says about availability on ${name}`, () => {
    test('rule 10: a channel is available if routing finds an operator, for every skill, group and language', async () => {
      const fixture = await EngineFixture.create(open);
      const { installation, accountId, websiteId } = fixture;
      const { database, routingExplainer } = installation;
      const otherWebsite = await fixture.createWebsite();
      const parent = await fixture.createSkill();
      const [child, other] = [await fixture.createSkill(parent), await fixture.createSkill()];
      const top = await fixture.createGroup();
      const [below, apart] = [await fixture.createGroup(top), await fixture.createGroup()];
      const base = { websiteList: [websiteId], languageList: ['en'] };
      await fixture.createOperator({ ...base, skillList: [child], groupId: below, languageList: ['en', 'fr'] });
      await fixture.createOperator({
        ...base,
        skillList: [other],
        groupId: apart,
        chatEnabled: false,
        callEnabled: true,
      });
      await fixture.createOperator({ ...base, websiteList: [otherWebsite], languageList: ['de'], videoEnabled: true });
      await fixture.createOperator({ ...base, skillList: [other], groupId: apart }, { connected: false });
      const seen = new Set<string>();
      for (const skillId of [null, parent, child, other]) {
        for (const groupId of [null, top, below, apart]) {
          for (const [website, language] of [
            [websiteId, 'en'],
            [websiteId, 'fr'],
            [otherWebsite, 'de'],
            [otherWebsite, 'en'],
          ] as const) {
            const need = { accountId, websiteId: website, skillId, groupId, language };
            const previews = CHANNELS.map((channel) => routingExplainer.preview({ ...need, channel }));
            const expected = (await Promise.all(previews)).map(({ ranked }) => (ranked.length > 0 ? 1 : 0));
            for (const operatorCount of [1, 1000]) {
              const found = await loadWidgetAvailability(database, { ...need, operatorCount });
              const isAvailable = CHANNELS.map((channel) => found[channel]);
              assert.deepEqual(isAvailable, expected, JSON.stringify({ ...need, operatorCount }));
            }
            seen.add(expected.join());
          }
        }
      }
      assert.ok(seen.size >= 4, [...seen].join(' '));
      await fixture.end();
    });
  });
}
