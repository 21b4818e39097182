import { parse } from 'csv-parse/sync';
import { wireName } from '../api/rest/names.ts';
import { coerce } from '../api/rest/wire.ts';
import { type Operator, operatorUpdate } from '../core/operators/operator.ts';
import type { ImportRow } from '../core/operators/operator-import.ts';
import { CommandFailed } from './report.ts';

/** The columns of a file, in order: what can be written of an operator, and the parts of the call pickup. */
export const COLUMNS = [
  'external_id',
  'email',
  'name',
  'first_name',
  'pseudo',
  'roles',
  'chat_enabled',
  'call_enabled',
  'video_enabled',
  'chat_max_number',
  'chat_and_call',
  'chat_to_video',
  'chat_priority',
  'call_priority',
  'video_priority',
  'language_list',
  'language_admin',
  'group_id',
  'website_list',
  'skill_list',
  'call_config.type',
  'call_config.ask_phone_number_at_every_connection',
  'call_config.phone_number',
] as const;

/** A program for spreadsheets would run such a text as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export function toCsv(operators: readonly Operator[]): string {
  const lines = operators.map((operator) => COLUMNS.map((column) => cell(fieldOf(operator, column))).join(','));
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

export function toJson(operators: readonly Operator[]): string {
  const rows = operators.map((operator) =>
    Object.fromEntries(
      Object.entries(operator)
        .filter(([name]) => name !== 'id' && name !== 'version' && name !== 'ssoVersion')
        .map(([name, value]) => [wireName(name), name === 'callConfig' ? snakeKeys(value as object) : value]),
    ),
  );
  return `${JSON.stringify(rows, null, 2)}\n`;
}

/** The operators of a file by the names of the code. What cannot be read as what it should be is refused row by row later. */
export function readOperators(text: string, format: 'csv' | 'json'): ImportRow[] {
  const rows = format === 'csv' ? readCsv(text) : readJson(text);
  return rows.map((row, index) => {
    const { value, unknown } = coerce(operatorUpdate, row);
    if (unknown.length > 0) {
      throw new CommandFailed(
        `Row ${index + 1} has an unknown column: ${unknown.map(({ path }) => path.join('.')).join(', ')}.`,
      );
    }
    return value as ImportRow;
  });
}

function readCsv(text: string): Record<string, unknown>[] {
  let rows: Record<string, string>[];
  try {
    rows = parse(text, { columns: true, bom: true, skip_empty_lines: true, trim: true }) as Record<string, string>[];
  } catch (error) {
    throw new CommandFailed(`The file is not readable as CSV: ${(error as Error).message}`);
  }
  return rows.map((row) => {
    const nested: Record<string, unknown> = {};
    for (const [column, shown] of Object.entries(row)) {
      const value = unguarded(shown);
      const [field = '', inner] = column.split('.');
      // An empty cell of a pickup says nothing; an empty cell of a field empties it.
      if (inner === undefined) nested[field] = value;
      else if (value !== '') nested[field] = { ...(nested[field] as object | undefined), [inner]: value };
    }
    return nested;
  });
}

function readJson(text: string): Record<string, unknown>[] {
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch (error) {
    throw new CommandFailed(`The file is not readable as JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(rows) || rows.some((row) => row === null || typeof row !== 'object' || Array.isArray(row))) {
    throw new CommandFailed('The file must be a JSON list of objects.');
  }
  return rows as Record<string, unknown>[];
}

function fieldOf(operator: Operator, column: (typeof COLUMNS)[number]): unknown {
  const [field, inner] = column.split('.');
  const entry = Object.entries(operator).find(([name]) => wireName(name) === field)?.[1];
  if (inner === undefined) return entry;
  return Object.entries(entry as object).find(([name]) => wireName(name) === inner)?.[1];
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const plain = Array.isArray(value)
    ? value.join(',')
    : typeof value === 'boolean'
      ? value
        ? '1'
        : '0'
      : String(value);
  const text = FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function unguarded(text: string): string {
  return text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
}

function snakeKeys(object: object): object {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [wireName(name), value]));
}
