import { openingHoursSchema } from '../../../core/directory/opening-hours.ts';
import {
  groupCreate,
  groupUpdate,
  type NodeWithAncestors,
  skillCreate,
  skillUpdate,
  type TreeKind,
  type TreeNode,
  type TreeNodeInput,
} from '../../../core/directory/tree.ts';
import {
  absenceSchema,
  DEFAULT_ABSENCE_MINUTES,
  originsSchema,
  type Website,
  websiteCreate,
  websiteSchema,
  websiteUpdate,
} from '../../../core/directory/website.ts';
import { widgetUpdate } from '../../../core/directory/widget.ts';
import { unknownId } from '../../../core/kernel/errors.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { parseIdField, parseIdListField, requireId } from '../../graphql-server/ids.ts';
import { deletedIdPayload, objectPayload } from '../../graphql-server/mutation.ts';
import { requireAdminCaller } from '../authorize.ts';
import { addMutation, type InputFieldBuilder, idInput } from '../builder.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';
import { OpeningHoursInput } from './opening-hours.ts';
import { WidgetInput } from './widget.ts';

const getDescription = (name: keyof typeof websiteSchema.shape) => websiteSchema.shape[name].meta()?.description ?? '';

const allowedOrigins = originsSchema.optional();
const openingHours = openingHoursSchema.nullish();
const widget = widgetUpdate.nullish();
const settings = { allowedOrigins, openingHours, widget, ...absenceSchema.partial().shape };
const websiteCreateInput = websiteCreate.extend(settings);
const websiteUpdateInput = websiteUpdate.extend(settings);

addMutation('websiteCreate', {
  description: 'Creates a website. Admins only.',
  argumentDescription: 'The website to create.',
  input: {
    description: 'The website to create. Omitted fields get their defaults.',
    fields: (t) => createWebsiteFields(t, true),
  },
  payload: objectPayload('website', WebsiteRef),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, input) =>
    services.administration.websites.create(commit, caller, validate(websiteCreateInput, toWebsiteInput(input))),
});

addMutation('websiteUpdate', {
  description: 'Updates a website. Omitted fields stay unchanged. Admins only.',
  argumentDescription: 'The fields to change.',
  input: {
    description: 'The fields to change. Omitted fields stay unchanged.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The identifier of the website.' }),
      ...createWebsiteFields(t, false),
    }),
  },
  payload: objectPayload('website', WebsiteRef),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, { id, ...input }) =>
    services.administration.websites.update(
      commit,
      caller,
      requireId('website', id),
      validate(websiteUpdateInput, toWebsiteInput(input)),
    ),
});

addMutation('websiteDelete', {
  description: 'Deletes a website that is not in use. Admins only.',
  argumentDescription: 'The website to delete.',
  input: idInput('The website to delete.', 'The identifier of the website.'),
  payload: deletedIdPayload<Website>(),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, { id }) =>
    services.administration.websites.delete(commit, caller, requireId('website', id)),
});

addMutation('websiteSecretRotate', {
  description:
    "Replaces the secret that signs the `externalId` of a website's visitors. The old secret stops working immediately. Admins only.",
  argumentDescription: 'The website.',
  input: idInput('The website whose secret is replaced.', 'The identifier of the website.'),
  payload: objectPayload('website', WebsiteRef),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, { id }) =>
    services.administration.websites.rotateSecret(commit, caller, requireId('website', id)),
});

function describeAbsence(name: keyof typeof absenceSchema.shape, isNew: boolean): string {
  const description = absenceSchema.shape[name].meta()?.description ?? '';
  return isNew ? `${description} Defaults to ${DEFAULT_ABSENCE_MINUTES[name]}.` : description;
}

function createWebsiteFields(t: InputFieldBuilder, required: boolean) {
  return {
    url: t.string({ required, description: getDescription('url') }),
    label: t.string({ required, description: getDescription('label') }),
    currency: t.string({ description: getDescription('currency') }),
    languageAdmin: t.string({ description: getDescription('languageAdmin') }),
    timezone: t.string({ description: getDescription('timezone') }),
    allowedOrigins: t.stringList({ description: originsSchema.meta()?.description ?? '' }),
    openingHours: t.field({
      type: OpeningHoursInput,
      description: 'The opening hours, which replace all earlier ones. Null: always open.',
    }),
    waitingAbsenceMinutes: t.int({ description: describeAbsence('waitingAbsenceMinutes', required) }),
    activeAbsenceMinutes: t.int({ description: describeAbsence('activeAbsenceMinutes', required) }),
    widget: t.field({
      type: WidgetInput,
      description: 'The settings of the widget to change. Null restores all defaults.',
    }),
  };
}

interface WidgetIds {
  readonly skillId?: string | null | undefined;
  readonly groupId?: string | null | undefined;
}

function toWebsiteInput<T extends { readonly widget?: WidgetIds | null | undefined }>({ widget, ...fields }: T) {
  if (!widget) return widget === null ? { ...fields, widget } : fields;
  const toId = (name: keyof WidgetIds) => {
    const text = widget[name];
    return typeof text === 'string' ? parseIdField(['widget', name], text) : text;
  };
  return { ...fields, widget: { ...widget, skillId: toId('skillId'), groupId: toId('groupId') } };
}

for (const { kind, ref, create, update } of [
  { kind: 'group', ref: GroupRef, create: groupCreate, update: groupUpdate },
  { kind: 'skill', ref: SkillRef, create: skillCreate, update: skillUpdate },
] as const) {
  const payload = objectPayload(kind, ref, (node: NodeWithAncestors) => node);
  addMutation(`${kind}Create`, {
    description: `Creates a ${kind}. Admins only.`,
    argumentDescription: `The ${kind} to create.`,
    input: {
      description: `The ${kind} to create. Omitted fields get their defaults.`,
      fields: (t) => createTreeFields(t, kind, true),
    },
    payload,
    authorize: requireAdminCaller,
    run: (commit, { caller, services }, input) => {
      const fields = validate(create, toTreeInput(input)) as TreeNodeInput & { name: string };
      return services.administration[`${kind}s`].create(commit, caller, fields);
    },
  });
  addMutation(`${kind}Update`, {
    description: `Updates a ${kind}. Omitted fields stay unchanged. Admins only.`,
    argumentDescription: 'The fields to change.',
    input: {
      description: 'The fields to change. Omitted fields stay unchanged.',
      fields: (t) => ({
        id: t.id({ required: true, description: `The identifier of the ${kind}.` }),
        ...createTreeFields(t, kind, false),
      }),
    },
    payload,
    authorize: requireAdminCaller,
    run: (commit, { caller, services }, { id, ...input }) => {
      const fields = validate(update, toTreeInput(input)) as TreeNodeInput;
      return services.administration[`${kind}s`].update(commit, caller, requireId(kind, id), fields);
    },
  });
  addMutation(`${kind}Delete`, {
    description: `Deletes a ${kind} that is not in use. Admins only.`,
    argumentDescription: `The ${kind} to delete.`,
    input: idInput(`The ${kind} to delete.`, `The identifier of the ${kind}.`),
    payload: deletedIdPayload<TreeNode>(),
    authorize: requireAdminCaller,
    run: (commit, { caller, services }, { id }) =>
      services.administration[`${kind}s`].delete(commit, caller, requireId(kind, id)),
  });
}

function createTreeFields(t: InputFieldBuilder, kind: TreeKind, required: boolean) {
  return {
    name: t.string({ required, description: `The name of the ${kind}.` }),
    ...(kind === 'skill' ? { order: t.int({ description: 'The sort order in lists.' }) } : {}),
    parentId: t.id({ description: `The parent ${kind}. Null moves it to the top level.` }),
  };
}

function toTreeInput({ parentId, ...fields }: { readonly parentId?: string | null | undefined }) {
  if (parentId === undefined) return fields;
  return { ...fields, parentId: parentId === null ? null : parseIdField('parentId', parentId) };
}

const MAX_OPERATORS = 1000;

for (const [name, description] of [
  ['skillOperatorsAdd', 'Adds a skill to operators.'],
  ['skillOperatorsRemove', 'Removes a skill from operators.'],
] as const) {
  addMutation(name, {
    description: `${description} Changes all of them or none. Admins only.`,
    argumentDescription: 'The skill and the operators.',
    input: {
      description: 'The skill and the operators.',
      fields: (t) => ({
        id: t.id({ required: true, description: 'The skill.' }),
        operatorIds: t.idList({ required: true, description: `The operators, at most ${MAX_OPERATORS}.` }),
      }),
    },
    payload: objectPayload('skill', SkillRef),
    authorize: requireAdminCaller,
    run: async (commit, { caller, services: { administration } }, input) => {
      const ids = parseIdListField('operatorIds', input.operatorIds, MAX_OPERATORS);
      const id = requireId('skill', input.id);
      const skill = await administration.skills.find(caller.accountId, id);
      if (!skill) throw unknownId('skill', id);
      return administration.operators.setSkill(commit, caller, skill, ids, name === 'skillOperatorsAdd');
    },
  });
}
