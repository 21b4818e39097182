import type { Caller } from '../../../core/kernel/caller.ts';
import type { OperatorFilters } from '../../../core/operators/operator-filter.ts';
import { requireCanFilter } from '../../../core/operators/permissions.ts';
import { builder, ChannelEnum, RoleEnum } from '../builder.ts';
import { requireLanguageCode, toIdFilter, toTextFilter } from '../filters.ts';

export const OperatorFilterInput = builder.inputType('OperatorFilter', {
  description:
    'Filters for operators. All of them must match. Text is compared case-insensitively; `*` matches any characters. Filters on fields that the viewer cannot read for every operator are FORBIDDEN.',
  fields: (t) => ({
    id: t.string({ description: 'An identifier, a comma-separated list, or digits with `*`.' }),
    groupId: t.string({ description: 'In this group: an identifier, a list, or digits with `*`.' }),
    websiteId: t.string({ description: 'Assigned to this website.' }),
    websiteIds: t.string({ description: 'Assigned to any of these websites, comma-separated.' }),
    skillId: t.string({ description: 'Has this skill.' }),
    name: t.string({ description: 'The last name.' }),
    externalId: t.string({ description: 'The external identifier.' }),
    email: t.string({ description: 'The e-mail address.' }),
    connected: t.boolean({ description: 'Whether the operator is connected.' }),
    available: t.field({ type: ChannelEnum, description: 'Available on this channel.' }),
    routable: t.field({ type: ChannelEnum, description: 'Routable on this channel.' }),
    role: t.field({ type: RoleEnum, description: 'Has this role.' }),
    language: t.string({ description: 'Speaks this language (ISO 639-1).' }),
  }),
});

type OperatorFilterValues = typeof OperatorFilterInput.$inferInput;

/** Throws FORBIDDEN for filters on fields that the caller cannot read. */
export function toOperatorFilters(filter: OperatorFilterValues | null | undefined, caller: Caller): OperatorFilters {
  if (!filter) return {};
  requireLanguageCode('filter.language', filter.language);
  const filters: OperatorFilters = {
    id: toIdFilter('id', filter.id),
    groupId: toIdFilter('groupId', filter.groupId),
    websiteId: toIdFilter('websiteId', filter.websiteId),
    websiteList: toIdFilter('websiteIds', filter.websiteIds),
    skillId: toIdFilter('skillId', filter.skillId),
    name: toTextFilter('name', filter.name),
    externalId: toTextFilter('externalId', filter.externalId),
    email: toTextFilter('email', filter.email),
    connected: filter.connected ?? undefined,
    available: filter.available ?? undefined,
    routable: filter.routable ?? undefined,
    role: filter.role ?? undefined,
    language: filter.language ?? undefined,
  };
  requireCanFilter(caller, filters);
  return filters;
}
