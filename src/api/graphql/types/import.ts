import { invalidField } from '../../../core/errors.ts';
import type { ImportReport, RowReport } from '../../../core/operators/operator-import.ts';
import { builder } from '../builder.ts';
import { UserErrorRef, userErrorsOfProblems } from '../errors.ts';
import { payloadType } from '../mutation.ts';
import { operatorFields, toFields } from './operator-mutations.ts';

const MOST_ROWS = 1000;

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
      description: 'What happened; in a dry run, what would.',
      resolve: (row) => row.outcome,
    }),
    operatorId: t.field({
      type: 'ID',
      nullable: true,
      description: 'The operator; null for a failed row.',
      resolve: (row) => row.operatorId,
    }),
    userErrors: t.field({
      type: [UserErrorRef],
      description: 'The mistakes of the row.',
      resolve: (row) => (row.outcome === 'failed' ? userErrorsOfProblems(row.problems, row.message ?? '') : []),
    }),
  }),
});

const ReportRef = builder.objectRef<ImportReport>('OperatorsImportReport').implement({
  description: 'What an import did, row by row.',
  fields: (t) => ({
    applied: t.exposeBoolean('applied', { description: 'Whether anything was changed.' }),
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
      changes.run<ImportReport>(async () => {
        if (input.rows.length > MOST_ROWS) throw invalidField('rows', `must be ${MOST_ROWS} at most`);
        const rows = input.rows.map((row) => toFields(row));
        return services.imports.run(caller, rows, {
          dryRun: input.dryRun ?? false,
          allOrNothing: input.allOrNothing ?? true,
        });
      }),
  }),
);
