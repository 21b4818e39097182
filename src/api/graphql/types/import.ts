import {
  type ImportReport,
  type ImportRow,
  MAX_ROWS_PER_COMMIT,
  type RowReport,
} from '../../../core/administration/operator-import.ts';
import { invalidField } from '../../../core/kernel/errors.ts';
import { parseId } from '../../../core/kernel/ids.ts';
import { requireCanImport } from '../../../core/operators/permissions.ts';
import { toUserErrors } from '../../graphql-server/errors.ts';
import { addMutation, builder, createEnum, UserErrorRef } from '../builder.ts';
import { createOperatorFields } from './operator-mutations.ts';

/** An import is a single commit, so that the payload is stored with the change under its Idempotency-Key. */
const MAX_ROWS = MAX_ROWS_PER_COMMIT;

const OutcomeEnum = createEnum<RowReport['outcome']>('ImportOutcome', 'The outcome of a row of an import.', {
  created: 'An operator was created.',
  updated: 'An existing operator was changed.',
  unchanged: 'An existing operator already had these values.',
  failed: 'The row has errors.',
});

const RowRef = builder.objectRef<RowReport>('OperatorsImportRow').implement({
  description: 'The result of one row of an import.',
  fields: (t) => ({
    row: t.exposeInt('row', { description: 'The number of the row, starting at 1.' }),
    externalId: t.exposeString('externalId', { nullable: true, description: 'The external identifier in the row.' }),
    outcome: t.expose('outcome', {
      type: OutcomeEnum,
      description: 'The outcome. If the import was not applied, the outcome that it would have had.',
    }),
    operatorId: t.expose('operatorId', {
      type: 'ID',
      nullable: true,
      description:
        'The operator. Null if the row failed, or if a new operator was not created because the import was not applied.',
    }),
    userErrors: t.field({
      type: [UserErrorRef],
      description: 'The errors of the row.',
      resolve: ({ row, failure }) => {
        if (!failure) return [];
        const problems = failure.problems.map((problem) => ({ ...problem, path: ['rows', row - 1, ...problem.path] }));
        return toUserErrors({ ...failure, problems });
      },
    }),
  }),
});

const ReportRef = builder.objectRef<ImportReport>('OperatorsImportReport').implement({
  description: 'The result of an import, row by row.',
  fields: (t) => ({
    applied: t.exposeBoolean('applied', {
      description: 'Whether the valid rows were applied. False for a dry run, and if a row failed with `allOrNothing`.',
    }),
    rows: t.field({ type: [RowRef], description: 'All rows, in order.', resolve: (report) => [...report.rows] }),
  }),
});

const RowInput = builder.inputType('OperatorsImportRowInput', {
  description:
    'An operator, matched by `externalId`, or by `email` if the row has none: updated if it exists, created if not.',
  fields: (t) => createOperatorFields(t, false),
});

addMutation('operatorsImport', {
  description: `Creates or updates up to ${MAX_ROWS} operators in one request. Available to admins, and to managers within their groups.`,
  argumentDescription: 'The rows to import.',
  input: {
    description: 'The rows to import, and the options.',
    fields: (t) => ({
      rows: t.field({ type: [RowInput], required: true, description: `The operators, at most ${MAX_ROWS}.` }),
      dryRun: t.boolean({ defaultValue: false, description: 'Validates the rows and changes nothing.' }),
      allOrNothing: t.boolean({
        defaultValue: true,
        description: 'If true, one failed row prevents all changes. If false, the valid rows are applied.',
      }),
    }),
  },
  payload: {
    report: { type: ReportRef, description: 'The result, row by row.', resolve: (report: ImportReport) => report },
  },
  authorize: ({ caller }) => requireCanImport(caller),
  run: (commit, { caller, services, getDisconnectSignal }, { rows, dryRun, allOrNothing }) => {
    if (rows.length > MAX_ROWS) throw invalidField('rows', `must have at most ${MAX_ROWS} items`);
    const options = {
      dryRun: dryRun ?? false,
      allOrNothing: allOrNothing ?? true,
      signal: getDisconnectSignal?.(),
    };
    return services.administration.imports.run(commit, caller, rows.map(toRow), options);
  },
});

/** Identifiers that are not valid are passed on unchanged, and their row is rejected. */
function toRow({ websiteIds, skillIds, groupId, ...rest }: Readonly<Record<string, unknown>>): ImportRow {
  const toId = (text: unknown) => parseId(String(text)) ?? text;
  return {
    ...rest,
    ...(groupId === undefined ? {} : { groupId: groupId === null ? null : toId(groupId) }),
    ...(websiteIds ? { websiteList: (websiteIds as unknown[]).map(toId) } : {}),
    ...(skillIds ? { skillList: (skillIds as unknown[]).map(toId) } : {}),
  };
}
