import { z } from 'zod';
import { DomainError, invalid, type Problem } from '../../core/kernel/errors.ts';
import { parseId } from '../../core/kernel/ids.ts';
import { MAX_PROBLEMS, validate } from '../../core/kernel/validate.ts';
import { toWireName } from './names.ts';

/**
 * Validates a body after converting it to the schema's types. Form values are text: `1` becomes a boolean or a number,
 * `1,2` a list, an empty value an empty list or null. Values that cannot be converted are left to the schema to reject.
 */
export function readInput<Schema extends z.ZodObject>(schema: Schema, body: unknown): z.output<Schema> {
  const { value, unknownFields } = coerce(schema, body);
  try {
    const input = validate(schema, value);
    if (unknownFields.length === 0) return input;
  } catch (error) {
    if (!(error instanceof DomainError) || !error.details.problems) throw error;
    throw invalid([...error.details.problems, ...unknownFields].slice(0, MAX_PROBLEMS));
  }
  throw invalid(unknownFields);
}

/** Converts the values where possible, and collects the names that the schema does not have. */
export function coerce(schema: z.ZodObject, body: unknown): { value: unknown; unknownFields: readonly Problem[] } {
  const unknownFields: Problem[] = [];
  return { value: readObject(schema, body, [], unknownFields), unknownFields };
}

function readObject(schema: z.ZodObject, body: unknown, path: readonly string[], unknownFields: Problem[]): unknown {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return replaceObject(body);
  const names = new Map(Object.keys(schema.shape).map((name) => [toWireName(name), name]));
  const value: Record<string, unknown> = {};
  for (const [wireName, raw] of Object.entries(body)) {
    const name = names.get(wireName);
    if (name === undefined) {
      if (unknownFields.length >= MAX_PROBLEMS) continue;
      unknownFields.push({
        path: [...path, wireName],
        code: 'unknown',
        rule: `is not one of ${[...names.keys()].join(', ')}`,
      });
    } else {
      value[name] = readValue(schema.shape[name] as z.ZodType, raw, [...path, name], unknownFields);
    }
  }
  return value;
}

function readValue(schema: z.ZodType, raw: unknown, path: readonly string[], unknownFields: Problem[]): unknown {
  if (schema instanceof z.ZodOptional) return readValue(schema.unwrap() as z.ZodType, raw, path, unknownFields);
  if (schema instanceof z.ZodPipe) return readValue(schema.in as z.ZodType, raw, path, unknownFields);
  if (schema instanceof z.ZodNullable) {
    return raw === '' || raw === null ? null : readValue(schema.unwrap() as z.ZodType, raw, path, unknownFields);
  }
  if (schema instanceof z.ZodObject) return readObject(schema, raw, path, unknownFields);
  if (schema instanceof z.ZodArray) {
    return readList(raw, (item) => readValue(schema.element as z.ZodType, item, path, unknownFields));
  }
  const value = replaceObject(raw);
  if (schema instanceof z.ZodBoolean) return readBoolean(value);
  if (schema instanceof z.ZodNumber) return readInteger(value);
  if (schema instanceof z.ZodLiteral)
    return typeof [...schema.values][0] === 'boolean' ? readBoolean(value) : readInteger(value);
  return value;
}

const UNEXPECTED_OBJECT = Symbol('object');

/** Validators must not inspect an unexpected object: its `length` may be anything, and comparing it may throw. */
function replaceObject(raw: unknown): unknown {
  return typeof raw === 'object' && raw !== null ? UNEXPECTED_OBJECT : raw;
}

/** More than any list allows. Longer lists are truncated to one item more, which is enough to reject them. */
const MAX_ITEMS = 100_000;

function readList(raw: unknown, readItem: (item: unknown) => unknown): unknown {
  if (raw === '') return [];
  if (typeof raw === 'string') return raw.split(',', MAX_ITEMS + 1).map((item) => readItem(item.trim()));
  if (!Array.isArray(raw)) return replaceObject(raw);
  return raw.length === 1 && raw[0] === '' ? [] : raw.slice(0, MAX_ITEMS + 1).map(readItem);
}

function readBoolean(raw: unknown): unknown {
  const value = typeof raw === 'string' ? raw.toLowerCase() : raw;
  if (value === '1' || value === 'true' || value === 1) return true;
  if (value === '0' || value === 'false' || value === 0) return false;
  return raw;
}

function readInteger(raw: unknown): unknown {
  if (raw === '0') return 0;
  return typeof raw === 'string' ? (parseId(raw) ?? raw) : raw;
}
