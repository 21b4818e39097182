import { parse } from 'csv-parse/sync';
import { toWire, wireName } from '../api/rest/names.ts';
import { coerce } from '../api/rest/wire.ts';
import type { ImportRow } from '../core/administration/operator-import.ts';
import { type Operator, operatorUpdate } from '../core/operators/operator.ts';
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

/** These can be empty; of all others an empty cell says nothing. */
const CAN_BE_EMPTY: ReadonlySet<string> = new Set([
  'first_name',
  'pseudo',
  'language_list',
  'group_id',
  'website_list',
  'skill_list',
  'call_config.phone_number',
]);

/**
 * A program for spreadsheets would run such a text as a formula. An apostrophe before it makes it a text; one more
 * where there are some already, so that the reader can take away exactly one.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

export function toCsv(operators: readonly Operator[]): string {
  const lines = operators.map((operator) => {
    const row = toRow(operator);
    return COLUMNS.map((column) => cell(at(row, column))).join(',');
  });
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

export function toJson(operators: readonly Operator[]): string {
  return `${JSON.stringify(operators.map(toRow), null, 2)}\n`;
}

/** The operators of a file by the names of the code. What cannot be read as what it should be is refused row by row later. */
export function readOperators(bytes: Uint8Array, format: 'csv' | 'json'): ImportRow[] {
  const rows = format === 'csv' ? readCsv(textOf(bytes)) : readJson(textOf(bytes));
  if (rows.length === 0) throw new CommandFailed('The file has no rows.');
  return rows.map((row, index) => {
    const { value, unknown } = coerce(operatorUpdate, row);
    if (unknown.length > 0) {
      throw unknownColumns(
        `Row ${index + 1}`,
        unknown.map(({ path }) => path.map((part) => wireName(String(part))).join('.')),
      );
    }
    return value as ImportRow;
  });
}

/** Text of another encoding must not become a name full of question marks. A mark of the byte order is left out. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailed('The file is not UTF-8. Save it as "CSV UTF-8".');
  }
}

function readCsv(text: string): Record<string, unknown>[] {
  let rows: Record<string, string>[];
  try {
    rows = parse(text, {
      columns: soundHeader,
      skip_empty_lines: true,
      skip_records_with_empty_values: true, // what spreadsheets leave below the last row
      trim: true,
    }) as Record<string, string>[];
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(`The file is not readable as CSV: ${(error as Error).message}`);
  }
  return rows.map((row) => {
    const nested: Record<string, unknown> = {};
    for (const [column, shown] of Object.entries(row)) {
      const value = unguarded(shown);
      if (value === '' && !CAN_BE_EMPTY.has(column)) continue;
      const [field = '', inner] = column.split('.');
      nested[field] = inner === undefined ? value : { ...(nested[field] as object | undefined), [inner]: value };
    }
    return nested;
  });
}

function soundHeader(columns: string[]): string[] {
  const [first = ''] = columns;
  if (columns.length === 1 && /[;\t|]/.test(first)) {
    throw new CommandFailed(
      `The cells of the file must be separated by commas, as in: ${COLUMNS.slice(0, 4).join(',')}. Its first line is: ${first}`,
    );
  }
  const unknown = columns.filter((column) => !READABLE.has(column));
  if (unknown.length > 0) throw unknownColumns('The file', unknown);
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw new CommandFailed(`The file has the column ${twice} twice.`);
  return columns;
}

/** What an export has, and what it keeps to itself. */
const READABLE: ReadonlySet<string> = new Set([...COLUMNS, 'password']);

function unknownColumns(where: string, names: readonly string[]): CommandFailed {
  const shown = names.map((name) => JSON.stringify(name)).join(', ');
  return new CommandFailed(
    `${where} has ${names.length === 1 ? 'an unknown column' : 'unknown columns'}: ${shown}. Known are: ${[...READABLE].join(', ')}.`,
  );
}

function readJson(text: string): Record<string, unknown>[] {
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch (error) {
    throw new CommandFailed(`The file is not readable as JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(rows) || rows.some((row) => row === null || typeof row !== 'object' || Array.isArray(row))) {
    throw new CommandFailed('The file must be a JSON list of objects, as an export writes it.');
  }
  return rows as Record<string, unknown>[];
}

/** An operator by the names of the file, without what only this installation knows. */
function toRow({
  id: _id,
  version: _version,
  ssoVersion: _ssoVersion,
  ...operator
}: Operator): Record<string, unknown> {
  const { phoneNumber = null } = operator.callConfig;
  return toWire({ ...operator, callConfig: { ...operator.callConfig, phoneNumber } }) as Record<string, unknown>;
}

function at(row: Record<string, unknown>, column: string): unknown {
  return column.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], row);
}

function cell(value: unknown): string {
  const plain = typeof value === 'boolean' ? String(Number(value)) : String(value ?? ''); // a list joins itself by commas
  const text = FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function unguarded(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}
