import {
  groupCreate,
  groupUpdate,
  type PlacedNode,
  skillCreate,
  skillUpdate,
  type TreeKind,
  type TreeNode,
  type TreeNodeInput,
} from '../../../core/directory/tree.ts';
import {
  originsSchema,
  type Website,
  websiteCreate,
  websiteSchema,
  websiteUpdate,
} from '../../../core/directory/website.ts';
import { unknownId } from '../../../core/kernel/errors.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { idOf, inputId, inputIds } from '../../graphql-server/ids.ts';
import { changed, deleted } from '../../graphql-server/mutation.ts';
import { type InputFieldBuilder, idInput, mutation } from '../builder.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';

const text = (name: keyof typeof websiteSchema.shape) => websiteSchema.shape[name].meta()?.description ?? '';

const allowedOrigins = originsSchema.optional();
const CREATE = websiteCreate.extend({ allowedOrigins });
const UPDATE = websiteUpdate.extend({ allowedOrigins });

mutation('websiteCreate', {
  description: 'Makes a website. For admins.',
  argument: 'The website.',
  input: {
    description: 'A new website. What is left out gets its default.',
    fields: (t) => websiteFields(t, true),
  },
  answer: changed('website', WebsiteRef),
  run: (commit, { caller, services }, input) =>
    services.administration.websites.create(commit, caller, validate(CREATE, { ...input })),
});

mutation('websiteUpdate', {
  description: 'Changes the fields that it names and no others. For admins.',
  argument: 'The change.',
  input: {
    description: 'A change of a website. What is left out stays.',
    fields: (t) => ({ id: t.id({ required: true, description: 'Which one.' }), ...websiteFields(t, false) }),
  },
  answer: changed('website', WebsiteRef),
  run: (commit, { caller, services }, { id, ...input }) =>
    services.administration.websites.update(commit, caller, idOf('website', id), validate(UPDATE, input)),
});

mutation('websiteDelete', {
  description: 'Deletes a website that nothing uses. For admins.',
  argument: 'Which one.',
  input: idInput('What is deleted.'),
  answer: deleted<Website>(),
  run: (commit, { caller, services }, { id }) =>
    services.administration.websites.remove(commit, caller, idOf('website', id)),
});

mutation('websiteSecretRotate', {
  description:
    'Makes a new secret for the visitors of a website; the old one is worth nothing from now on. For admins.',
  argument: 'Which website.',
  input: idInput('Whose secret.'),
  answer: changed('website', WebsiteRef),
  run: (commit, { caller, services }, { id }) =>
    services.administration.websites.rotateSecret(commit, caller, idOf('website', id)),
});

function websiteFields(t: InputFieldBuilder, required: boolean) {
  return {
    url: t.string({ required, description: text('url') }),
    label: t.string({ required, description: text('label') }),
    currency: t.string({ description: text('currency') }),
    languageAdmin: t.string({ description: text('languageAdmin') }),
    timezone: t.string({ description: text('timezone') }),
    allowedOrigins: t.stringList({ description: originsSchema.meta()?.description ?? '' }),
  };
}

for (const { kind, ref, create, update } of [
  { kind: 'group', ref: GroupRef, create: groupCreate, update: groupUpdate },
  { kind: 'skill', ref: SkillRef, create: skillCreate, update: skillUpdate },
] as const) {
  const answer = changed(kind, ref, (node: PlacedNode) => node);
  mutation(`${kind}Create`, {
    description: `Makes a ${kind}. For admins.`,
    argument: `The ${kind}.`,
    input: {
      description: `A new ${kind}. What is left out gets its default.`,
      fields: (t) => treeFields(t, kind, true),
    },
    answer,
    run: (commit, { caller, services }, input) => {
      const fields = validate(create, withParent(input)) as TreeNodeInput & { name: string };
      return services.administration[`${kind}s`].create(commit, caller, fields);
    },
  });
  mutation(`${kind}Update`, {
    description: 'Changes the fields that it names and no others. For admins.',
    argument: 'The change.',
    input: {
      description: `A change of a ${kind}. What is left out stays.`,
      fields: (t) => ({ id: t.id({ required: true, description: 'Which one.' }), ...treeFields(t, kind, false) }),
    },
    answer,
    run: (commit, { caller, services }, { id, ...input }) => {
      const fields = validate(update, withParent(input)) as TreeNodeInput;
      return services.administration[`${kind}s`].update(commit, caller, idOf(kind, id), fields);
    },
  });
  mutation(`${kind}Delete`, {
    description: `Deletes a ${kind} that nothing uses. For admins.`,
    argument: 'Which one.',
    input: idInput('What is deleted.'),
    answer: deleted<TreeNode>(),
    run: (commit, { caller, services }, { id }) =>
      services.administration[`${kind}s`].remove(commit, caller, idOf(kind, id)),
  });
}

function treeFields(t: InputFieldBuilder, kind: TreeKind, required: boolean) {
  return {
    name: t.string({ required, description: 'Name.' }),
    ...(kind === 'skill' ? { order: t.int({ description: 'Place in lists shown to people.' }) } : {}),
    parentId: t.id({ description: 'The one above it; null puts it at the top.' }),
  };
}

function withParent({ parentId, ...fields }: { readonly parentId?: string | null | undefined }) {
  if (parentId === undefined) return fields;
  return { ...fields, parentId: parentId === null ? null : inputId('parentId', parentId) };
}

const MAX_OPERATORS = 1000;

for (const [name, what] of [
  ['skillOperatorsAdd', 'Gives a skill to operators.'],
  ['skillOperatorsRemove', 'Takes a skill from operators.'],
] as const) {
  mutation(name, {
    description: `${what} All or nothing. For admins.`,
    argument: 'A skill and operators.',
    input: {
      description: 'A skill and operators.',
      fields: (t) => ({
        id: t.id({ required: true, description: 'The skill.' }),
        operatorIds: t.idList({ required: true, description: `The operators, ${MAX_OPERATORS} at most.` }),
      }),
    },
    answer: changed('skill', SkillRef),
    run: async (commit, { caller, services: { administration } }, input) => {
      const ids = inputIds('operatorIds', input.operatorIds, MAX_OPERATORS);
      const id = idOf('skill', input.id);
      const skill = await administration.skills.find(caller.accountId, id);
      if (!skill) throw unknownId('skill', id);
      return administration.operators.setSkill(commit, caller, skill, ids, name === 'skillOperatorsAdd');
    },
  });
}
