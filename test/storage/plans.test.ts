import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { presentRows, stampColumns } from '../../src/core/engine/presence/live-query.ts';
import { due } from '../../src/core/engine/scheduler/scheduler.ts';
import { parseIdFilter, parseTextFilter } from '../../src/core/kernel/filters.ts';
import type { OperatorFilters } from '../../src/core/operators/operator-filter.ts';
import { OperatorPages } from '../../src/core/operators/operator-pages.ts';
import { embedded, explain, type OpenInstallation } from '../support/databases/databases.ts';

const WINDOW = { offset: 0, limit: 20 };

const TEXT = (value: string) => parseTextFilter(['filter'], value);
const ID = (value: string) => parseIdFilter(['filter'], value);

/** Every filter of the operator list, exact and with the star at the end. */
const FILTERS: Record<string, OperatorFilters> = {
  id: { id: ID('12') },
  'id, a list': { id: ID('1,2,3') },
  'id*': { id: ID('12*') },
  group_id: { groupId: ID('3') },
  'group_id, a list': { groupId: ID('3,4') },
  'group_id*': { groupId: ID('3*') },
  website_id: { websiteId: ID('3') },
  'website_id*': { websiteId: ID('3*') },
  website_list: { websiteList: ID('1,2') },
  'website_list*': { websiteList: ID('1*') },
  skill_id: { skillId: ID('3') },
  'skill_id*': { skillId: ID('3*') },
  name: { name: TEXT('Martin') },
  'name*': { name: TEXT('Mart*') },
  external_id: { externalId: TEXT('crm-1') },
  'external_id*': { externalId: TEXT('crm-*') },
  email: { email: TEXT('a@example.com') },
  'email*': { email: TEXT('a@*') },
};

for (const { name, open } of embedded) {
  let installation: OpenInstallation;
  before(async () => {
    installation = await open();
  });
  after(() => installation.end());

  for (const [filter, filters] of Object.entries(FILTERS)) {
    test(`${name}: filters[${filter}] uses an index, for the page and for its count`, (t) => {
      const pages = new OperatorPages(installation.database);
      for (const query of [pages.listQuery(1, filters, WINDOW), pages.countQuery(1, filters)]) {
        const plan = explain(installation.database, query);
        t.diagnostic(plan.join(' | '));
        for (const step of plan) refuseWholeAccount(step);
      }
    });
  }

  test(`${name}: the first page of the whole list reads the index of identifiers`, () => {
    const pages = new OperatorPages(installation.database);
    const plan = explain(installation.database, pages.listQuery(1, {}, WINDOW));
    for (const step of plan) refuseScan(step);
  });

  for (const [what, query] of Object.entries(due)) {
    test(`${name}: what is over (${what}) is found by an index, however many there are`, () => {
      const plan = explain(installation.database, query(installation.database.read));
      assert.match(plan.join(' | '), /USING (COVERING )?INDEX/);
      for (const step of plan) if (!/conversations_waiting/.test(step)) refuseScan(step);
    });
  }

  test(`${name}: the live list reads the connected operators only`, () => {
    const { database } = installation;
    const plan = explain(database, stampColumns(presentRows(database.read).where('live.accountId', '=', 1)));
    assert.match(plan.join(' | '), /operator_live_lease \(account_id=\? AND lease_until>\?\)/);
  });
}

/** Only the page itself, twenty identifiers, may be read from beginning to end. */
function refuseScan(step: string): void {
  assert.doesNotMatch(step, /^SCAN (?!page\b)/, `reads a whole table: ${step}`);
}

/** Every search looks for more than the account: an equality or a range on what the filter names. */
function refuseWholeAccount(step: string): void {
  refuseScan(step);
  assert.doesNotMatch(step, /\(account_id=\?\)/, `reads the whole account: ${step}`);
}
