import type { Installation } from '../../app/installation.ts';
import type { Caller, Transact } from '../../core/kernel/caller.ts';
import { setAvailability } from '../../core/live/live-store.ts';
import type { OperatorCreate } from '../../core/operators/operator.ts';
import type { Transaction } from '../../storage/database.ts';
import { SHOP_NAME } from './products.ts';

/** External ids of all operators of the demo data start like this. */
export const DEMO_PREFIX = 'demo-';
export const TEAM_PREFIX = `${DEMO_PREFIX}shop-`;

/** Until the service is started with the demo, which sets the address at which the shop really is. */
const INITIAL_URL = 'http://localhost:8081';

/** Who answers in the shop: first name, last name, languages. The first one is the manager. */
const TEAM: readonly (readonly [string, string, readonly string[]])[] = [
  ['Maren', 'Holt', ['en', 'de', 'es', 'fr']],
  ['Jules', 'Perrin', ['fr', 'en', 'es']],
  ['Lucía', 'Ortega', ['es', 'en', 'fr']],
  ['Tom', 'Ashworth', ['en', 'de']],
  ['Frieda', 'Lindner', ['de', 'en', 'fr']],
  ['Iker', 'Salas', ['es', 'en', 'de']],
];

const GREETINGS = {
  en: 'Hello! Questions about a pack, a jacket or boots? We answer within seconds.',
  de: 'Guten Tag! Fragen zu Rucksack, Jacke oder Stiefeln? Wir antworten in Sekunden.',
  es: '¡Hola! ¿Preguntas sobre mochilas, chaquetas o botas? Respondemos en segundos.',
  fr: 'Bonjour ! Une question sur un sac, une veste ou des bottines ? Nous répondons en quelques secondes.',
};
const TITLES = {
  en: 'Halden customer care',
  de: 'Kundenservice von Halden',
  es: 'Atención al cliente de Halden',
  fr: 'Service client de Halden',
};

const listTexts = (key: 'title' | 'greeting', texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([language, text]) => ({ language, key, text }));

/**
 * Adds the website of the pretend shop with the people who answer in it, unless they exist. Returns the number of people
 * added. All real operators work on it too, with the higher priority and in the languages of the widget.
 */
export async function addShop(installation: Installation, tx: Transaction, caller: Caller): Promise<number> {
  const { operators, websites } = installation.administration;
  const commit: Transact = (work) => work(tx);
  if ((await listTeam(tx, caller)).length > 0) return 0;
  const website = await websites.create(commit, caller, {
    label: SHOP_NAME,
    url: INITIAL_URL,
    widget: {
      accentColor: '#0f766e',
      preChat: { name: 'optional' },
      texts: [...listTexts('title', TITLES), ...listTexts('greeting', GREETINGS)],
    },
  });
  for (const { id, websiteList, languageList } of await listRealOperators(tx, caller)) {
    await operators.update(commit, caller, id, {
      websiteList: [...(JSON.parse(websiteList) as number[]), website.id],
      languageList: [...new Set([...(JSON.parse(languageList) as string[]), ...Object.keys(GREETINGS)])],
      chatPriority: 10,
    });
  }
  for (const [index, person] of TEAM.entries()) {
    const { id } = await operators.createInTransaction(tx, caller, buildPerson(index, person, website.id), undefined);
    setAvailability(tx, caller, { operatorId: id, update: { chat: { available: true } } });
  }
  return TEAM.length;
}

function buildPerson(
  index: number,
  [firstName, name, languages]: (typeof TEAM)[number],
  websiteId: number,
): OperatorCreate {
  return {
    name,
    firstName,
    pseudo: firstName,
    email: `${firstName
      .normalize('NFD')
      .replaceAll(/\P{ASCII}/gu, '')
      .toLowerCase()}@halden.example.com`,
    externalId: `${TEAM_PREFIX}${index + 1}`,
    roles: index === 0 ? ['manager', 'operator'] : ['operator'],
    chatMaxNumber: 4,
    languageList: [...languages],
    websiteList: [websiteId],
  };
}

function listRealOperators({ db }: Transaction, { accountId }: Caller) {
  return db
    .selectFrom('operators')
    .select(['id', 'websiteList', 'languageList'])
    .where('accountId', '=', accountId)
    .where((eb) => eb.or([eb('externalIdFolded', 'is', null), eb('externalIdFolded', 'not like', `${DEMO_PREFIX}%`)]))
    .execute();
}

export interface TeamMember {
  readonly id: number;
  readonly email: string;
  readonly isManager: boolean;
  readonly websiteList: readonly number[];
}

/** The people of the shop who still exist; a person can be deleted like every operator. */
export async function listTeam({ db }: Pick<Transaction, 'db'>, { accountId }: Caller): Promise<TeamMember[]> {
  const rows = await db
    .selectFrom('operators')
    .select(['id', 'email', 'roles', 'websiteList'])
    .where('accountId', '=', accountId)
    .where('externalIdFolded', 'like', `${TEAM_PREFIX}%`)
    .orderBy('id')
    .execute();
  return rows.map(({ id, email, roles, websiteList }) => ({
    ...{ id, email, isManager: roles.includes('manager') },
    websiteList: JSON.parse(websiteList) as number[],
  }));
}

export interface Shop {
  readonly websiteId: number;
  readonly team: readonly TeamMember[];
}

/** Finds the shop by its people: its website may have been renamed. */
export async function findShop({ database, administration }: Installation, caller: Caller): Promise<Shop> {
  const team = await listTeam({ db: database.read }, caller);
  const ids = [...new Set(team.flatMap(({ websiteList }) => websiteList))];
  const websites = await administration.websites.load(caller.accountId, ids);
  const website =
    websites.find(({ label }) => label === SHOP_NAME) ?? (websites.length === 1 ? websites[0] : undefined);
  if (!website)
    throw new Error(
      `The website of the pretend shop was not found: name the one of ${TEAM_PREFIX}1 "${SHOP_NAME}" again.`,
    );
  return { websiteId: website.id, team };
}
