/**
 * How much processor time, in seconds, the tests may take: about twice what they take on two idle cores. In CI a run over
 * budget fails. Not the time of the clock, which depends on what else the machine does.
 */
export const FILE_BUDGET = 60;

export const FOLDER_BUDGETS: Readonly<Record<string, number>> = {
  checks: 100,
  PostgreSQL: 250,
  'test/api': 520,
  'test/app': 30,
  'test/browser': 600,
  'test/commands': 80,
  'test/conformance': 25,
  'test/core': 190,
  'test/demo': 30,
  'test/deploy': 70,
  'test/differential': 25,
  'test/fault': 170,
  'test/nodes': 240,
  'test/scripts': 70,
  'test/simulate': 30,
  'test/storage': 30,
  'test/together': 50,
  'test/web': 25,
};
