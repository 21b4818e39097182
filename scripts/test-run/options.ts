import { parseArgs } from 'node:util';

const HELP = `Runs the checks and all tests, or only some test files.

  npm test                            the checks and all tests
  npm test -- desk widget             the test files whose path contains one of the words, without the checks
  npm test -- test/storage/*.test.ts  these files

Options
  --test-name-pattern <expression>  only tests whose name matches
  --no-browser                      leaves out the tests in a browser
  --help                            show this text

In the environment
  CHROMIUM_PATH      the browser for the tests; by default a headless one that npm test installs, else an
                     installed Chromium or Chrome
  TEST_DATABASE_URL  an existing PostgreSQL server; by default npm test starts one
  TEST_DATABASE      sqlite or postgres: the database of the tests that run on either
  TEST_CONCURRENCY   how many files run at once`;

export interface TestOptions {
  /** Words and paths of test files; all files if there are none. */
  readonly words: readonly string[];
  readonly namePattern: string | undefined;
  readonly usesBrowser: boolean;
}

/** Returns undefined after it has shown the help text or what is wrong. */
export function readTestOptions(args: readonly string[]): TestOptions | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        'test-name-pattern': { type: 'string' },
        'no-browser': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    if (values.help) {
      console.log(HELP);
      return undefined;
    }
    return { words: positionals, namePattern: values['test-name-pattern'], usesBrowser: !values['no-browser'] };
  } catch (error) {
    console.error(`${(error as Error).message}\nSee: npm test -- --help`);
    process.exitCode = 2;
    return undefined;
  }
}
