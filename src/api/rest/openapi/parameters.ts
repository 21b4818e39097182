import type { ZodOpenApiParameterObject } from 'zod-openapi';
import { DEFAULT_LIMIT, type FilterDefinition, type FilterTable, MAX_PER_PAGE } from '../query.ts';

/** Parameters that many operations share. */
export const sharedParameters = {
  id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Identifier. One that is no number answers like one that does not exist.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  page: {
    name: 'page',
    in: 'query',
    description: 'Number of the page. A page past the last is empty.',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  limit: {
    name: 'limit',
    in: 'query',
    description: `Items on a page at most. More than ${MAX_PER_PAGE} is served as ${MAX_PER_PAGE}.`,
    schema: { type: 'integer', minimum: 1, default: DEFAULT_LIMIT },
  },
  full: {
    name: 'full',
    in: 'query',
    description: '`1` or `true` shows all fields; without it an item is `id` and `_link`.',
    schema: { type: 'string', enum: ['1', 'true'] },
  },
  fields: {
    name: 'fields[]',
    in: 'query',
    description: 'Show these fields besides `id` and `_link`; unknown names are ignored.',
    style: 'form',
    explode: true,
    schema: { type: 'array', items: { type: 'string' } },
  },
  connected: {
    name: 'connected',
    in: 'query',
    description:
      '`0`: offline operators too, that is all who logged in at least once, whatever their flags. Also understood as `filters[connected]`.',
    schema: { type: 'string', enum: ['0', '1'], default: '1' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes it safe to send the write again: for 24 hours the same key with the same request gets the first answer again, with secrets blanked.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  },
} satisfies Record<string, ZodOpenApiParameterObject>;

export function parameterRefs(...names: (keyof typeof sharedParameters)[]): { $ref: string }[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The live list has no pages unless they are asked for, so these have no defaults. */
export const LIVE_PAGING: readonly ZodOpenApiParameterObject[] = [
  { ...sharedParameters.page, description: 'Number of the page. Without `page` and `limit` all rows come in one.' },
  sharedParameters.limit,
].map((parameter) => ({ ...parameter, schema: { type: 'integer', minimum: 1 } }));

const RULES: Record<FilterDefinition['kind'], string> = {
  id: 'One identifier, several with commas between them (at most 500), or digits with `*`.',
  text: 'Compared without regard to case; `*` matches any run of characters (at most 5 of them, 255 characters).',
  moment: '`YYYY-MM-DD` or `YYYY-MM-DD HH:MM:SS`, UTC; the day or the second itself is inside.',
  word: 'One of the words.',
  words: 'One of the words, or several with commas between them.',
};

const MEANINGS: Readonly<Record<string, string>> = {
  id: 'Identifier.',
  group_id: 'Group of the operator.',
  website_id: 'Website of the operator.',
  website_list: 'Any of these websites.',
  skill_id: 'Skill of the operator.',
  name: 'Name.',
  external_id: "The client's own identifier.",
  email: 'E-mail.',
  label: 'Name of the website.',
  url: 'Address of the website.',
  parent_id: 'The one directly above.',
  operator_id: 'Operator who holds the skill.',
};

/**
 * One parameter for each filter that the server knows. All that are given must hold. `meanings` are those in which the resource
 * differs from the others.
 */
export function filterParameters(
  filters: FilterTable,
  meanings: Readonly<Record<string, string>> = {},
): ZodOpenApiParameterObject[] {
  return Object.entries(filters).map(([name, filter]) => ({
    name: `filters[${name}]`,
    in: 'query',
    description: `${meanings[name] ?? MEANINGS[name] ?? name} ${RULES[filter.kind]}${wordsOf(filter)}`,
    schema: {
      type: 'string',
      ...(filter.kind === 'text' ? { maxLength: 255 } : {}),
      ...(filter.kind === 'word' ? { enum: [...filter.words] } : {}),
    },
  }));
}

function wordsOf(filter: FilterDefinition): string {
  return filter.kind === 'words' ? ` Words: ${filter.words.map((word) => `\`${word}\``).join(', ')}.` : '';
}
