import type { StoredNotice } from '../../core/engine/records/notices.ts';
import type { AnyBuilder } from './builder.ts';

export const NOTICE_FIELD_DESCRIPTION =
  'The notice of the service as a code, to show it in other words. Null for messages of persons, and for notices from before there were codes.';

/** Adds the types of notices. */
export function addNoticeTypes(builder: AnyBuilder) {
  const NoticeParameterRef = builder
    .objectRef<{ readonly name: string; readonly value: string }>('NoticeParameter')
    .implement({
      description: 'A value that a notice mentions.',
      fields: (t) => ({
        name: t.exposeString('name', { description: 'The name of the parameter.' }),
        value: t.exposeString('value', { description: 'The value as text.' }),
      }),
    });
  const NoticeRef = builder.objectRef<StoredNotice>('Notice').implement({
    description: 'A notice of the service to the visitor and the operator.',
    fields: (t) => ({
      code: t.exposeString('code', {
        description:
          '`operator_joined`, `operator_away`, `operator_back`, `operator_left`, `transferred`, `visitor_left`, `idle_warning`, `idle`, `nobody_could_serve` or `messages_erased`. New codes may be added: show `text` for unknown ones.',
      }),
      parameters: t.field({
        type: [NoticeParameterRef],
        description:
          '`pseudo` of `operator_joined`, missing if the operator has none; `minutes` of `idle_warning`. Other notices have no parameters.',
        resolve: ({ parameters }) => Object.entries(parameters).map(([name, value]) => ({ name, value })),
      }),
    }),
  });
  return { NoticeRef };
}
