/** Contents of the benchmark databases as a function of their size. Nothing is random, so that runs are comparable. */

export const API_KEY = 'bench-write-key-0123456789';
export const ADMIN_EMAIL = 'admin@example.com';

/** The API key of an account; most databases have only account 1. */
export function getApiKey(account: number): string {
  return account === 1 ? API_KEY : `${API_KEY}-of-account-${account}`;
}

/** E-mail addresses are unique across accounts. */
export function toAccountEmail(account: number, email: string): string {
  return account === 1 ? email : email.replace('@', `@account-${account}.`);
}

export const PASSWORD = 'correct horse battery staple';

export const WEBSITE_COUNT = 3;
export const GROUP_COUNT = 50;
export const SKILL_COUNT = 100;

/** These have the same few members at every size. No other id starts with the same digits. */
export const SMALL_GROUP = 9;
export const SMALL_SKILL = 57;
export const SMALL_WEBSITE = 3;

/** Prefixes of names, e-mails and external ids that only a few operators have. */
export const RARE_NAME = 'Quillfeather';
export const RARE_PREFIX = 'vip-';

/** Operators 2 to 11 can log in; they share one password hash. */
export const LOGIN_IDS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/** The number of connected operators, at every size. */
export const CONNECTED_COUNT = 100;

export interface OperatorProfile {
  readonly id: number;
  readonly name: string;
  readonly firstName: string;
  readonly email: string;
  readonly externalId: string;
  readonly groupId: number | null;
  readonly websites: readonly number[];
  readonly skills: readonly number[];
  readonly languages: readonly string[];
  readonly chatMaxNumber: number;
  readonly isConnected: boolean;
}

/** The operator with this id in an account of `size` operators. Operator 1 is the admin and is created separately. */
export function buildOperator(size: number, id: number): OperatorProfile {
  const block = Math.floor(size / CONNECTED_COUNT);
  const isConnected = id % block === 5;
  const isRare = id % block === 7 && Math.floor(id / block) % 3 === 0;
  const firstName = pickAt(FIRST_NAMES, id * 7);
  const name = isRare ? RARE_NAME : pickAt(NAMES, id);
  const hasNoGroupOrSkill = isConnected || (!isRare && id % 4 === 0);
  return {
    id,
    name,
    firstName,
    email: isRare ? `${RARE_PREFIX}${id}@example.com` : `${toPlainLetters(`${firstName}.${name}`)}.${id}@example.com`,
    externalId: isRare ? `${RARE_PREFIX}${id}` : `hr-${String(id).padStart(7, '0')}`,
    groupId: hasNoGroupOrSkill ? null : isRare ? SMALL_GROUP : pickExcept(id, GROUP_COUNT, SMALL_GROUP),
    websites: isRare ? [1, 2, SMALL_WEBSITE] : id % 5 === 4 ? [1] : [1, 2],
    skills: hasNoGroupOrSkill ? [] : isRare ? [SMALL_SKILL] : [pickExcept(id * 3, SKILL_COUNT, SMALL_SKILL)],
    languages: id % 3 === 0 ? ['fr', 'en'] : ['en'],
    chatMaxNumber: 3,
    isConnected,
  };
}

/** Returns `count` operator ids, spread evenly over the account, without the admin. */
export function spreadIds(size: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => 2 + Math.floor((index * (size - 2)) / count));
}

/** Returns an id prefix that matches the same number of ids at every size: the id itself and ten longer ones. */
export function computeIdPrefix(size: number): number {
  return Math.floor(size / 81);
}

/** Picks a number from 1 to `count`, but never `excluded`. */
function pickExcept(id: number, count: number, excluded: number): number {
  const chosen = 1 + (id % count);
  return chosen === excluded ? 1 : chosen;
}

function pickAt(list: readonly string[], index: number): string {
  return list[index % list.length] as string;
}

function toPlainLetters(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

const FIRST_NAMES = (
  'Alice Benoît Clara David Elena Farid Greta Hugo Inès Jonas Karla Liam Mariam Noah Olga Paul Rania Sven Teresa ' +
  'Umberto Valérie Wim Xenia Yusuf Zoé Amélie Björn Chiara Dmitri Esther Franz'
).split(' ');

const NAMES = (
  'Martin Bernard Dubois Thomas Robert Petit Durand Leroy Moreau Simon Laurent Lefèvre Michel García Fernández López ' +
  'Sánchez Pérez Gómez Díaz Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Hoffmann Schäfer Rossi Russo ' +
  'Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Smith Jones Taylor Brown Williams Wilson Johnson Davies ' +
  'Evans Nguyen Tran Kowalski Nowak Olsson Larsson Nilsson Hansen Jensen Nielsen Virtanen Korhonen Silva Santos ' +
  'Ferreira Pereira Oliveira Costa Almeida Yılmaz Kaya Demir Benali Haddad Cohen Levy Petrov Ivanov Smirnov Kim Park ' +
  'Tanaka Suzuki Sato Wang Li Zhang Chen'
).split(' ');
