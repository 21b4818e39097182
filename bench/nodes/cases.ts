import { availabilityWrites, ENGINE_CASE, RATIO_CASES, type RatioCase } from '../cases.ts';
import { DIRECTORY, type Population } from '../fill.ts';

/** The cases for several nodes. */

/** Changes of one account are serialized; several accounts can change concurrently. */
export const ACCOUNT_COUNT = 8;
export const OPERATORS_PER_ACCOUNT = 1000;

export const ACCOUNTS_POPULATION: Population = { ...DIRECTORY, name: 'accounts', accounts: ACCOUNT_COUNT };

export const NODE_CASES: readonly RatioCase[] = [
  ...RATIO_CASES.filter(({ onNodes }) => onNodes),
  {
    name: 'availability',
    title: `set availability in ${ACCOUNT_COUNT} accounts`,
    requests: (size) => availabilityWrites(size, ACCOUNT_COUNT),
  },
];

/** Conversations with a database that is some milliseconds away. */
export const DISTANCE_CASE = 'distance';
/** One table of goals for one node against the embedded database, in alternating rounds. */
export const GOALS_CASE = 'goals';
/** They have their own databases and ignore `--nodes`. */
export const SINGLE_NODE_CASES: ReadonlySet<string> = new Set([DISTANCE_CASE, GOALS_CASE]);

export const NODE_CASE_NAMES = [...new Set(NODE_CASES.map(({ name }) => name)), ENGINE_CASE, ...SINGLE_NODE_CASES];
