import type { Installation } from '../app/installation.ts';
import type { Caller, Transact } from '../core/kernel/caller.ts';
import { findDemoCaller } from './demo.ts';
import { type DeskLogin, prepareDesk } from './desk/desk-operator.ts';
import type { Pace } from './played/behaviour.ts';
import { hirePlayedPeople } from './played/hire.ts';
import type { PlayedOperator } from './played/played-operator.ts';
import { ServiceClient } from './played/service-client.ts';
import {
  buildShopUrl,
  findListenHost,
  findPreferredPort,
  listShopOrigins,
  type ServiceAddress,
} from './shop/shop-address.ts';
import { findShop, type Shop } from './shop/shop-data.ts';
import { listenAsShop, type ShopServer } from './shop/shop-server.ts';

export interface DemoOptions {
  readonly service: ServiceAddress;
  /** The certificate of the service, if it speaks TLS: the shop has the same. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly pace: Pace;
  /** 0 for any. Defaults to the port after that of the service; if it is in use, to any. */
  readonly shopPort?: number | undefined;
  /** Receives the reason if not everyone could come. */
  readonly warn: (message: string) => void;
}

export interface RunningDemo {
  /** The address of the pretend shop. */
  readonly shopUrl: string;
  /** The port that the shop would have had if it were free; undefined if it has it. */
  readonly portInUse: number | undefined;
  /** With which a person opens the desk and serves the visitors of the shop. */
  readonly deskLogin: DeskLogin;
  /** Sends the played people home and closes the shop. */
  stop(): Promise<void>;
}

/** Opens the pretend shop, prepares the desk, and lets the played people log in to the running service. */
export async function startDemo(installation: Installation, options: DemoOptions): Promise<RunningDemo> {
  const { service, tls, pace } = options;
  const caller = await findDemoCaller(installation);
  const port = options.shopPort ?? findPreferredPort(service);
  const shopServer = await listenAsShop({ host: findListenHost(service), port, tls });
  const client = new ServiceClient(service.localUrl, tls?.cert);
  const people: PlayedOperator[] = [];
  const stop = async () => {
    for (const person of people) person.stop();
    client.close();
    await shopServer.close();
  };
  try {
    const shop = await findShop(installation, caller);
    const shopUrl = buildShopUrl(service, shopServer.port);
    await openShop(installation, caller, { shop, shopServer, service, shopUrl });
    const deskLogin = await prepareDesk(installation, caller, { websiteId: shop.websiteId, shopUrl });
    const { team, others } = await hirePlayedPeople(installation, caller, { shop, client, pace });
    people.push(...team, ...others);
    const errors = (await Promise.all(team.map((person) => person.start()))).filter(Boolean);
    if (errors.length > 0)
      options.warn(`${errors.length} of the ${team.length} played people of the shop are not connected: ${errors[0]}`);
    void startInTurn(others);
    return { shopUrl, deskLogin, portInUse: port === 0 || port === shopServer.port ? undefined : port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** In the background, one after the other: all at once would be a burst for a small machine. */
async function startInTurn(people: readonly PlayedOperator[]): Promise<void> {
  for (const person of people) await person.start();
}

/** The website gets the address that the shop has this time. */
async function openShop(
  installation: Installation,
  caller: Caller,
  {
    shop,
    shopServer,
    service,
    shopUrl,
  }: { shop: Shop; shopServer: ShopServer; service: ServiceAddress; shopUrl: string },
): Promise<void> {
  const allowedOrigins = listShopOrigins(service, shopServer.port);
  const transact: Transact = (work) => installation.database.transaction(work, caller.accountId);
  await installation.administration.websites.update(transact, caller, shop.websiteId, { url: shopUrl, allowedOrigins });
  shopServer.open({ serviceUrl: service.url, websiteId: shop.websiteId });
}
