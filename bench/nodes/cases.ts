import { availabilityWrites, ENGINE, RATIO_CASES, type RatioCase } from '../cases.ts';
import { DIRECTORY, type Population } from '../fill.ts';

/** What is measured on several nodes. */

/** Changes of one account go one after the other; those of several need not. */
export const ACCOUNTS = 8;
export const SIZE = 1000;

export const SEVERAL_ACCOUNTS: Population = { ...DIRECTORY, name: 'accounts', accounts: ACCOUNTS };

export const NODE_CASES: readonly RatioCase[] = [
  ...RATIO_CASES.filter(({ onNodes }) => onNodes),
  {
    name: 'availability',
    title: `set availability in ${ACCOUNTS} accounts`,
    requests: (size) => availabilityWrites(size, ACCOUNTS),
  },
];

export const NODE_CASE_NAMES = [...new Set(NODE_CASES.map(({ name }) => name)), ENGINE];
