import {
  type ImportReport,
  type ImportRow,
  ROWS_OF_ONE_COMMIT,
  type RowReport,
} from '../../../core/administration/operator-import.ts';
import { invalidField } from '../../../core/kernel/errors.ts';
import { parseId } from '../../../core/kernel/ids.ts';
import { toUserErrors } from '../../graphql-server/errors.ts';
import { builder, mutation, UserErrorRef, wordsEnum } from '../builder.ts';
import { operatorFields } from './operator-mutations.ts';

/** One commit, so that the answer is kept with the change under an Idempotency-Key. */
const MAX_ROWS = ROWS_OF_ONE_COMMIT;

const OutcomeEnum = wordsEnum<RowReport['outcome']>('ImportOutcome', 'What happened to a row.', {
  created: 'A new operator.',
  updated: 'A known operator was changed.',
  unchanged: 'A known operator was like that already.',
  failed: 'The row has mistakes.',
});

const RowRef = builder.objectRef<RowReport>('OperatorsImportRow').implement({
  description: 'What happened to one row of an import.',
  fields: (t) => ({
    row: t.exposeInt('row', { description: 'Its number, from 1.' }),
    externalId: t.exposeString('externalId', { nullable: true, description: 'Who was meant.' }),
    outcome: t.expose('outcome', {
      type: OutcomeEnum,
      description: 'What happened; where nothing was applied, what would have.',
    }),
    operatorId: t.expose('operatorId', {
      type: 'ID',
      nullable: true,
      description: 'The operator; null for a row that failed, and for one who was not made in the end.',
    }),
    userErrors: t.field({
      type: [UserErrorRef],
      description: 'The mistakes of the row.',
      resolve: ({ row, failure }) => {
        if (!failure) return [];
        const problems = failure.problems.map((problem) => ({ ...problem, path: ['rows', row - 1, ...problem.path] }));
        return toUserErrors({ ...failure, problems });
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

mutation('operatorsImport', {
  description: `Makes or changes up to ${MAX_ROWS} operators at once. For admins, and for managers within their groups.`,
  argument: 'The import.',
  input: {
    description: 'The rows, and how to take them.',
    fields: (t) => ({
      rows: t.field({ type: [RowInput], required: true, description: `The operators, ${MAX_ROWS} at most.` }),
      dryRun: t.boolean({ defaultValue: false, description: 'Look at everything and change nothing.' }),
      allOrNothing: t.boolean({
        defaultValue: true,
        description: 'One mistake and nothing is changed; otherwise the good rows are taken.',
      }),
    }),
  },
  answer: {
    report: { type: ReportRef, description: 'What happened, row by row.', of: (report: ImportReport) => report },
  },
  run: (commit, { caller, services }, { rows, dryRun, allOrNothing }) => {
    if (rows.length > MAX_ROWS) throw invalidField('rows', `must be ${MAX_ROWS} at most`);
    const options = { dryRun: dryRun ?? false, allOrNothing: allOrNothing ?? true };
    return services.administration.imports.run(commit, caller, rows.map(toRow), options);
  },
});

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
