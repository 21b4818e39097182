import type { ZodOpenApiParameterObject } from 'zod-openapi';
import { DEFAULT_LIMIT, type FilterDefinition, type FilterTable, MAX_LIMIT } from '../query.ts';

export const sharedParameters = {
  id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Identifier. A value that is not a number is treated as an unknown identifier.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  page: {
    name: 'page',
    in: 'query',
    description: 'Page number. A page after the last one is empty.',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  limit: {
    name: 'limit',
    in: 'query',
    description: `Maximum number of items per page. Values above ${MAX_LIMIT} are treated as ${MAX_LIMIT}.`,
    schema: { type: 'integer', minimum: 1, default: DEFAULT_LIMIT },
  },
  full: {
    name: 'full',
    in: 'query',
    description:
      '`1` or `true` returns all fields. By default, and with `0` or `false`, an item has only `id` and `_link`.',
    schema: { type: 'string', enum: ['1', 'true', '0', 'false'] },
  },
  fields: {
    name: 'fields[]',
    in: 'query',
    description: 'Return these fields in addition to `id` and `_link`; unknown names are ignored.',
    style: 'form',
    explode: true,
    schema: { type: 'array', items: { type: 'string' } },
  },
  connected: {
    name: 'connected',
    in: 'query',
    description:
      '`0` includes offline operators: all who logged in at least once, regardless of their flags. Also accepted as `filters[connected]`.',
    schema: { type: 'string', enum: ['0', '1'], default: '1' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes it safe to retry the write: for 24 hours the same key with the same request returns the first response again, without secrets.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  },
} satisfies Record<string, ZodOpenApiParameterObject>;

export function parameterRefs(...names: (keyof typeof sharedParameters)[]): { $ref: string }[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The live list is paged only on request, so these parameters have no defaults. */
export const LIVE_PAGING: readonly ZodOpenApiParameterObject[] = [
  { ...sharedParameters.page, description: 'Page number. Without `page` and `limit`, all rows are on one page.' },
  sharedParameters.limit,
].map((parameter) => ({ ...parameter, schema: { type: 'integer', minimum: 1 } }));

const FILTER_RULES: Record<FilterDefinition['kind'], string> = {
  id: 'One identifier, a comma-separated list (at most 500), or digits with the wildcard `*`.',
  text: 'Not case-sensitive; `*` matches any characters (at most 5 wildcards, 255 characters).',
  dateTime: '`YYYY-MM-DD` or `YYYY-MM-DD HH:MM:SS`, UTC; inclusive.',
  choice: 'One of the allowed values.',
  choices: 'One allowed value, or a comma-separated list.',
};

const FILTER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  id: 'Identifier.',
  group_id: 'Group of the operator.',
  website_id: 'Website of the operator.',
  website_list: 'Any of these websites.',
  skill_id: 'Skill of the operator.',
  name: 'Name.',
  external_id: 'External identifier.',
  email: 'E-mail address.',
  label: 'Name of the website.',
  url: 'URL of the website.',
  parent_id: 'Direct parent.',
  operator_id: 'Operator who has the skill.',
};

/**
 * Builds one parameter for each filter of the resource. `descriptions` overrides the common descriptions where the
 * resource differs.
 */
export function buildFilterParameters(
  filters: FilterTable,
  descriptions: Readonly<Record<string, string>> = {},
): ZodOpenApiParameterObject[] {
  return Object.entries(filters).map(([name, filter]) => ({
    name: `filters[${name}]`,
    in: 'query',
    description: `${descriptions[name] ?? FILTER_DESCRIPTIONS[name] ?? name} ${FILTER_RULES[filter.kind]}${listChoices(filter)}`,
    schema: {
      type: 'string',
      ...(filter.kind === 'text' ? { maxLength: 255 } : {}),
      ...(filter.kind === 'choice' ? { enum: [...filter.choices] } : {}),
    },
  }));
}

function listChoices(filter: FilterDefinition): string {
  return filter.kind === 'choices' ? ` Values: ${filter.choices.map((choice) => `\`${choice}\``).join(', ')}.` : '';
}
