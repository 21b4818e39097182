import { type IdFilter, parseIdFilter, parseTextFilter, type TextFilter } from '../../core/kernel/filters.ts';
import { languageCode } from '../../core/kernel/languages.ts';
import { graphqlError } from '../graphql-server/errors.ts';

export function toIdFilter(name: string, value: string | null | undefined): IdFilter | undefined {
  return value === null || value === undefined ? undefined : parseIdFilter(['filter', name], value);
}

export function toTextFilter(name: string, value: string | null | undefined): TextFilter | undefined {
  return value === null || value === undefined ? undefined : parseTextFilter(['filter', name], value);
}

export function requireLanguageCode(name: string, value: string | null | undefined): void {
  if (typeof value === 'string' && !languageCode.safeParse(value).success) {
    throw graphqlError('BAD_REQUEST', `${name} must be a two-letter ISO 639-1 code.`);
  }
}
