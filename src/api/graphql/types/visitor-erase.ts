import type { Visitor } from '../../../core/visitors/visitor-query.ts';
import { idOf } from '../../graphql-server/ids.ts';
import { builder } from '../builder.ts';
import { payloadType } from '../mutation.ts';
import { VisitorRef } from './visitor.ts';

const VisitorEraseInput = builder.inputType('VisitorEraseInput', {
  description: 'Whose data is removed.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The visitor.' }) }),
});

builder.objectField(VisitorRef, 'erasedAt', (t) =>
  t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When their data was removed on request.',
    resolve: ({ erasedAt }) => erasedAt,
  }),
);

builder.mutationField('visitorErase', (t) =>
  t.field({
    type: payloadType<Visitor>('VisitorErase', { name: 'visitor', type: VisitorRef }),
    description:
      "Removes a person's data, for good: names, addresses, external identifier, browser, all that was said in their conversations, comments in surveys. Running conversations are closed, their sessions end. What only counts stays: times, notes, numbers. For admins.",
    args: { input: t.arg({ type: VisitorEraseInput, required: true, description: 'Which visitor.' }) },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Visitor>(async (commit) =>
        services.visitors.erasure.erase(commit, caller, idOf('visitor', input.id)),
      ),
  }),
);
