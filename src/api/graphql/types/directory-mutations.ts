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
import { invalidField, unknownId } from '../../../core/kernel/errors.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { idOf, inputId, inputIds } from '../../graphql-server/ids.ts';
import { builder } from '../builder.ts';
import { deletedType, payloadType } from '../mutation.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';

const text = (name: keyof typeof websiteSchema.shape) => websiteSchema.shape[name].meta()?.description ?? '';

const allowedOrigins = originsSchema.optional();
const CREATE = websiteCreate.extend({ allowedOrigins });
const UPDATE = websiteUpdate.extend({ allowedOrigins });

const idInput = (name: string, description = 'What is deleted.') =>
  builder.inputType(name, {
    description,
    fields: (t) => ({ id: t.id({ required: true, description: 'Identifier.' }) }),
  });

builder.mutationFields((t) => ({
  websiteCreate: t.field({
    type: payloadType<Website>('WebsiteCreate', { name: 'website', type: WebsiteRef }),
    description: 'Makes a website. For admins.',
    args: {
      input: t.arg({ type: websiteInput('WebsiteCreateInput', true), required: true, description: 'The website.' }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Website>(async (commit) =>
        services.administration.websites.create(commit, caller, validate(CREATE, withoutId(input))),
      ),
  }),
  websiteUpdate: t.field({
    type: payloadType<Website>('WebsiteUpdate', { name: 'website', type: WebsiteRef }),
    description: 'Changes the fields that it names and no others. For admins.',
    args: {
      input: t.arg({ type: websiteInput('WebsiteUpdateInput', false), required: true, description: 'The change.' }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Website>(async (commit) =>
        services.administration.websites.update(
          commit,
          caller,
          idOf('website', String(input.id)),
          validate(UPDATE, withoutId(input)),
        ),
      ),
  }),
  websiteDelete: t.field({
    type: deletedType('WebsiteDelete'),
    description: 'Deletes a website that nothing uses. For admins.',
    args: { input: t.arg({ type: idInput('WebsiteDeleteInput'), required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Website>(async (commit) =>
        services.administration.websites.remove(commit, caller, idOf('website', input.id)),
      ),
  }),
  websiteSecretRotate: t.field({
    type: payloadType<Website>('WebsiteSecretRotate', { name: 'website', type: WebsiteRef }),
    description:
      'Makes a new secret for the visitors of a website; the old one is worth nothing from now on. For admins.',
    args: {
      input: t.arg({
        type: idInput('WebsiteSecretRotateInput', 'Whose secret.'),
        required: true,
        description: 'Which website.',
      }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Website>(async (commit) =>
        services.administration.websites.rotateSecret(commit, caller, idOf('website', input.id)),
      ),
  }),
}));

function websiteInput(name: string, create: boolean) {
  return builder.inputType(name, {
    description: create
      ? 'A new website. What is left out gets its default.'
      : 'A change of a website. What is left out stays.',
    fields: (t) => ({
      ...(create ? {} : { id: t.id({ required: true, description: 'Which one.' }) }),
      url: t.string({ required: create, description: text('url') }),
      label: t.string({ required: create, description: text('label') }),
      currency: t.string({ description: text('currency') }),
      languageAdmin: t.string({ description: text('languageAdmin') }),
      timezone: t.string({ description: text('timezone') }),
      allowedOrigins: t.stringList({ description: originsSchema.meta()?.description ?? '' }),
    }),
  });
}

function withoutId(input: object): Record<string, unknown> {
  const { id: _id, ...fields } = input as { id?: unknown };
  return fields;
}

const TREES = {
  group: { ref: GroupRef, name: 'Group', create: groupCreate, update: groupUpdate },
  skill: { ref: SkillRef, name: 'Skill', create: skillCreate, update: skillUpdate },
} as const;

for (const kind of ['group', 'skill'] as const) {
  const { ref, name, create, update } = TREES[kind];
  builder.mutationFields((t) => ({
    [`${kind}Create`]: t.field({
      type: payloadType<TreeNode>(`${name}Create`, { name: kind, type: ref }),
      description: `Makes a ${kind}. For admins.`,
      args: { input: t.arg({ type: treeInput(kind, true), required: true, description: `The ${kind}.` }) },
      resolve: (_root, { input }, { caller, services, changes }) =>
        changes.run<PlacedNode>(async (commit) => {
          const fields = validate(create, treeFields(input)) as TreeNodeInput & { name: string };
          return services.administration[`${kind}s`].create(commit, caller, fields);
        }),
    }),
    [`${kind}Update`]: t.field({
      type: payloadType<TreeNode>(`${name}Update`, { name: kind, type: ref }),
      description: 'Changes the fields that it names and no others. For admins.',
      args: { input: t.arg({ type: treeInput(kind, false), required: true, description: 'The change.' }) },
      resolve: (_root, { input }, { caller, services, changes }) =>
        changes.run<PlacedNode>(async (commit) => {
          const fields = validate(update, treeFields(input)) as TreeNodeInput;
          return services.administration[`${kind}s`].update(
            commit,
            caller,
            idOf(kind, String((input as { id?: string }).id)),
            fields,
          );
        }),
    }),
    [`${kind}Delete`]: t.field({
      type: deletedType(`${name}Delete`),
      description: `Deletes a ${kind} that nothing uses. For admins.`,
      args: { input: t.arg({ type: idInput(`${name}DeleteInput`), required: true, description: 'Which one.' }) },
      resolve: (_root, { input }, { caller, services, changes }) =>
        changes.run<TreeNode>(async (commit) =>
          services.administration[`${kind}s`].remove(commit, caller, idOf(kind, input.id)),
        ),
    }),
  }));
}

function treeInput(kind: TreeKind, create: boolean) {
  return builder.inputType(`${TREES[kind].name}${create ? 'Create' : 'Update'}Input`, {
    description: create
      ? `A new ${kind}. What is left out gets its default.`
      : `A change of a ${kind}. What is left out stays.`,
    fields: (t) => ({
      ...(create ? {} : { id: t.id({ required: true, description: 'Which one.' }) }),
      name: t.string({ required: create, description: 'Name.' }),
      ...(kind === 'skill' ? { order: t.int({ description: 'Place in lists shown to people.' }) } : {}),
      parentId: t.id({ description: 'The one above it; null puts it at the top.' }),
    }),
  });
}

function treeFields(input: object): Record<string, unknown> {
  const { parentId, ...fields } = withoutId(input);
  if (parentId === undefined) return fields;
  return { ...fields, parentId: parentId === null ? null : inputId('parentId', String(parentId)) };
}

const MOST_OPERATORS = 1000;

for (const [name, what] of [
  ['skillOperatorsAdd', 'Gives a skill to operators.'],
  ['skillOperatorsRemove', 'Takes a skill from operators.'],
] as const) {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  builder.mutationField(name, (t) =>
    t.field({
      type: payloadType<TreeNode>(type, { name: 'skill', type: SkillRef }),
      description: `${what} All or nothing. For admins.`,
      args: {
        input: t.arg({
          type: builder.inputType(`${type}Input`, {
            description: 'A skill and operators.',
            fields: (f) => ({
              id: f.id({ required: true, description: 'The skill.' }),
              operatorIds: f.idList({ required: true, description: `The operators, ${MOST_OPERATORS} at most.` }),
            }),
          }),
          required: true,
          description: 'A skill and operators.',
        }),
      },
      resolve: (_root, { input }, { caller, services, changes }) =>
        changes.run<TreeNode>(async (commit) => {
          if (input.operatorIds.length > MOST_OPERATORS) {
            throw invalidField('operatorIds', `must be ${MOST_OPERATORS} at most`);
          }
          const ids = inputIds('operatorIds', input.operatorIds);
          const id = idOf('skill', input.id);
          const skill = await services.administration.skills.find(caller.accountId, id);
          if (!skill) throw unknownId('skill', id);
          return services.administration.operators.setSkill(commit, caller, skill, ids, name === 'skillOperatorsAdd');
        }),
    }),
  );
}
