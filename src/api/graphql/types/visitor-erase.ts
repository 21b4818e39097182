import { idOf } from '../../graphql-server/ids.ts';
import { changed } from '../../graphql-server/mutation.ts';
import { builder, idInput, mutation } from '../builder.ts';
import { VisitorRef } from './visitor.ts';

builder.objectField(VisitorRef, 'erasedAt', (t) =>
  t.expose('erasedAt', { type: 'DateTime', nullable: true, description: 'When their data was removed on request.' }),
);

mutation('visitorErase', {
  description:
    "Removes a person's data, for good: names, addresses, external identifier, browser, all that was said in their conversations, comments in surveys. Running conversations are closed, their sessions end. What only counts stays: times, notes, numbers. For admins.",
  argument: 'Which visitor.',
  input: idInput('Whose data is removed.', 'The visitor.'),
  answer: changed('visitor', VisitorRef),
  run: (commit, { caller, services }, { id }) => services.visitors.erasure.erase(commit, caller, idOf('visitor', id)),
});
