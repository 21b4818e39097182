import { parse } from 'csv-parse/sync';
import { toWireKeys, toWireName } from '../api/rest/names.ts';
import { coerce } from '../api/rest/wire.ts';
import type { ImportRow } from '../core/administration/operator-import.ts';
import { type Operator, operatorUpdate } from '../core/operators/operator.ts';
import { CommandFailed } from './report.ts';

/** File columns in order: the writable fields of an operator, with `call_config` split up. */
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

/** An empty cell clears these fields; in all other columns it leaves the field unchanged. */
const CLEARABLE_COLUMNS: ReadonlySet<string> = new Set([
  'first_name',
  'pseudo',
  'language_list',
  'group_id',
  'website_list',
  'skill_list',
  'call_config.phone_number',
]);

/**
 * Spreadsheet programs would run such text as a formula. A leading apostrophe makes it plain text. Text that already
 * starts with apostrophes gets one more, so that the import can remove exactly one.
 */
const FORMULA_PREFIX = /^'*[=+\-@\t\r\n＝＋－＠]/;

export function toCsv(operators: readonly Operator[]): string {
  const lines = operators.map((operator) => {
    const row = toRow(operator);
    return COLUMNS.map((column) => toCell(getValueAt(row, column))).join(',');
  });
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

export function toJson(operators: readonly Operator[]): string {
  return `${JSON.stringify(operators.map(toRow), null, 2)}\n`;
}

/** Reads rows, with the field names of the code. Invalid values are reported later, row by row. */
export function readOperators(bytes: Uint8Array, format: 'csv' | 'json'): ImportRow[] {
  const rows = format === 'csv' ? readCsv(decodeUtf8(bytes)) : readJson(decodeUtf8(bytes));
  if (rows.length === 0) throw new CommandFailed('The file has no rows.');
  return rows.map((row, index) => {
    const { value, unknownFields: unknown } = coerce(operatorUpdate, row);
    if (unknown.length > 0) {
      throw unknownColumnsError(
        `Row ${index + 1}`,
        unknown.map(({ path }) => path.map((part) => toWireName(String(part))).join('.')),
      );
    }
    return value as ImportRow;
  });
}

/** Rejects other encodings instead of importing garbled names. Removes a byte order mark. */
function decodeUtf8(bytes: Uint8Array): string {
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
      columns: validateHeader,
      skip_empty_lines: true,
      skip_records_with_empty_values: true, // spreadsheets leave them below the last row
      trim: true,
    }) as Record<string, string>[];
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(`The file is not readable as CSV: ${(error as Error).message}`);
  }
  return rows.map((row) => {
    const nested: Record<string, unknown> = {};
    for (const [column, text] of Object.entries(row)) {
      const value = removeFormulaGuard(text);
      if (value === '' && !CLEARABLE_COLUMNS.has(column)) continue;
      const [field = '', inner] = column.split('.');
      nested[field] = inner === undefined ? value : { ...(nested[field] as object | undefined), [inner]: value };
    }
    return nested;
  });
}

function validateHeader(columns: string[]): string[] {
  const [first = ''] = columns;
  if (columns.length === 1 && /[;\t|]/.test(first)) {
    throw new CommandFailed(
      `The cells of the file must be separated by commas, as in: ${COLUMNS.slice(0, 4).join(',')}. Its first line is: ${first}`,
    );
  }
  const unknown = columns.filter((column) => !IMPORT_COLUMNS.has(column));
  if (unknown.length > 0) throw unknownColumnsError('The file', unknown);
  const duplicate = columns.find((column, index) => columns.indexOf(column) !== index);
  if (duplicate !== undefined) throw new CommandFailed(`The file has the column ${duplicate} twice.`);
  return columns;
}

/** The columns of an export, and the password, which only an import accepts. */
const IMPORT_COLUMNS: ReadonlySet<string> = new Set([...COLUMNS, 'password']);

function unknownColumnsError(location: string, names: readonly string[]): CommandFailed {
  const quotedNames = names.map((name) => JSON.stringify(name)).join(', ');
  return new CommandFailed(
    `${location} has ${names.length === 1 ? 'an unknown column' : 'unknown columns'}: ${quotedNames}. Known columns: ${[...IMPORT_COLUMNS].join(', ')}.`,
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

/** Converts an operator to the field names of the file, without internal fields. */
function toRow({
  id: _id,
  version: _version,
  ssoVersion: _ssoVersion,
  ...operator
}: Operator): Record<string, unknown> {
  const { phoneNumber = null } = operator.callConfig;
  return toWireKeys({ ...operator, callConfig: { ...operator.callConfig, phoneNumber } }) as Record<string, unknown>;
}

function getValueAt(row: Record<string, unknown>, column: string): unknown {
  return column.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], row);
}

function toCell(value: unknown): string {
  const plain = typeof value === 'boolean' ? String(Number(value)) : String(value ?? ''); // String() joins lists with commas
  const text = FORMULA_PREFIX.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function removeFormulaGuard(text: string): string {
  return text.startsWith("'") && FORMULA_PREFIX.test(text) ? text.slice(1) : text;
}
