import type { Caller } from '../../../core/kernel/caller.ts';
import type { OperatorFilters } from '../../../core/operators/operator-filter.ts';
import { requireMayFilter } from '../../../core/operators/permissions.ts';
import { builder, ChannelEnum, RoleEnum } from '../builder.ts';
import { idFilter, requireLanguage, textFilter } from '../filters.ts';

export const OperatorFilterInput = builder.inputType('OperatorFilter', {
  description:
    'All that is given must hold. Texts compare without case; `*` matches any run of characters. A filter on a field that the viewer may not read of everybody is FORBIDDEN.',
  fields: (t) => ({
    id: t.string({ description: 'An identifier, a comma-separated list, or digits with `*`.' }),
    groupId: t.string({ description: 'In this group: an identifier, a list, or digits with `*`.' }),
    websiteId: t.string({ description: 'Works on this website.' }),
    websiteIds: t.string({ description: 'Works on any of these websites, comma-separated.' }),
    skillId: t.string({ description: 'Holds this skill.' }),
    name: t.string({ description: 'Family name.' }),
    externalId: t.string({ description: "The client's own identifier." }),
    email: t.string({ description: 'E-mail.' }),
    connected: t.boolean({ description: 'Connected, or not.' }),
    available: t.field({ type: ChannelEnum, description: 'Wants conversations of this channel.' }),
    routable: t.field({ type: ChannelEnum, description: 'Would be given a conversation of this channel now.' }),
    role: t.field({ type: RoleEnum, description: 'Has this role.' }),
    language: t.string({ description: 'Speaks this language (ISO 639-1).' }),
  }),
});

type Given = typeof OperatorFilterInput.$inferInput;

/** The filters in the words of the core; those on fields that the caller may not read are refused there. */
export function readOperatorFilter(filter: Given | null | undefined, caller: Caller): OperatorFilters {
  if (!filter) return {};
  requireLanguage('filter.language', filter.language);
  const filters: OperatorFilters = {
    id: idFilter('id', filter.id),
    groupId: idFilter('groupId', filter.groupId),
    websiteId: idFilter('websiteId', filter.websiteId),
    websiteList: idFilter('websiteIds', filter.websiteIds),
    skillId: idFilter('skillId', filter.skillId),
    name: textFilter('name', filter.name),
    externalId: textFilter('externalId', filter.externalId),
    email: textFilter('email', filter.email),
    connected: filter.connected ?? undefined,
    available: filter.available ?? undefined,
    routable: filter.routable ?? undefined,
    role: filter.role ?? undefined,
    language: filter.language ?? undefined,
  };
  requireMayFilter(caller, filters);
  return filters;
}
