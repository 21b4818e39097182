/**
 * How much processor time, in seconds, the tests may take: about 1.5 times what they take on an idle machine. In CI a run
 * over budget fails. Not the time of the clock, which depends on what else the machine does.
 */
export const FILE_BUDGET = 60;

export const FOLDER_BUDGETS: Readonly<Record<string, number>> = {
  checks: 120,
  PostgreSQL: 300,
  'test/api': 300,
  'test/app': 20,
  'test/browser': 450,
  'test/commands': 60,
  'test/conformance': 60,
  'test/core': 200,
  'test/demo': 40,
  'test/deploy': 60,
  'test/differential': 40,
  'test/fault': 180,
  'test/nodes': 300,
  'test/scripts': 60,
  'test/simulate': 40,
  'test/storage': 60,
  'test/together': 80,
  'test/web': 40,
};
