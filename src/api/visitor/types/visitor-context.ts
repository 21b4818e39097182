import { MAX_FIELDS, visitorContext } from '../../../core/engine/records/visitor-context.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { addMutation, builder } from '../builder.ts';
import { VisitorRef } from './visitor.ts';

const TEXTS = ['page', 'title', 'referrer', 'timezone', 'language'] as const;

const VisitorFieldInput = builder.inputType('VisitorFieldInput', {
  description: 'A custom field.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name, 1 to 64 characters.' }),
    value: t.string({ required: true, description: 'The value, at most 500 characters.' }),
  }),
});

addMutation('visitorContext', {
  description:
    'Tells the operators where the visitor is. Send it when a conversation starts, and on navigation while one is open.',
  argumentDescription: 'The values to change.',
  input: {
    description: 'The values to change. Omitted values stay unchanged; an empty text removes a value.',
    fields: (t) => ({
      ...Object.fromEntries(
        TEXTS.map((name) => [
          name,
          t.string({ description: visitorContext.shape[name].unwrap().meta()?.description ?? '' }),
        ]),
      ),
      fields: t.field({
        type: [VisitorFieldInput],
        description: `Custom fields, at most ${MAX_FIELDS}. They replace all earlier ones, except those that the website has signed.`,
      }),
    }),
  },
  payload: objectPayload('visitor', VisitorRef),
  run: (commit, { visitor, services }, input) => {
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
    return services.visitors.contexts.update(commit, visitor, validate(visitorContext, given));
  },
});

addMutation('visitorIdentify', {
  description:
    'Identifies a visitor who began without an identity: they become the visitor with the signed identifier, and keep their conversations.',
  argumentDescription: 'The signed identity.',
  input: {
    description: 'The signed identity.',
    fields: (t) => ({
      token: t.string({
        required: true,
        description: "A JWT (HS256) by the website's secret: `sub` and `exp`, and optionally details and `fields`.",
      }),
    }),
  },
  payload: objectPayload('visitor', VisitorRef),
  run: (commit, { visitor, services }, { token }) => services.visitors.identities.identify(commit, visitor, token),
});
