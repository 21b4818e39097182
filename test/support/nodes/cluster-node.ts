import { type ProcessOptions, type SwitchboardProcess, startSwitchboardProcess } from '../processes/switchboard.ts';
import { waitUntil } from '../waiting/wait.ts';

/** One node of a cluster: a real process that uses the same port after every restart. */
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

  /** Its log since the first start. */
  log(): string {
    return this.#earlierLogs + (this.#switchboard?.log() ?? '');
  }

  /** Log lines of level error and above. */
  loggedErrors(): string[] {
    return this.log()
      .split('\n')
      .filter((line) => line.startsWith('{"level":50') || line.startsWith('{"level":60'));
  }

  runCommand(args: readonly string[]): ReturnType<SwitchboardProcess['runCommand']> {
    return this.#running.runCommand(args);
  }

  /** Resolves once it accepts requests. */
  async start(): Promise<void> {
    if (this.#switchboard) return;
    this.#switchboard = await startSwitchboardProcess(this.#options);
    await waitUntil('the node is ready', () => this.isReady());
  }

  async isReady(): Promise<boolean> {
    const response = await fetch(`${this.url}/_ready`).catch(() => undefined);
    await response?.body?.cancel();
    return response?.status === 200;
  }

  /** Like a machine that loses power. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Stops gracefully and returns the exit code. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  async restart(): Promise<void> {
    const code = await this.stop();
    if (code !== 0) throw new Error(`The node exited with ${code}:\n${this.#earlierLogs.slice(-4000)}`);
    await this.start();
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const switchboard = this.#switchboard;
    this.#switchboard = undefined;
    if (!switchboard) return null;
    const { process: child } = switchboard;
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill(signal);
      await ended;
    }
    this.#earlierLogs += switchboard.log();
    return child.exitCode;
  }

  get #running(): SwitchboardProcess {
    if (!this.#switchboard) throw new Error('The node is not running.');
    return this.#switchboard;
  }
}
