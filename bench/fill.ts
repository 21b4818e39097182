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
  apiKeyOf,
  emailIn,
  GROUPS,
  LOGIN_IDS,
  PASSWORD,
  type Person,
  personAt,
  SKILLS,
  WEBSITES,
} from './data.ts';
import { progress } from './progress.ts';

/** Raise it when what is filled in changes. */
const VERSION = 2;

export const DATABASE = 'switchboard.db';
const PER_TRANSACTION = 50_000;
const PER_STATEMENT = 200;
const CONNECTED_UNTIL = Date.UTC(2100, 0, 1);

/** Who is in a filled database. */
export interface Population {
  readonly name: string;
  /** So many accounts, each with the same people; one if left out. */
  readonly accounts?: number;
  personAt(size: number, id: number): Person;
  /** What else is put in, once everybody is there. */
  finish?(tx: Transaction, accountId: number, size: number): Promise<void>;
}

export const DIRECTORY: Population = { name: 'directory', personAt };

/** The folder of a database with so many operators, made at the first use and kept. */
export async function filledFolder(cache: string, size: number, population = DIRECTORY): Promise<string> {
  const folder = join(cache, `v${VERSION}-${schemaName()}-${population.name}-${size}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const file = join(unfinished, DATABASE);
    await fill(file, size, population);
    foldLogIn(file);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** Another one with every change of the tables, also of a migration that is not released yet. */
function schemaName(): string {
  const statements = migrations.flatMap((migration) => migration.statements({ orderedText: 'text' }));
  return hash('sha256', statements.join('\n'), 'hex').slice(0, 12);
}

async function fill(file: string, size: number, population: Population): Promise<void> {
  const installation = await openInstallation(readConfig({ DATABASE_URL: `sqlite:${file}` }));
  try {
    const passwordHash = await installation.access.passwords.hash(PASSWORD);
    for (let account = 1; account <= (population.accounts ?? 1); account++)
      await fillAccount(installation, { account, size, population, passwordHash });
  } finally {
    await installation.database.close();
  }
}

interface Filling {
  /** Its number, from 1. */
  readonly account: number;
  readonly size: number;
  readonly population: Population;
  readonly passwordHash: string;
}

async function fillAccount(installation: Installation, filling: Filling): Promise<void> {
  const { account, size, population } = filling;
  const admin = { email: emailIn(account, ADMIN_EMAIL), password: PASSWORD };
  const made = await createAccount(installation, { name: 'Bench', admin, apiKey: apiKeyOf(account) });
  const accountId = made?.accountId ?? account;
  await makeDirectory(installation, accountId);
  const counts = new Counts();
  for (let first = 2; first <= size; first += PER_TRANSACTION) {
    const last = Math.min(size, first + PER_TRANSACTION - 1);
    await installation.database.transaction((tx) => insertPeople(tx, { ...filling, accountId, first, last, counts }));
    progress(`filling the database of ${size.toLocaleString('en')} operators: ${Math.floor((last / size) * 100)} %`);
  }
  await installation.database.transaction(async (tx) => {
    await counts.keep(tx, accountId, size);
    await population.finish?.(tx, accountId, size);
  });
}

/** Everything into the one file, so that a copy of it is complete. */
function foldLogIn(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}

async function makeDirectory(
  { database, administration: { websites, groups, skills } }: Installation,
  accountId: number,
): Promise<void> {
  const caller = systemCaller(accountId);
  // All in one transaction: each would otherwise wait for the disk.
  await database.transaction(async (tx) => {
    const commit = <T>(work: (tx: Transaction) => Promise<T>) => work(tx);
    for (let number = 1; number <= WEBSITES; number++) {
      await websites.create(commit, caller, { label: `Shop ${number}`, url: `https://shop${number}.example.com` });
    }
    for (let number = 1; number <= GROUPS; number++) await groups.create(commit, caller, { name: `Team ${number}` });
    for (let number = 1; number <= SKILLS; number++) await skills.create(commit, caller, { name: `Topic ${number}` });
  });
}

interface Part extends Filling {
  readonly accountId: number;
  readonly first: number;
  readonly last: number;
  readonly counts: Counts;
}

async function insertPeople(
  tx: Transaction,
  { account, accountId, population, size, first, last, passwordHash, counts }: Part,
): Promise<void> {
  const people: Person[] = [];
  for (let id = first; id <= last; id++) {
    const person = population.personAt(size, id);
    people.push({ ...person, email: emailIn(account, person.email) });
  }
  for (const person of people) counts.add(person);
  const own = { accountId };
  await insert(tx, 'operators', people, (person) => ({ ...own, ...operatorColumns(person, tx.now) }));
  await insert(tx, 'operatorLive', people, (person) => ({ ...own, ...liveColumns(person, tx.now) }));
  await insert(tx, 'logins', people, ({ id, email }) => ({
    ...own,
    emailFolded: fold(email),
    operatorId: id,
    passwordHash: LOGIN_IDS.includes(id) ? passwordHash : null,
  }));
  const memberships = <K extends 'websites' | 'skills'>(kind: K) =>
    people.flatMap((person) => person[kind].map((id) => [id, person.id] as const));
  await insert(tx, 'operatorWebsites', memberships('websites'), ([websiteId, operatorId]) => ({
    ...own,
    websiteId,
    operatorId,
  }));
  await insert(tx, 'operatorSkills', memberships('skills'), ([skillId, operatorId]) => ({
    ...own,
    skillId,
    operatorId,
  }));
  const connected = people.filter((person) => person.connected);
  await insert(tx, 'operatorLeases', connected, ({ id }) => ({
    ...own,
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
  for (let start = 0; start < items.length; start += PER_STATEMENT) {
    await tx.db
      .insertInto(table)
      .values(items.slice(start, start + PER_STATEMENT).map(toRow))
      .execute();
  }
}

function operatorColumns(person: Person, now: number) {
  const { id, name, firstName, email, externalId } = person;
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
    languageList: JSON.stringify(person.languages),
    languageAdmin: 'en',
    groupId: person.groupId,
    websiteList: JSON.stringify(person.websites),
    skillList: JSON.stringify(person.skills),
    callConfig: '{"type":"ANSWER_FROM_DESK","askPhoneNumberAtEveryConnection":false}',
    ssoVersion: 1,
    createdAt: now,
  };
}

function liveColumns(person: Person, now: number) {
  const { id, connected, groupId, skills, websites, languages, chatMaxNumber } = person;
  return {
    operatorId: id,
    version: 1,
    leaseUntil: connected ? CONNECTED_UNTIL : 0,
    routableUntil: connected ? CONNECTED_UNTIL : 0,
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

/** The counts that the tables keep, gathered while filling. */
class Counts {
  readonly #websites = new Map<number, number>();
  readonly #groups = new Map<number, number>();
  readonly #skills = new Map<number, number>();

  add({ websites, groupId, skills }: Person): void {
    for (const id of websites) increase(this.#websites, id);
    if (groupId !== null) increase(this.#groups, groupId);
    for (const id of skills) increase(this.#skills, id);
  }

  async keep(tx: Transaction, accountId: number, size: number): Promise<void> {
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

function increase(counts: Map<number, number>, id: number): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
