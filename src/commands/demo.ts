import { firstStart } from '../app/first-start.ts';
import { readConfig } from '../config.ts';
import { loadDemo } from '../demo/demo.ts';
import { withInstallation } from './open.ts';
import type { Terminal } from './terminal.ts';

export async function fillDemo(terminal: Terminal): Promise<void> {
  const { console, env } = terminal;
  await withInstallation(
    terminal,
    async (installation) => {
      const first = await firstStart(installation, readConfig(env));
      if (first)
        console.log(
          `Made the first account. Admin: ${first.email} ${first.password ?? ''}\nAPI key: ${first.apiKey ?? ''}`,
        );
      const added = await loadDemo(installation);
      console.log(added ? `Added ${added} demo operators.` : 'The demo data is there already.');
      console.log('Run "npm start -- --demo" to keep its operators connected.');
    },
    { mayCreate: true },
  );
}
