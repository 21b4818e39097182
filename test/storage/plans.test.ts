import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { selectAvailableRows, selectStamps } from '../../src/core/engine/presence/live-query.ts';
import { findNext } from '../../src/core/engine/routing/next-waiting.ts';
import { dueQueries } from '../../src/core/engine/scheduler/scheduler.ts';
import { CHANNELS } from '../../src/core/kernel/channels.ts';
import { parseIdFilter, parseTextFilter } from '../../src/core/kernel/filters.ts';
import type { OperatorFilters } from '../../src/core/operators/operator-filter.ts';
import { OperatorPages } from '../../src/core/operators/operator-pages.ts';
import { prepareWidgetAvailability } from '../../src/core/visitors/widget-availability.ts';
import { selectDueDeliveries, selectDueWebhooks } from '../../src/core/webhooks/claims.ts';
import { explainQuery, sqliteOnly, type TestInstallation } from '../support/databases/databases.ts';

const WINDOW = { offset: 0, limit: 20 };

const textFilter = (value: string) => parseTextFilter(['filter'], value);
const idFilter = (value: string) => parseIdFilter(['filter'], value);

/** Every filter of the operator list, exact and with a trailing star. */
const FILTERS: Record<string, OperatorFilters> = {
  id: { id: idFilter('12') },
  'id, a list': { id: idFilter('1,2,3') },
  'id*': { id: idFilter('12*') },
  group_id: { groupId: idFilter('3') },
  'group_id, a list': { groupId: idFilter('3,4') },
  'group_id*': { groupId: idFilter('3*') },
  website_id: { websiteId: idFilter('3') },
  'website_id*': { websiteId: idFilter('3*') },
  website_list: { websiteList: idFilter('1,2') },
  'website_list*': { websiteList: idFilter('1*') },
  skill_id: { skillId: idFilter('3') },
  'skill_id*': { skillId: idFilter('3*') },
  name: { name: textFilter('Martin') },
  'name*': { name: textFilter('Mart*') },
  external_id: { externalId: textFilter('crm-1') },
  'external_id*': { externalId: textFilter('crm-*') },
  email: { email: textFilter('a@example.com') },
  'email*': { email: textFilter('a@*') },
};

for (const { name, open } of sqliteOnly) {
  let installation: TestInstallation;
  before(async () => {
    installation = await open();
  });
  after(() => installation.end());

  for (const [filter, filters] of Object.entries(FILTERS)) {
    test(`${name}: filters[${filter}] uses an index, for the page and for its count`, (t) => {
      const pages = new OperatorPages(installation.database);
      for (const query of [pages.listQuery(1, filters, WINDOW), pages.countQuery(1, filters)]) {
        const plan = explainQuery(installation.database, query);
        t.diagnostic(plan.join(' | '));
        for (const step of plan) refuseWholeAccount(step);
      }
    });
  }

  test(`${name}: the needs of those who wait are read from an index`, () => {
    const plan = explainQuery(
      installation.database,
      findNext.build(installation.database.read, { accountId: sql`1`, operatorId: sql`2` }),
    );
    const steps = plan.filter((step) => step.includes('conversations_waiting_needs'));
    assert.equal(steps.length, 3, plan.join(' | ')); // the first need, the next one, and the head of each
    for (const step of plan) assert.doesNotMatch(step, /SCAN [cnw]\b/);
  });

  test(`${name}: the first page of the whole list reads the index of identifiers`, () => {
    const pages = new OperatorPages(installation.database);
    const plan = explainQuery(installation.database, pages.listQuery(1, {}, WINDOW));
    for (const step of plan) refuseScan(step);
  });

  for (const [what, query] of Object.entries(dueQueries)) {
    test(`${name}: due work (${what}) is found by an index`, () => {
      const plan = explainQuery(installation.database, query(installation.database.read));
      assert.match(plan.join(' | '), /USING (COVERING )?INDEX/);
      for (const step of plan) if (!/conversations_waiting/.test(step)) refuseScan(step);
    });
  }

  test(`${name}: due webhook deliveries are found and ordered by an index`, () => {
    const { database } = installation;
    const due = explainQuery(database, selectDueWebhooks(database.read)).join(' | ');
    assert.match(
      due,
      /SEARCH d EXISTS USING INDEX webhook_deliveries_due \(account_id=\? AND webhook_id=\? AND next_at<\?\)/,
    );
    const deliveries = selectDueDeliveries(database.read, { accountId: 1, webhookId: 1 }, 0).limit(8);
    const plan = explainQuery(database, deliveries);
    assert.equal(plan.length, 1, plan.join(' | '));
    assert.match(plan[0] ?? '', /webhook_deliveries_due/);
  });

  for (const listsOperators of [true, false]) {
    test(`${name}: the availability for a widget reads ${listsOperators ? 'the operators of the website' : 'the routable operators'} only`, () => {
      const { database } = installation;
      const shape = { listsOperators, requiresSkill: false, requiresGroup: false };
      const args = { accountId: 1, websiteId: 1, skillId: 0, groupId: 0, language: 'en' };
      const values = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, sql.lit(value)]));
      const plan = explainQuery(database, prepareWidgetAvailability(shape).build(database.read, values as never));
      const steps = plan.join(' | ');
      for (const step of plan) refuseScan(step.replace('CONSTANT ROW', 'page'));
      for (const channel of listsOperators ? [] : CHANNELS)
        assert.match(steps, new RegExp(`operator_live_${channel}\\b`));
      if (listsOperators) assert.match(steps, /account_id=\? AND website_id=\?/);
    });
  }

  test(`${name}: the live list reads the connected operators only`, () => {
    const { database } = installation;
    const plan = explainQuery(
      database,
      selectStamps(selectAvailableRows(database.read).where('live.accountId', '=', 1)),
    );
    assert.match(plan.join(' | '), /operator_live_lease \(account_id=\? AND lease_until>\?\)/);
  });
}

/** Only the page itself, with twenty identifiers, can be scanned. */
function refuseScan(step: string): void {
  assert.doesNotMatch(step, /^SCAN (?!page\b)/, `reads a whole table: ${step}`);
}

/** Every search must use a filter column in addition to the account. */
function refuseWholeAccount(step: string): void {
  refuseScan(step);
  assert.doesNotMatch(step, /\(account_id=\?\)/, `reads the whole account: ${step}`);
}
