import { after } from 'node:test';

/** Long enough for the last results to be reported, and for what a suite ends itself. */
const FAREWELL_MS = 15_000;

// Loaded before every test file: what a failed test has left open does not keep its process from ending. The runner's own
// option for that ends the process before all results are reported.
if (process.env.NODE_TEST_CONTEXT) after(() => void setTimeout(() => process.exit(), FAREWELL_MS).unref());
