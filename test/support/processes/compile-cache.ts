import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Speeds up the many starts of a test run. */
export const COMPILE_CACHE = join(tmpdir(), 'switchboard-compile-cache');
