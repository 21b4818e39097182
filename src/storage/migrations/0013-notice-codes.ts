import type { Migration } from './migration.ts';

/** The sentences that earlier versions stored without a code. */
const CODES = [
  ['The operator lost the connection. Please wait a moment.', 'operator_away'],
  ['The operator is back.', 'operator_back'],
  ['The operator did not come back. You are next in line for another operator.', 'operator_left'],
  ['The messages in this conversation were removed on request.', 'messages_erased'],
] as const;

/** Gives the notices of earlier versions their codes, so that readers see them in their language. */
export const noticeCodes: Migration = {
  name: '0013-notice-codes',
  additive: true,
  statements: () => [],
  fills: [
    {
      name: 'notice-codes',
      table: 'messages',
      key: ['account_id', 'conversation_id', 'sequence'],
      set: `notice_code = case text ${CODES.map(([text, code]) => `when '${text}' then '${code}'`).join(' ')} end`,
      where: `author_type = 'notice' and notice_code is null and text in (${CODES.map(([text]) => `'${text}'`).join(', ')})`,
    },
  ],
};
