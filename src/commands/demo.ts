import { createFirstAccount } from '../app/first-start.ts';
import { readConfig } from '../config.ts';
import { loadDemoData } from '../demo/demo.ts';
import { withInstallation } from './open.ts';
import type { Terminal } from './terminal.ts';

export async function addDemoData(terminal: Terminal): Promise<void> {
  const { console, env } = terminal;
  await withInstallation(
    terminal,
    async (installation) => {
      const first = await createFirstAccount(installation, readConfig(env));
      if (first)
        console.log(
          `Created the first account. Admin: ${first.email} ${first.password ?? ''}\nAPI key: ${first.apiKey ?? ''}`,
        );
      const { operators, shopOperators } = await loadDemoData(installation);
      if (operators > 0) console.log(`Added ${operators} demo operators.`);
      if (shopOperators > 0) console.log(`Added the pretend shop and its ${shopOperators} operators.`);
      if (operators + shopOperators === 0) console.log('The demo data has already been added.');
      console.log('Run "npm start -- --demo" to open the shop and connect its operators.');
    },
    { canCreate: true },
  );
}
