import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../src/config.ts';
import { readConfig } from '../../src/config.ts';
import { createAccount, systemCaller } from '../../src/first-start.ts';
import { type Installation, openInstallation } from '../../src/installation.ts';
import { ADMIN, environment } from './switchboard.ts';

/** A clock that a test moves. */
export class TestClock {
  now = Date.UTC(2026, 0, 15, 12);
  readonly read = () => this.now;

  advance(milliseconds: number): void {
    this.now += milliseconds;
  }
}

export interface OpenInstallation extends Installation {
  readonly clock: TestClock;
  readonly config: Config;
  readonly accountId: number;
  readonly caller: ReturnType<typeof systemCaller>;
  end(): Promise<void>;
}

/** Every database that the stores run on; each suite runs on all of them. */
export const databases = [{ name: 'sqlite', open: openSqlite }] as const;

async function openSqlite(settings: Record<string, string> = {}): Promise<OpenInstallation> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-store-'));
  const clock = new TestClock();
  const config = readConfig(environment(folder, settings));
  const installation = await openInstallation(config, clock.read);
  const account = await createAccount(installation, { name: 'Test', admin: ADMIN });
  if (!account) throw new Error('The account was not made.');
  return {
    ...installation,
    clock,
    config,
    accountId: account.accountId,
    caller: systemCaller(account.accountId),
    end: async () => {
      await installation.database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
