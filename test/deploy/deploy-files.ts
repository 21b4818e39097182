import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { settings } from '../../src/config.ts';
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';

export const ROOT = join(import.meta.dirname, '../..');

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

// biome-ignore lint/suspicious/noExplicitAny: the format is defined elsewhere; its schema is validated separately
export function readYaml(path: string): any {
  return parse(readText(path), { merge: true });
}

/** Variables that are not settings of the service. */
export function findUnknownSettings(environment: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(environment).filter((name) => !(name in settings.shape));
}

/** `10s`, `1m`, `45` as seconds. */
export function parseSeconds(text: string | number): number {
  const [, amount, unit = 's'] = /^(\d+)(s|m)?$/.exec(String(text)) ?? [];
  return Number(amount) * (unit === 'm' ? 60 : 1);
}

/** Whether the image has a fixed version, so that every pull gets the same one. */
export function isPinned(image: string): boolean {
  return /^[\w./-]+:v?\d+[\w.-]*$/.test(image);
}

/** The connection pool of a node plus its LISTEN connection. Nothing connects here: that needs a statement. */
export const MAX_CONNECTIONS_PER_NODE =
  new PostgresDatabase('postgres://nowhere.invalid/none').getUsage().connectionLimit + 1;
