import { hash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Insertable } from 'kysely';
import { type Installation, openInstallation } from '../src/app/installation.ts';
import { readConfig } from '../src/config.ts';
import { createAccount } from '../src/core/administration/account-creation.ts';
import { systemCaller } from '../src/core/kernel/caller.ts';
import { fold } from '../src/core/kernel/text.ts';
import type { Transaction } from '../src/storage/database.ts';
import { migrations } from '../src/storage/migrate.ts';
import type { Tables } from '../src/storage/tables.ts';
import {
  ADMIN_EMAIL,
  buildOperator,
  GROUP_COUNT,
  getApiKey,
  LOGIN_IDS,
  type OperatorProfile,
  PASSWORD,
  SKILL_COUNT,
  toAccountEmail,
  WEBSITE_COUNT,
} from './data.ts';
import { showProgress, updateProgress } from './progress.ts';

/** Increase it when the filled data changes. */
const DATA_VERSION = 2;

export const DATABASE_FILE = 'switchboard.db';
const OPERATORS_PER_TRANSACTION = 50_000;
const ROWS_PER_STATEMENT = 200;
const CONNECTED_UNTIL = Date.UTC(2100, 0, 1);

/** The contents of a filled database. */
export interface Population {
  readonly name: string;
  /** The number of accounts, each with the same operators. Defaults to 1. */
  readonly accounts?: number;
  buildOperator(size: number, id: number): OperatorProfile;
  /** Adds further rows after the operators. */
  finish?(tx: Transaction, accountId: number, size: number): Promise<void>;
}

export const DIRECTORY: Population = { name: 'directory', buildOperator };

/** Returns the folder of a database with `size` operators. It is created on first use and cached. */
export async function prepareFilledFolder(cache: string, size: number, population = DIRECTORY): Promise<string> {
  const folder = join(cache, `v${DATA_VERSION}-${hashSchema()}-${population.name}-${size}`);
  if (existsSync(folder)) return folder;
  showProgress(describeFill(size, population));
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const file = join(unfinished, DATABASE_FILE);
    await fill(file, size, population);
    checkpointWal(file);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** Changes with every change of the tables, including unreleased migrations, and with every new migration. */
function hashSchema(): string {
  const statements = migrations.flatMap(({ name, statements }) => [
    name,
    ...statements({ orderedText: 'text', bytes: 'blob' }),
  ]);
  return hash('sha256', statements.join('\n'), 'hex').slice(0, 12);
}

async function fill(file: string, size: number, population: Population): Promise<void> {
  const installation = await openInstallation(readConfig({ DATABASE_URL: `sqlite:${file}` }));
  try {
    const passwordHash = await installation.access.passwords.hash(PASSWORD, { priority: 'other', source: [] });
    for (let account = 1; account <= (population.accounts ?? 1); account++)
      await fillAccount(installation, { account, size, population, passwordHash });
  } finally {
    await installation.database.close();
  }
}

interface AccountFill {
  /** The account number, from 1. */
  readonly account: number;
  readonly size: number;
  readonly population: Population;
  readonly passwordHash: string;
}

async function fillAccount(installation: Installation, accountFill: AccountFill): Promise<void> {
  const { account, size, population } = accountFill;
  const { accounts = 1 } = population;
  const admin = { email: toAccountEmail(account, ADMIN_EMAIL), password: PASSWORD };
  const created = await createAccount(installation, { name: 'Bench', admin, apiKey: getApiKey(account) });
  const accountId = created?.accountId ?? account;
  await createDirectory(installation, accountId);
  const counts = new OperatorCounts();
  for (let first = 2; first <= size; first += OPERATORS_PER_TRANSACTION) {
    const last = Math.min(size, first + OPERATORS_PER_TRANSACTION - 1);
    await installation.database.transaction((tx) =>
      insertOperators(tx, { ...accountFill, accountId, first, last, counts }),
    );
    updateProgress(
      `${describeFill(size, population)}: ${Math.floor(((account - 1 + last / size) / accounts) * 100)} %`,
    );
  }
  await installation.database.transaction(async (tx) => {
    await counts.save(tx, accountId, size);
    await population.finish?.(tx, accountId, size);
  });
}

function describeFill(size: number, { accounts = 1 }: Population): string {
  const inAccounts = accounts > 1 ? ` in each of ${accounts} accounts` : '';
  return `filling the database of ${size.toLocaleString('en')} operators${inAccounts}`;
}

/** Moves the WAL into the database file, so that a copy of the file is complete. */
function checkpointWal(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}

async function createDirectory(
  { database, administration: { websites, groups, skills } }: Installation,
  accountId: number,
): Promise<void> {
  const caller = systemCaller(accountId);
  // One transaction: otherwise each insert would wait for the disk.
  await database.transaction(async (tx) => {
    const commit = <T>(work: (tx: Transaction) => Promise<T>) => work(tx);
    for (let number = 1; number <= WEBSITE_COUNT; number++) {
      await websites.create(commit, caller, { label: `Shop ${number}`, url: `https://shop${number}.example.com` });
    }
    for (let number = 1; number <= GROUP_COUNT; number++)
      await groups.create(commit, caller, { name: `Team ${number}` });
    for (let number = 1; number <= SKILL_COUNT; number++)
      await skills.create(commit, caller, { name: `Topic ${number}` });
  });
}

interface OperatorBatch extends AccountFill {
  readonly accountId: number;
  readonly first: number;
  readonly last: number;
  readonly counts: OperatorCounts;
}

async function insertOperators(
  tx: Transaction,
  { account, accountId, population, size, first, last, passwordHash, counts }: OperatorBatch,
): Promise<void> {
  const operators: OperatorProfile[] = [];
  for (let id = first; id <= last; id++) {
    const operator = population.buildOperator(size, id);
    operators.push({ ...operator, email: toAccountEmail(account, operator.email) });
  }
  for (const person of operators) counts.add(person);
  await insert(tx, 'operators', operators, (person) => ({ accountId, ...toOperatorRow(person, tx.now) }));
  await insert(tx, 'operatorLive', operators, (person) => ({ accountId, ...toLiveRow(person, tx.now) }));
  await insert(tx, 'logins', operators, ({ id, email }) => ({
    accountId,
    emailFolded: fold(email),
    operatorId: id,
    passwordHash: LOGIN_IDS.includes(id) ? passwordHash : null,
  }));
  const memberships = <K extends 'websites' | 'skills'>(kind: K) =>
    operators.flatMap((person) => person[kind].map((id) => [id, person.id] as const));
  await insert(tx, 'operatorWebsites', memberships('websites'), ([websiteId, operatorId]) => ({
    accountId,
    websiteId,
    operatorId,
  }));
  await insert(tx, 'operatorSkills', memberships('skills'), ([skillId, operatorId]) => ({
    accountId,
    skillId,
    operatorId,
  }));
  const connected = operators.filter(({ isConnected }) => isConnected);
  await insert(tx, 'operatorLeases', connected, ({ id }) => ({
    accountId,
    operatorId: id,
    leaseId: 'bench',
    expiresAt: CONNECTED_UNTIL,
  }));
}

export async function insert<Table extends keyof Tables, Item>(
  tx: Transaction,
  table: Table,
  items: readonly Item[],
  toRow: (item: Item) => Insertable<Tables[Table]>,
): Promise<void> {
  for (let start = 0; start < items.length; start += ROWS_PER_STATEMENT) {
    await tx.db
      .insertInto(table)
      .values(items.slice(start, start + ROWS_PER_STATEMENT).map(toRow))
      .execute();
  }
}

function toOperatorRow(operator: OperatorProfile, now: number) {
  const { id, name, firstName, email, externalId } = operator;
  return {
    id,
    version: 1,
    name,
    nameFolded: fold(name),
    firstName,
    pseudo: `${firstName} ${name.slice(0, 1)}.`,
    email,
    emailFolded: fold(email),
    externalId,
    externalIdFolded: fold(externalId),
    roles: '["operator"]',
    languageList: JSON.stringify(operator.languages),
    languageAdmin: 'en',
    groupId: operator.groupId,
    websiteList: JSON.stringify(operator.websites),
    skillList: JSON.stringify(operator.skills),
    callConfig: '{"type":"ANSWER_FROM_DESK","askPhoneNumberAtEveryConnection":false}',
    ssoVersion: 1,
    createdAt: now,
  };
}

function toLiveRow(operator: OperatorProfile, now: number) {
  const { id, isConnected, groupId, skills, websites, languages, chatMaxNumber } = operator;
  return {
    operatorId: id,
    version: 1,
    leaseUntil: isConnected ? CONNECTED_UNTIL : 0,
    routableUntil: isConnected ? CONNECTED_UNTIL : 0,
    groupId,
    websiteList: JSON.stringify(websites),
    skillList: JSON.stringify(skills),
    languageList: JSON.stringify(languages),
    firstLoginAt: now,
    namedOnly: groupId !== null || skills.length > 0 ? 1 : 0,
    chatEnabled: 1,
    callEnabled: id % 2,
    videoEnabled: 0,
    chatAvailable: 1,
    callAvailable: id % 2,
    videoAvailable: 0,
    chatSlots: 0,
    callSlots: 0,
    videoSlots: 0,
    chatMaxNumber,
    chatAndCall: 0,
    chatToVideo: 0,
    chatPriority: 0,
    callPriority: 0,
    videoPriority: 0,
  };
}

/** The operator counts that the tables store, collected while filling. */
class OperatorCounts {
  readonly #websites = new Map<number, number>();
  readonly #groups = new Map<number, number>();
  readonly #skills = new Map<number, number>();

  add({ websites, groupId, skills }: OperatorProfile): void {
    for (const id of websites) increment(this.#websites, id);
    if (groupId !== null) increment(this.#groups, groupId);
    for (const id of skills) increment(this.#skills, id);
  }

  async save(tx: Transaction, accountId: number, size: number): Promise<void> {
    for (const [table, counts] of [
      ['websites', this.#websites],
      ['groups', this.#groups],
      ['skills', this.#skills],
    ] as const) {
      for (const [id, operatorCount] of counts) {
        await tx.db
          .updateTable(table as 'skills')
          .set({ operatorCount })
          .where('accountId', '=', accountId)
          .where('id', '=', id)
          .execute();
      }
    }
    await tx.db.updateTable('accounts').set({ operatorCount: size }).where('id', '=', accountId).execute();
    await tx.db
      .updateTable('counters')
      .set({ value: size })
      .where('accountId', '=', accountId)
      .where('name', '=', 'operator')
      .execute();
  }
}

function increment(counts: Map<number, number>, id: number): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
