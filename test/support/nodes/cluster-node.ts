import { type ProcessOptions, type SwitchboardProcess, startSwitchboardProcess } from '../processes/switchboard.ts';
import { until } from '../waiting/until.ts';

/** One of several nodes: a real process on a port of its own, which it comes back to after every end. */
export class ClusterNode {
  readonly url: string;
  readonly #options: ProcessOptions;
  #switchboard: SwitchboardProcess | undefined;
  #earlierLogs = '';

  constructor(port: number, options: ProcessOptions) {
    this.url = `http://127.0.0.1:${port}`;
    this.#options = { ...options, env: { ...options.env, PORT: String(port) } };
  }

  get pid(): number {
    return this.#running.process.pid as number;
  }

  get isRunning(): boolean {
    return this.#switchboard !== undefined;
  }

  /** What it wrote into its log since its first start. */
  log(): string {
    return this.#earlierLogs + (this.#switchboard?.log() ?? '');
  }

  /** Faults of its own that it logged. */
  faults(): string[] {
    return this.log()
      .split('\n')
      .filter((line) => line.startsWith('{"level":50') || line.startsWith('{"level":60'));
  }

  command(args: readonly string[]): ReturnType<SwitchboardProcess['command']> {
    return this.#running.command(args);
  }

  /** Answers when it takes requests. */
  async start(): Promise<void> {
    if (this.#switchboard) return;
    this.#switchboard = await startSwitchboardProcess(this.#options);
    await until('the node is ready', () => this.isReady());
  }

  async isReady(): Promise<boolean> {
    const answer = await fetch(`${this.url}/_ready`).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.status === 200;
  }

  /** As a machine that loses its power. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** As it is asked to stop, to the end of its process. Answers with its exit code. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  async restart(): Promise<void> {
    const code = await this.stop();
    if (code !== 0) throw new Error(`The node ended with ${code}:\n${this.#earlierLogs.slice(-4000)}`);
    await this.start();
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const ending = this.#switchboard;
    this.#switchboard = undefined;
    if (!ending) return null;
    const { process: child } = ending;
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill(signal);
      await ended;
    }
    this.#earlierLogs += ending.log();
    return child.exitCode;
  }

  get #running(): SwitchboardProcess {
    if (!this.#switchboard) throw new Error('The node does not run.');
    return this.#switchboard;
  }
}
