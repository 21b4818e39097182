import { visitorProfile, visitorUpdate } from '../../../core/engine/records/visitor-profile.ts';
import { forbidden, requireWrite } from '../../../core/kernel/caller.ts';
import { parseId } from '../../../core/kernel/ids.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { requireId } from '../../graphql-server/ids.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { addMutation } from '../builder.ts';
import { VisitorRef } from './visitor.ts';

const getDescription = (name: keyof typeof visitorProfile.shape) =>
  visitorProfile.shape[name].meta()?.description ?? '';

addMutation('visitorUpdate', {
  description:
    'Edits what is known about a visitor. What the website has signed cannot be edited. Available to operators for the visitors of their running and past conversations, to managers in their groups, and to admins and write keys; not to experts.',
  argumentDescription: 'The visitor and the fields to change.',
  input: {
    description: 'The visitor and the fields to change. Omitted fields stay unchanged; empty text removes a value.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The identifier of the visitor.' }),
      firstname: t.string({ description: getDescription('firstname') }),
      lastname: t.string({ description: getDescription('lastname') }),
      email: t.string({ description: getDescription('email') }),
      phone: t.string({ description: getDescription('phone') }),
      address: t.string({ description: getDescription('address') }),
      zip: t.string({ description: getDescription('zip') }),
      city: t.string({ description: getDescription('city') }),
      country: t.string({ description: getDescription('country') }),
    }),
  },
  payload: objectPayload('visitor', VisitorRef),
  authorize: async ({ caller, services }, { id }) => {
    requireWrite(caller);
    if (!(await services.visitors.details.canEdit(caller, parseId(id) ?? 0))) throw forbidden();
  },
  run: (commit, { caller, services }, { id, ...details }) =>
    services.visitors.details.update(commit, caller, requireId('visitor', id), validate(visitorUpdate, details)),
});
