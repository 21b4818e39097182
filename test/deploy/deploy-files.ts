import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { settings } from '../../src/config.ts';
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';

export const ROOT = join(import.meta.dirname, '../..');

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

// biome-ignore lint/suspicious/noExplicitAny: a document of somebody else's form; its schema is checked apart
export function readYaml(path: string): any {
  return parse(readText(path), { merge: true });
}

/** Names in an environment that the service would refuse or never look at. */
export function unknownSettings(environment: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(environment).filter((name) => !(name in settings.shape));
}

/** `10s`, `1m`, `45` as seconds. */
export function secondsOf(text: string | number): number {
  const [, amount, unit = 's'] = /^(\d+)(s|m)?$/.exec(String(text)) ?? [];
  return Number(amount) * (unit === 'm' ? 60 : 1);
}

/** Which program of another version an image is cannot be left to the day on which it is fetched. */
export function isPinned(image: string): boolean {
  return /^[\w./-]+:v?\d+[\w.-]*$/.test(image);
}

/** All that a node may open to PostgreSQL, and the one that listens. Nothing is opened here: only a statement does that. */
export const CONNECTIONS_OF_A_NODE = new PostgresDatabase('postgres://nowhere.invalid/none').use().connectionLimit + 1;
