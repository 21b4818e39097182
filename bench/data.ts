/** What the filled databases hold, as a function of their size: nothing is random, so that every run measures the same. */

export const API_KEY = 'bench-write-key-0123456789';
export const ADMIN_EMAIL = 'admin@example.com';

/** The key of an account; most databases have only the first one. */
export function apiKeyOf(account: number): string {
  return account === 1 ? API_KEY : `${API_KEY}-of-account-${account}`;
}

/** An e-mail address is somebody's in one account only. */
export function emailIn(account: number, email: string): string {
  return account === 1 ? email : email.replace('@', `@account-${account}.`);
}

export const PASSWORD = 'correct horse battery staple';

export const WEBSITES = 3;
export const GROUPS = 50;
export const SKILLS = 100;

/** These have the same few members at every size. No other identifier begins with the same digits. */
export const SMALL_GROUP = 9;
export const SMALL_SKILL = 57;
export const SMALL_WEBSITE = 3;

/** Nobody else's name, e-mail or external identifier begins like those of the few. */
export const RARE_NAME = 'Quillfeather';
export const RARE_PREFIX = 'vip-';

/** Operators 2 to 11 can log in; one hash serves them all. */
export const LOGIN_IDS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/** So many are connected, whatever the size. */
export const CONNECTED = 100;

export interface Person {
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
  readonly connected: boolean;
}

/** The operator with this identifier in an account of so many. The first is the admin and is made otherwise. */
export function personAt(size: number, id: number): Person {
  const block = Math.floor(size / CONNECTED);
  const connected = id % block === 5;
  const rare = id % block === 7 && Math.floor(id / block) % 3 === 0;
  const firstName = at(FIRST_NAMES, id * 7);
  const name = rare ? RARE_NAME : at(NAMES, id);
  const plain = connected || (!rare && id % 4 === 0);
  return {
    id,
    name,
    firstName,
    email: rare ? `${RARE_PREFIX}${id}@example.com` : `${plainLetters(`${firstName}.${name}`)}.${id}@example.com`,
    externalId: rare ? `${RARE_PREFIX}${id}` : `hr-${String(id).padStart(7, '0')}`,
    groupId: plain ? null : rare ? SMALL_GROUP : other(id, GROUPS, SMALL_GROUP),
    websites: rare ? [1, 2, SMALL_WEBSITE] : id % 5 === 4 ? [1] : [1, 2],
    skills: plain ? [] : rare ? [SMALL_SKILL] : [other(id * 3, SKILLS, SMALL_SKILL)],
    languages: id % 3 === 0 ? ['fr', 'en'] : ['en'],
    chatMaxNumber: 3,
    connected,
  };
}

/** So many identifiers, evenly over the account and without the admin. */
export function spreadIds(size: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => 2 + Math.floor((index * (size - 2)) / count));
}

/** An identifier such that the same number of identifiers begins with its digits at every size: itself and ten more. */
export function idPrefix(size: number): number {
  return Math.floor(size / 81);
}

/** One of 1 to `most`, but not the small one. */
function other(id: number, most: number, small: number): number {
  const chosen = 1 + (id % most);
  return chosen === small ? 1 : chosen;
}

function at(list: readonly string[], index: number): string {
  return list[index % list.length] as string;
}

function plainLetters(text: string): string {
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
