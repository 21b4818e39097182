import { z } from 'zod';
import { DomainError, invalid, type Problem } from '../../core/kernel/errors.ts';
import { parseId } from '../../core/kernel/ids.ts';
import { MAX_PROBLEMS, validate } from '../../core/kernel/validate.ts';
import { wireName } from './names.ts';

/**
 * Reads a body by the schema of its fields. A form knows only text, so texts become what the field is: `1` a boolean or a
 * number, `1,2` a list, nothing at all an empty list or null. What cannot be read stays as it is and is refused by the schema.
 */
export function readInput<Schema extends z.ZodObject>(schema: Schema, body: unknown): z.output<Schema> {
  const { value, unknown } = coerce(schema, body);
  try {
    const input = validate(schema, value);
    if (unknown.length === 0) return input;
  } catch (error) {
    if (!(error instanceof DomainError) || !error.details.problems) throw error;
    throw invalid([...error.details.problems, ...unknown].slice(0, MAX_PROBLEMS));
  }
  throw invalid(unknown);
}

/** The values as the schema's fields have them, as far as they can be read, and the names that it does not have. */
export function coerce(schema: z.ZodObject, body: unknown): { value: unknown; unknown: readonly Problem[] } {
  const unknown: Problem[] = [];
  return { value: readObject(schema, body, [], unknown), unknown };
}

function readObject(schema: z.ZodObject, body: unknown, path: readonly string[], unknown: Problem[]): unknown {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return simple(body);
  const names = new Map(Object.keys(schema.shape).map((name) => [wireName(name), name]));
  const value: Record<string, unknown> = {};
  for (const [wire, raw] of Object.entries(body)) {
    const name = names.get(wire);
    if (name === undefined) {
      if (unknown.length >= MAX_PROBLEMS) continue;
      unknown.push({ path: [...path, wire], code: 'unknown', rule: `is not one of ${[...names.keys()].join(', ')}` });
    } else {
      value[name] = readValue(schema.shape[name] as z.ZodType, raw, [...path, name], unknown);
    }
  }
  return value;
}

function readValue(schema: z.ZodType, raw: unknown, path: readonly string[], unknown: Problem[]): unknown {
  if (schema instanceof z.ZodOptional) return readValue(schema.unwrap() as z.ZodType, raw, path, unknown);
  if (schema instanceof z.ZodPipe) return readValue(schema.in as z.ZodType, raw, path, unknown);
  if (schema instanceof z.ZodNullable) {
    return raw === '' || raw === null ? null : readValue(schema.unwrap() as z.ZodType, raw, path, unknown);
  }
  if (schema instanceof z.ZodObject) return readObject(schema, raw, path, unknown);
  if (schema instanceof z.ZodArray) {
    return readList(raw, (item) => readValue(schema.element as z.ZodType, item, path, unknown));
  }
  const value = simple(raw);
  if (schema instanceof z.ZodBoolean) return readBoolean(value);
  if (schema instanceof z.ZodNumber) return readInteger(value);
  if (schema instanceof z.ZodLiteral)
    return typeof [...schema.values][0] === 'boolean' ? readBoolean(value) : readInteger(value);
  return value;
}

const MISPLACED = Symbol('object');

/** An object where none belongs must not be looked into: its `length` may be anything, and comparing that may throw. */
function simple(raw: unknown): unknown {
  return typeof raw === 'object' && raw !== null ? MISPLACED : raw;
}

/** No list is this long. Of a longer one only so much is read that it is refused, and not a million items. */
const MAX_ITEMS = 100_000;

function readList(raw: unknown, readItem: (item: unknown) => unknown): unknown {
  if (raw === '') return [];
  if (typeof raw === 'string') return raw.split(',', MAX_ITEMS + 1).map((item) => readItem(item.trim()));
  if (!Array.isArray(raw)) return simple(raw);
  return raw.length === 1 && raw[0] === '' ? [] : raw.slice(0, MAX_ITEMS + 1).map(readItem);
}

function readBoolean(raw: unknown): unknown {
  if (raw === '1' || raw === 'true' || raw === 1) return true;
  if (raw === '0' || raw === 'false' || raw === 0) return false;
  return raw;
}

function readInteger(raw: unknown): unknown {
  if (raw === '0') return 0;
  return typeof raw === 'string' ? (parseId(raw) ?? raw) : raw;
}
