import {
  type ImportReport,
  type ImportRow,
  ROWS_OF_ONE_COMMIT,
  type RowReport,
} from '../../../core/administration/operator-import.ts';
import { invalidField } from '../../../core/kernel/errors.ts';
import { parseId } from '../../../core/kernel/ids.ts';
import { USER_CODES, userErrorsOfProblems } from '../../graphql-server/errors.ts';
import { builder } from '../builder.ts';
import { payloadType, UserErrorRef } from '../mutation.ts';
import { operatorFields } from './operator-mutations.ts';

/** One commit, so that the answer is kept with the change under an Idempotency-Key. */
const MOST_ROWS = ROWS_OF_ONE_COMMIT;

const OutcomeEnum = builder.enumType('ImportOutcome', {
  description: 'What happened to a row.',
  values: {
    CREATED: { value: 'created' as RowReport['outcome'], description: 'A new operator.' },
    UPDATED: { value: 'updated' as RowReport['outcome'], description: 'A known operator was changed.' },
    UNCHANGED: { value: 'unchanged' as RowReport['outcome'], description: 'A known operator was like that already.' },
    FAILED: { value: 'failed' as RowReport['outcome'], description: 'The row has mistakes.' },
  },
});

const RowRef = builder.objectRef<RowReport>('OperatorsImportRow').implement({
  description: 'What happened to one row of an import.',
  fields: (t) => ({
    row: t.exposeInt('row', { description: 'Its number, from 1.' }),
    externalId: t.string({ nullable: true, description: 'Who was meant.', resolve: (row) => row.externalId }),
    outcome: t.field({
      type: OutcomeEnum,
      description: 'What happened; where nothing was applied, what would have.',
      resolve: (row) => row.outcome,
    }),
    operatorId: t.field({
      type: 'ID',
      nullable: true,
      description: 'The operator; null for a row that failed, and for one who was not made in the end.',
      resolve: (row) => row.operatorId,
    }),
    userErrors: t.field({
      type: [UserErrorRef],
      description: 'The mistakes of the row.',
      resolve: ({ row, failure }) => {
        if (!failure) return [];
        const problems = failure.problems.map((problem) => ({ ...problem, path: ['rows', row - 1, ...problem.path] }));
        return userErrorsOfProblems(problems, failure.message, USER_CODES[failure.kind]);
      },
    }),
  }),
});

const ReportRef = builder.objectRef<ImportReport>('OperatorsImportReport').implement({
  description: 'What an import did, row by row.',
  fields: (t) => ({
    applied: t.exposeBoolean('applied', {
      description: 'Whether the good rows were taken: not in a dry run, nor with mistakes in all or nothing.',
    }),
    rows: t.field({ type: [RowRef], description: 'Every row in its order.', resolve: (report) => [...report.rows] }),
  }),
});

const RowInput = builder.inputType('OperatorsImportRowInput', {
  description: 'One operator, found by `externalId`: changed when known, made when not.',
  fields: (t) => operatorFields(t, false),
});

builder.mutationField('operatorsImport', (t) =>
  t.field({
    type: payloadType<ImportReport>('OperatorsImport', {
      name: 'report',
      type: ReportRef,
      description: 'What happened, row by row.',
    }),
    description: `Makes or changes up to ${MOST_ROWS} operators at once. For admins, and for managers within their groups.`,
    args: {
      input: t.arg({
        type: builder.inputType('OperatorsImportInput', {
          description: 'The rows, and how to take them.',
          fields: (f) => ({
            rows: f.field({ type: [RowInput], required: true, description: `The operators, ${MOST_ROWS} at most.` }),
            dryRun: f.boolean({ defaultValue: false, description: 'Look at everything and change nothing.' }),
            allOrNothing: f.boolean({
              defaultValue: true,
              description: 'One mistake and nothing is changed; otherwise the good rows are taken.',
            }),
          }),
        }),
        required: true,
        description: 'The import.',
      }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<ImportReport>(async (commit) => {
        if (input.rows.length > MOST_ROWS) throw invalidField('rows', `must be ${MOST_ROWS} at most`);
        const options = { dryRun: input.dryRun ?? false, allOrNothing: input.allOrNothing ?? true };
        return services.administration.imports.run(commit, caller, input.rows.map(toRow), options);
      }),
  }),
);

/** A row in the words of the core. An identifier that is none stays as it is, and its row is refused. */
function toRow({ websiteIds, skillIds, groupId, ...rest }: Readonly<Record<string, unknown>>): ImportRow {
  const id = (text: unknown) => parseId(String(text)) ?? text;
  return {
    ...rest,
    ...(groupId === undefined ? {} : { groupId: groupId === null ? null : id(groupId) }),
    ...(websiteIds ? { websiteList: (websiteIds as unknown[]).map(id) } : {}),
    ...(skillIds ? { skillList: (skillIds as unknown[]).map(id) } : {}),
  };
}
